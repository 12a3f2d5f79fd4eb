"""The rules inside CUDA kernels: the functions of the core, called as they are.

Importing this module needs `numba-cuda` (the extra `cabochon[cuda]`) but no GPU: the kernels also compile
to PTX without one, and run in numba's simulator (`NUMBA_ENABLE_CUDASIM=1` with `NUMBA_DISABLE_JIT=1`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

for _removed, _successor in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _removed):  # numba-cuda 0.30 asks for names that NumPy 2.5 no longer has
        setattr(np, _removed, getattr(np, _successor))

from numba import config, types  # noqa: E402
from numba import cuda as cuda  # noqa: E402  # for others too, with the names above in place

from cabochon.core.canonical import canonicalize  # noqa: E402
from cabochon.core.compilation import jit  # noqa: E402
from cabochon.core.components import COMPONENT_ARRAYS, COMPONENTS_DTYPE, ComponentsArray  # noqa: E402
from cabochon.core.lockstep import CHOICES, random_legal, start_game, step_game  # noqa: E402
from cabochon.core.observation import observe_part  # noqa: E402
from cabochon.core.playout import random_step  # noqa: E402
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream  # noqa: E402
from cabochon.core.rules import begin, legal_mask  # noqa: E402
from cabochon.core.state import ACTIONS, OVER, STATE_DTYPE, BoolArray, FloatArray, IntArray, StateArray  # noqa: E402

BLOCK = 128  # threads
WARP = 32  # threads that run together
BYTE = np.dtype(np.int8)
PAIR = np.dtype(np.int16)
WORD = np.dtype(np.int32)


def play_games_kernel(
    component_arrays: ComponentsArray,
    final: StateArray,
    moves: IntArray,
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
    shared_components = cuda.shared.array(1, COMPONENTS_DTYPE)
    if cuda.threadIdx.x == 0:
        shared_components[0] = component_arrays[0]
    cuda.syncthreads()
    components = shared_components[0]

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
                begin(state, components, players, free_take, automatic_payment)
                begun += 1
            made += random_step(state, components, actions, stream)
        moves[thread] = made
        final[thread] = state


# The kernels of a batch do what the functions of the same name in `core.lockstep` do. What is costly on a GPU is that
# neighbours read or write single bytes far apart. So the states of a block, and the rows it writes, pass through shared
# memory, where neighbours copy word after word together; and each thread works on a state in local memory, which the
# GPU lays out so that the same field of neighbours is side by side.

STATE_WORDS = STATE_DTYPE.itemsize // WORD.itemsize
STATE_STRIDE = STATE_WORDS | 1  # words; an odd number, so that neighbours reach different banks of shared memory


def stride_of(features: int) -> int:
    """How far apart the rows of observations lie in shared memory, in bytes: an odd number of words too."""
    return (features // WORD.itemsize | 1) * WORD.itemsize


def step_shared_bytes() -> int:
    """The shared memory of a block that steps: its states and its masks."""
    return BLOCK * (STATE_STRIDE * WORD.itemsize + ACTIONS)


def observe_shared_bytes(features: int) -> int:
    """The shared memory of a block that observes: its states and its observations."""
    return WARP * (STATE_STRIDE * WORD.itemsize + stride_of(features))


@jit
def _bring(state_words: IntArray, first: int, tile: IntArray, rows: int, thread: int, threads: int) -> None:
    """Copy the states first..first+rows-1 to shared memory, all threads of the block together."""
    for index in range(thread, rows * STATE_WORDS, threads):
        tile[index // STATE_WORDS * STATE_STRIDE + index % STATE_WORDS] = state_words[first * STATE_WORDS + index]


@jit
def _take_back(state_words: IntArray, first: int, tile: IntArray, rows: int, thread: int, threads: int) -> None:
    """Copy the states back from shared memory."""
    for index in range(thread, rows * STATE_WORDS, threads):
        state_words[first * STATE_WORDS + index] = tile[index // STATE_WORDS * STATE_STRIDE + index % STATE_WORDS]


def start_games_kernel(
    component_arrays: ComponentsArray,
    states: StateArray,
    streams: IntArray,
    choices: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    seats: IntArray,
    masks: BoolArray,
    dones: BoolArray,
    players: int,
    free_take: int,
    automatic_payment: int,
    arranged: int,
) -> None:
    """Deal every game, and say who decides and what is legal."""
    game = cuda.grid(1)
    if game < states.shape[0]:
        scratch = cuda.local.array(ACTIONS, np.int8)
        state = states[game]
        seed, episode = int(seeds[game]), int(episodes[game])
        seed_stream(choices[game], seed, CHOICES)
        start_game(state, component_arrays[0], streams[game], seed, episode, players, free_take, automatic_payment)
        if arranged != 0:
            canonicalize(state)
        legal_mask(state, component_arrays[0], masks[game], scratch)
        seats[game] = state.seat
        dones[game] = False


def step_games_kernel(
    component_arrays: ComponentsArray,
    state_words: IntArray,
    streams: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    actions: IntArray,
    seats: IntArray,
    masks: BoolArray,
    mask_pairs: IntArray,
    dones: BoolArray,
    values: FloatArray,
    places: IntArray,
    refusals: IntArray,
    restart: int,
    arranged: int,
) -> None:
    """Take the action of every game that is not over.

    `state_words` are the states as words, `mask_pairs` the masks as two bytes each. A game whose action is not legal
    stays as it is, and is counted in `refusals` [1].
    """
    tile_words = cuda.shared.array(0, WORD)
    tile = cuda.shared.array(0, BYTE)  # the same memory, as is the next
    tile_pairs = cuda.shared.array(0, PAIR)
    masks_at = BLOCK * STATE_STRIDE * 4
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * BLOCK
    game = first + thread
    rows = min(BLOCK, seats.shape[0] - first)

    _bring(state_words, first, tile_words, rows, thread, BLOCK)
    cuda.syncthreads()
    if thread < rows:
        local = cuda.local.array(1, STATE_DTYPE)
        local_words = local.view(WORD)
        scratch = cuda.local.array(ACTIONS, np.int8)
        for word in range(STATE_WORDS):
            local_words[word] = tile_words[thread * STATE_STRIDE + word]
        state = local[0]
        action = int(actions[game])
        if state.phase != OVER:
            if 0 <= action < ACTIONS and masks[game, action]:
                step_game(
                    state, component_arrays[0], streams, seeds, episodes, dones, values, places, restart, game, action
                )
                if arranged != 0:
                    canonicalize(state)
                seats[game] = state.seat
            else:
                dones[game] = False
                cuda.atomic.add(refusals, 0, 1)
        start = masks_at + thread * ACTIONS
        legal_mask(state, component_arrays[0], tile[start : start + ACTIONS], scratch)
        for word in range(STATE_WORDS):
            tile_words[thread * STATE_STRIDE + word] = local_words[word]
    cuda.syncthreads()
    _take_back(state_words, first, tile_words, rows, thread, BLOCK)
    for pair in range(thread, rows * ACTIONS // 2, BLOCK):
        mask_pairs[first * ACTIONS // 2 + pair] = tile_pairs[masks_at // 2 + pair]


def sample_games_kernel(masks: BoolArray, choices: IntArray, actions: IntArray) -> None:
    """A random legal action for every game."""
    game = cuda.grid(1)
    if game < masks.shape[0]:
        actions[game] = random_legal(masks[game], choices[game])


# A block observes WARP games, and each of its warps writes one part of their rows.


def observe_games_kernel(
    component_arrays: ComponentsArray, state_words: IntArray, seats: IntArray, words: IntArray
) -> None:
    """The rows of what the seat of each game knows, four int8 to a word: `words` [games, features // 4]."""
    tile_words = cuda.shared.array(0, WORD)
    tile = cuda.shared.array(0, BYTE)  # the same memory
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * WARP
    lane = thread % WARP
    rows = min(WARP, seats.shape[0] - first)
    rows_at = WARP * STATE_STRIDE
    stride = words.shape[1] | 1

    _bring(state_words, first, tile_words, rows, thread, cuda.blockDim.x)
    cuda.syncthreads()
    if lane < rows:
        local = cuda.local.array(1, STATE_DTYPE)
        local_words = local.view(WORD)
        for word in range(STATE_WORDS):
            local_words[word] = tile_words[lane * STATE_STRIDE + word]
        start = (rows_at + lane * stride) * 4
        observe_part(
            local[0], component_arrays[0], int(seats[first + lane]), tile[start : start + stride * 4], thread // WARP
        )
    cuda.syncthreads()
    for row in range(rows):
        for word in range(thread, words.shape[1], cuda.blockDim.x):
            words[first + row, word] = tile_words[rows_at + row * stride + word]


def observe_games_scaled_kernel(
    component_arrays: ComponentsArray,
    state_words: IntArray,
    seats: IntArray,
    observations: FloatArray,
    scales: FloatArray,
) -> None:
    """The same as float32, each feature multiplied by its scale: `observations` [games, features]."""
    tile_words = cuda.shared.array(0, WORD)
    tile = cuda.shared.array(0, BYTE)  # the same memory
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * WARP
    lane = thread % WARP
    rows = min(WARP, seats.shape[0] - first)
    rows_at = WARP * STATE_STRIDE * 4
    stride = (observations.shape[1] // 4 | 1) * 4

    _bring(state_words, first, tile_words, rows, thread, cuda.blockDim.x)
    cuda.syncthreads()
    if lane < rows:
        local = cuda.local.array(1, STATE_DTYPE)
        local_words = local.view(WORD)
        for word in range(STATE_WORDS):
            local_words[word] = tile_words[lane * STATE_STRIDE + word]
        start = rows_at + lane * stride
        observe_part(
            local[0], component_arrays[0], int(seats[first + lane]), tile[start : start + stride], thread // WARP
        )
    cuda.syncthreads()
    for feature in range(thread, observations.shape[1], cuda.blockDim.x):
        scale = scales[feature]
        for row in range(rows):
            observations[first + row, feature] = tile[rows_at + row * stride + feature] * scale


KERNELS: tuple[Callable[..., None], ...] = (
    play_games_kernel,
    start_games_kernel,
    step_games_kernel,
    sample_games_kernel,
    observe_games_kernel,
    observe_games_scaled_kernel,
)
_compiled: dict[str, Any] = {}


def launch(
    kernel: Callable[..., None],
    games: int,
    *arguments: Any,
    block: int = BLOCK,
    games_in_block: int = BLOCK,
    stream: Any = 0,
    shared_bytes: int = 0,
) -> None:
    """Run a kernel on the current GPU over so many games, compiled at its first launch."""
    if kernel.__name__ not in _compiled:
        _compiled[kernel.__name__] = cuda.jit(kernel)
    with without_advice():
        configured = _compiled[kernel.__name__][-(-games // games_in_block), block, stream, shared_bytes]
    configured(*arguments)


@contextlib.contextmanager
def without_advice() -> Iterator[None]:
    """Numba warns of launches that are too small for a GPU; a small batch is as good as a large one here."""
    before = config.CUDA_LOW_OCCUPANCY_WARNINGS
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    try:
        yield
    finally:
        config.CUDA_LOW_OCCUPANCY_WARNINGS = before


def _signature(kernel: Callable[..., None]) -> tuple[Any, ...]:
    from numba.cuda.np.numpy_support import from_dtype

    by_name = {
        "component_arrays": from_dtype(COMPONENTS_DTYPE)[::1],
        "final": from_dtype(STATE_DTYPE)[::1],
        "states": from_dtype(STATE_DTYPE)[::1],
        "state_words": types.int32[::1],
        "streams": types.int64[:, ::1],
        "choices": types.int64[:, ::1],
        "seeds": types.int64[::1],
        "episodes": types.int64[::1],
        "refusals": types.int64[::1],
        "moves": types.int64[::1],
        "actions": types.int64[::1],
        "seats": types.int8[::1],
        "masks": types.boolean[:, ::1],
        "mask_pairs": types.int16[::1],
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
) -> tuple[StateArray, IntArray]:
    """Play `threads * games` random games; the last state and the number of moves of each thread."""
    component_arrays = cuda.to_device(np.array(COMPONENT_ARRAYS[variant]))
    final = cuda.device_array(threads, STATE_DTYPE)
    moves = cuda.device_array(threads, np.int64)
    options = (players, free_take, automatic_payment, seed, games)
    launch(play_games_kernel, threads, component_arrays, final, moves, *options)
    return final.copy_to_host(), moves.copy_to_host()
