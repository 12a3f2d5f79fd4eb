"""Whole games of uniformly random legal actions, on the CPU."""

from __future__ import annotations

from cabochon.core.box import Box
from cabochon.core.compilation import jit
from cabochon.core.random import random_below, seed_stream
from cabochon.core.rules import (
    carry_out,
    deal,
    legal_actions,
    random_reveal,
    settle,
    turn_up,
)
from cabochon.core.state import OVER, REVEAL, Array, State


@jit
def random_step(state: State, box: Box, actions: Array, stream: Array) -> int:
    """A random legal action if one is due, then a random reveal if one is due; 1 if there was an action.

    `actions` is scratch of the length ACTIONS.
    """
    moves = 0
    if state.phase != REVEAL:
        count = legal_actions(state, box, actions)
        carry_out(state, box, int(actions[random_below(stream, count)]))
        moves = 1
    if state.phase == REVEAL:
        turn_up(state, box, random_reveal(state, box, stream))
    settle(state, box)
    return moves


@jit
def play_games(
    state: State,
    box: Box,
    actions: Array,
    stream: Array,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    first: int,
    stride: int,
    games: int,
) -> int:
    """Play the random games number first, first + stride, ... of the seed; return the number of moves.

    Each game has a stream of its own, so that a game does not depend on which others are played.
    """
    moves = 0
    for game in range(games):
        seed_stream(stream, seed, first + game * stride)
        deal(state, box, players, free_take, automatic_payment, stream)
        while state.phase != OVER:
            moves += random_step(state, box, actions, stream)
    return moves
