"""Playouts: whole games of uniformly random legal actions, on the CPU."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.rules import carry_out, deal, legal_actions, random_reveal, settle, turn_up
from cabochon.core.state import ACTIONS, OVER, REVEAL, STATE_DTYPE, IntArray, State

CACHE_LINES = 1 << 12  # bytes: more than any processor fetches at once


class Buffers(NamedTuple):
    """The memory in which a thread plays random games."""

    state: State
    actions: IntArray  # [ACTIONS]
    stream: IntArray  # [STREAM_WORDS]


def processors() -> int:
    """Return the number of CPU cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_buffers() -> Buffers:
    """Return buffers that share no cache line with others.

    Threads that write to neighbouring bytes wait for each other's cache lines, which halves the speed on 16 cores.
    """
    block = np.zeros(5 * CACHE_LINES, dtype=np.uint8)
    start = -block.ctypes.data % CACHE_LINES
    state, actions, stream = (block[start + n * CACHE_LINES :] for n in (1, 2, 3))
    return Buffers(
        state[: STATE_DTYPE.itemsize].view(STATE_DTYPE)[0],
        actions[:ACTIONS].view(np.int8),
        stream[: STREAM_WORDS * STREAM_DTYPE.itemsize].view(STREAM_DTYPE),
    )


@jit
def random_step(state: State, components: Components, actions: IntArray, stream: IntArray) -> int:
    """Take a random action if a seat decides, then reveal a random outcome if one is due.

    Return the number of actions, 0 or 1. `actions` [ACTIONS] is scratch.
    """
    moves = 0
    if state.phase != REVEAL:
        count = legal_actions(state, components, actions)
        carry_out(state, components, int(actions[random_below(stream, count)]))
        moves = 1
    if state.phase == REVEAL:
        turn_up(state, components, random_reveal(state, components, stream))
    settle(state, components)
    return moves


@jit
def play_games(
    state: State,
    components: Components,
    actions: IntArray,
    stream: IntArray,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    first: int,
    stride: int,
    games: int,
) -> int:
    """Play the random games with the numbers first, first + stride, ... of the seed; return the number of actions.

    Each game has its own stream, so it does not depend on which other games are played.
    """
    moves = 0
    for game in range(games):
        seed_stream(stream, seed, first + game * stride)
        deal(state, components, players, free_take, automatic_payment, stream)
        while state.phase != OVER:
            moves += random_step(state, components, actions, stream)
    return moves
