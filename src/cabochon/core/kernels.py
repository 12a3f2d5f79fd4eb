"""The rules inside CUDA kernels: the functions of the core, called as they are.

Importing this module needs `numba-cuda` (the extra `cabochon[cuda]`) but no GPU: the kernels also compile
to PTX without one, and run in numba's simulator (`NUMBA_ENABLE_CUDASIM=1` with `NUMBA_DISABLE_JIT=1`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

for _removed, _successor in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _removed):  # numba-cuda 0.30 asks for names that NumPy 2.5 no longer has
        setattr(np, _removed, getattr(np, _successor))

from numba import cuda as cuda  # noqa: E402  # for others too, with the names above in place
from numba import types  # noqa: E402

from cabochon.core.box import BOX_ARRAYS, BOX_DTYPE  # noqa: E402
from cabochon.core.lockstep import CHOICES, random_legal, start_game, step_game  # noqa: E402
from cabochon.core.observation import observe  # noqa: E402
from cabochon.core.playout import random_step  # noqa: E402
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream  # noqa: E402
from cabochon.core.rules import begin, deal, legal_actions, legal_mask, play_action  # noqa: E402
from cabochon.core.state import ACTIONS, OVER, STATE_DTYPE, Array  # noqa: E402

BLOCK = 128  # threads
BYTE = np.dtype(np.int8)
WORD = np.dtype(np.int32)


def play_games_kernel(
    boxes: Array,
    final: Array,
    moves: Array,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    games: int,
) -> None:
    """Each thread plays the random games number thread, thread + threads, ... of the seed.

    `final` [threads] receives the last state of each, `moves` [threads] the number of its actions: the
    same as from `playout.play_games`. The loop is flat, and dealing a card is a step like another, so
    that a thread that begins a game does not hold up its neighbours.
    """
    shared_boxes = cuda.shared.array(1, BOX_DTYPE)
    if cuda.threadIdx.x == 0:
        shared_boxes[0] = boxes[0]
    cuda.syncthreads()
    box = shared_boxes[0]

    thread = cuda.grid(1)
    if thread < final.shape[0]:
        states = cuda.local.array(1, STATE_DTYPE)
        actions = cuda.local.array(ACTIONS, np.int8)
        stream = cuda.local.array(STREAM_WORDS, STREAM_DTYPE)
        state = states[0]
        state.phase = OVER
        made = 0
        begun = 0
        while begun < games or state.phase != OVER:
            if state.phase == OVER:
                seed_stream(stream, seed, thread + begun * final.shape[0])
                begin(state, box, players, free_take, automatic_payment)
                begun += 1
            made += random_step(state, box, actions, stream)
        moves[thread] = made
        final[thread] = state


def deal_kernel(
    boxes: Array,
    states: Array,
    streams: Array,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
) -> None:
    """Deal `states` [games], game number i from the stream number i of the seed."""
    game = cuda.grid(1)
    if game < states.shape[0]:
        seed_stream(streams[game], seed, game)
        deal(states[game], boxes[0], players, free_take, automatic_payment, streams[game])


def step_kernel(boxes: Array, states: Array, streams: Array, chosen: Array, legal: Array, counts: Array) -> None:
    """Take the action `chosen` [games] in every game that is not over, all in lockstep.

    Then list what is legal next in `legal` [games, ACTIONS], the first `counts` [games] of each row.
    """
    game = cuda.grid(1)
    if game < states.shape[0]:
        state = states[game]
        if state.phase != OVER:
            play_action(state, boxes[0], int(chosen[game]), streams[game])
        counts[game] = legal_actions(state, boxes[0], legal[game])


def random_step_kernel(boxes: Array, states: Array, streams: Array, moves: Array) -> None:
    """One random legal action, and its reveal, in every game that is not over; counted in `moves` [games]."""
    game = cuda.grid(1)
    if game < states.shape[0]:
        actions = cuda.local.array(ACTIONS, np.int8)
        if states[game].phase != OVER:
            moves[game] += random_step(states[game], boxes[0], actions, streams[game])


# The kernels of a batch do what the functions of the same name in `core.lockstep` do.


def start_games_kernel(
    boxes: Array,
    states: Array,
    streams: Array,
    choices: Array,
    seeds: Array,
    episodes: Array,
    seats: Array,
    masks: Array,
    dones: Array,
    players: int,
    free_take: int,
    automatic_payment: int,
) -> None:
    """Deal every game, and say who decides and what is legal."""
    game = cuda.grid(1)
    if game < states.shape[0]:
        scratch = cuda.local.array(ACTIONS, np.int8)
        box = boxes[0]
        seed_stream(choices[game], int(seeds[game]), CHOICES)
        start_game(states, box, streams, seeds, episodes, players, free_take, automatic_payment, game)
        legal_mask(states[game], box, masks[game], scratch)
        seats[game] = states[game].seat
        dones[game] = False


def step_games_kernel(
    boxes: Array,
    states: Array,
    streams: Array,
    seeds: Array,
    episodes: Array,
    actions: Array,
    seats: Array,
    masks: Array,
    dones: Array,
    values: Array,
    places: Array,
    refusals: Array,
    restart: int,
) -> None:
    """Take the action of every game that is not over.

    A game whose action is not legal stays as it is, and is counted in `refusals` [1].
    """
    game = cuda.grid(1)
    if game < states.shape[0] and states[game].phase != OVER:
        scratch = cuda.local.array(ACTIONS, np.int8)
        box = boxes[0]
        action = int(actions[game])
        if 0 <= action < ACTIONS and masks[game, action]:
            step_game(states, box, streams, seeds, episodes, dones, values, places, restart, game, action)
            legal_mask(states[game], box, masks[game], scratch)
            seats[game] = states[game].seat
        else:
            dones[game] = False
            cuda.atomic.add(refusals, 0, 1)


def sample_games_kernel(masks: Array, choices: Array, actions: Array) -> None:
    """A random legal action for every game."""
    game = cuda.grid(1)
    if game < masks.shape[0]:
        actions[game] = random_legal(masks[game], choices[game])


# A thread writes its row byte by byte, which memory takes slowly unless neighbours write side by side. So the rows
# of a block are made in shared memory, `stride` bytes apart, and then copied out by all threads together.


def observe_games_kernel(boxes: Array, states: Array, seats: Array, words: Array, stride: int) -> None:
    """The rows of what the seat of each game knows, four int8 to a word: `words` [games, features // 4]."""
    tile = cuda.shared.array(0, BYTE)
    tile_words = cuda.shared.array(0, WORD)  # the same memory
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x
    if first + thread < states.shape[0]:
        start = thread * stride
        observe(states[first + thread], boxes[0], int(seats[first + thread]), tile[start : start + stride])
    cuda.syncthreads()
    for row in range(min(cuda.blockDim.x, states.shape[0] - first)):
        for word in range(thread, words.shape[1], cuda.blockDim.x):
            words[first + row, word] = tile_words[row * (stride // 4) + word]


def observe_games_scaled_kernel(
    boxes: Array, states: Array, seats: Array, observations: Array, scales: Array, stride: int
) -> None:
    """The same as float32, each feature multiplied by its scale: `observations` [games, features]."""
    tile = cuda.shared.array(0, BYTE)
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x
    if first + thread < states.shape[0]:
        start = thread * stride
        observe(states[first + thread], boxes[0], int(seats[first + thread]), tile[start : start + stride])
    cuda.syncthreads()
    for feature in range(thread, observations.shape[1], cuda.blockDim.x):
        scale = scales[feature]
        for row in range(min(cuda.blockDim.x, states.shape[0] - first)):
            observations[first + row, feature] = tile[row * stride + feature] * scale


KERNELS: tuple[Callable[..., None], ...] = (
    play_games_kernel,
    deal_kernel,
    step_kernel,
    random_step_kernel,
    start_games_kernel,
    step_games_kernel,
    sample_games_kernel,
    observe_games_kernel,
    observe_games_scaled_kernel,
)
_compiled: dict[str, Any] = {}


def launch(
    kernel: Callable[..., None],
    threads: int,
    *arguments: Any,
    block: int = BLOCK,
    stream: Any = 0,
    shared_bytes: int = 0,
) -> None:
    """Run a kernel on the current GPU, one thread a game, compiled at its first launch."""
    if kernel.__name__ not in _compiled:
        _compiled[kernel.__name__] = cuda.jit(kernel)
    _compiled[kernel.__name__][-(-threads // block), block, stream, shared_bytes](*arguments)


def _signature(kernel: Callable[..., None]) -> tuple[Any, ...]:
    from numba.cuda.np.numpy_support import from_dtype

    by_name = {
        "boxes": from_dtype(BOX_DTYPE)[::1],
        "final": from_dtype(STATE_DTYPE)[::1],
        "states": from_dtype(STATE_DTYPE)[::1],
        "streams": types.int64[:, ::1],
        "choices": types.int64[:, ::1],
        "seeds": types.int64[::1],
        "episodes": types.int64[::1],
        "refusals": types.int64[::1],
        "moves": types.int64[::1],
        "actions": types.int64[::1],
        "chosen": types.int8[::1],
        "legal": types.int8[:, ::1],
        "counts": types.int8[::1],
        "seats": types.int8[::1],
        "masks": types.boolean[:, ::1],
        "dones": types.boolean[::1],
        "values": types.float32[:, ::1],
        "places": types.int8[:, ::1],
        "words": types.int32[:, ::1],
        "observations": types.float32[:, ::1],
        "scales": types.float32[::1],
    }
    return tuple(by_name.get(name, types.int64) for name in kernel.__annotations__ if name != "return")


def to_ptx(kernel: Callable[..., None], compute_capability: tuple[int, int]) -> str:
    """Compile a kernel to PTX for a GPU that need not be there."""
    from numba.cuda import dispatcher

    asked = dispatcher.get_current_device  # numba-cuda asks the driver even where the target is named
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=compute_capability)
    try:
        ptx, _ = cuda.compile_ptx(kernel, _signature(kernel), cc=compute_capability)
    finally:
        dispatcher.get_current_device = asked
    return str(ptx)


def play_games_on_gpu(
    variant: int,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    threads: int,
    games: int,
) -> tuple[Array, Array]:
    """Play `threads * games` random games; the last state and the number of moves of each thread."""
    boxes = cuda.to_device(np.array(BOX_ARRAYS[variant]))
    final = cuda.device_array(threads, STATE_DTYPE)
    moves = cuda.device_array(threads, np.int64)
    options = (players, free_take, automatic_payment, seed, games)
    launch(play_games_kernel, threads, boxes, final, moves, *options)
    return final.copy_to_host(), moves.copy_to_host()
