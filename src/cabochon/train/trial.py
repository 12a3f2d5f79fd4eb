"""How well a network plays by its bare policy against a fixed opponent: many games in lockstep on one core.

This module needs no PyTorch, so that a process of its own can play while a GPU learns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cabochon.bots.evaluation import (
    Scratch,
    Weights,
    greedy_weights,
    legal_actions_in_view,
    new_scratch,
    outcome_values,
)
from cabochon.bots.greedy import choose
from cabochon.bots.network import Layers, Network, Workspace, best_action, evaluate, from_matrices
from cabochon.core.box import BOXES, Box
from cabochon.core.compilation import jit
from cabochon.core.observation import observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.rules import deal, legal_actions, play_action
from cabochon.core.state import ACTIONS, OVER, SEATS, Array, new_states
from cabochon.core.views import hide

OPPONENTS = ("random", "greedy")
LOCKSTEP = 64  # games that a batch of the network serves


@jit
def _play_opponents(
    states: Any,
    game: int,
    own: int,
    box: Box,
    weights: Weights,
    scratch: Scratch,
    values: Array,
    is_greedy: bool,
    stream: Array,
) -> None:
    """Play a game on to the network's next decision or its end; the last of `states` is scratch."""
    state = states[game]
    view = len(states) - 1
    while state.phase != OVER and int(state.seat) != own:
        if is_greedy:
            states[view] = state
            hide(states[view], int(state.seat))
            action = choose(states[view], box, weights, scratch, values)
        else:
            action = int(scratch.actions[random_below(stream, legal_actions(state, box, scratch.actions))])
        play_action(state, box, action, stream)


@jit
def _play_trial(
    layers: Layers,
    workspace: Workspace,
    states: Any,
    streams: Array,
    box: Box,
    weights: Weights,
    scratch: Scratch,
    values: Array,
    rows: Array,
    players: int,
    is_greedy: bool,
    seed: int,
    first: int,
) -> float:
    """Play `len(streams)` games; deal number n is played by the network from every seat in turn."""
    games = len(streams)
    for game in range(games):
        seed_stream(streams[game], seed, (first + game) // players)
        deal(states[game], box, players, 0, 1, streams[game])
    going = games
    while going > 0:
        going = 0
        for game in range(games):
            own = (first + game) % players
            _play_opponents(states, game, own, box, weights, scratch, values, is_greedy, streams[game])
            if states[game].phase != OVER:
                observe(states[game], box, own, workspace.features[going])
                rows[going] = game
                going += 1
        if going > 0:
            evaluate(layers, workspace, going)
        for row in range(going):
            game = rows[row]
            count = legal_actions_in_view(states[game], box, scratch.actions)
            action = best_action(workspace.outputs[row], scratch.actions, count)
            play_action(states[game], box, action, streams[game])
    won = 0.0
    for game in range(games):
        outcome_values(states[game], box, values[0])
        won += values[0, (first + game) % players]
    return won


def win_share(network: Network, opponent: str, games: int, seed: int) -> float:
    """The share of games that the bare policy wins against opponents of one kind, from all seats alike."""
    if opponent not in OPPONENTS:
        raise ValueError(f"expected an opponent of {', '.join(OPPONENTS)}, got {opponent!r}")
    won = 0.0
    for first in range(0, games, LOCKSTEP):
        count = min(LOCKSTEP, games - first)
        won += _play_trial(
            network.layers,
            network.new_workspace(LOCKSTEP),
            new_states(count + 1),
            np.zeros((count, STREAM_WORDS), STREAM_DTYPE),
            BOXES[network.variant],
            greedy_weights(network.variant),
            new_scratch(),
            np.zeros((ACTIONS, SEATS)),
            np.zeros(LOCKSTEP, np.int64),
            network.players,
            opponent == "greedy",
            seed,
            first,
        )
    return won / games


def trial(variant: int, players: int, matrices: list[tuple[Array, Array]], games: int, seed: int) -> dict[str, float]:
    """The win shares of layers against each opponent."""
    network = from_matrices(variant, players, matrices, {})
    return {opponent: win_share(network, opponent, games, seed) for opponent in OPPONENTS}
