"""CUDA kernels that call the functions of the core as they are.

Importing this module needs `numba-cuda` (the extra `cabochon[cuda]`) but no GPU: without one the kernels compile to PTX
and run in numba's simulator (`NUMBA_ENABLE_CUDASIM=1` with `NUMBA_DISABLE_JIT=1`).
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import config, types

from cabochon.core.canonical import canonicalize
from cabochon.core.compilation import jit, temporarily
from cabochon.core.components import COMPONENT_ARRAYS, COMPONENTS_DTYPE, ComponentsArray
from cabochon.core.lockstep import BatchArrays, BatchSettings, sample_legal_action, start_game, step_game
from cabochon.core.observation import observe_part
from cabochon.core.playout import random_step
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import begin, legal_mask
from cabochon.core.state import ACTIONS, OVER, STATE_DTYPE, BoolArray, FloatArray, IntArray, StateArray

REMOVED_FROM_NUMPY = {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}  # in 2.5; old name: successor

_missing_names = [name for name in REMOVED_FROM_NUMPY if not hasattr(np, name)]
for _name in _missing_names:  # numba-cuda 0.30 looks them up when it is imported
    setattr(np, _name, getattr(np, REMOVED_FROM_NUMPY[_name]))
try:
    from numba import cuda as cuda  # others import it from here

    if not config.ENABLE_CUDASIM:  # numba-cuda would import these at the first compilation
        for _name in ("arrayobj", "arraymath"):
            importlib.import_module(f"numba.cuda.np.{_name}")
finally:
    for _name in _missing_names:
        delattr(np, _name)

BLOCK = 128  # threads
WARP = 32  # threads that run together
BYTE = np.dtype(np.int8)
PAIR = np.dtype(np.int16)
WORD = np.dtype(np.int32)


def play_games_kernel(
    components: ComponentsArray,
    final: StateArray,
    moves: IntArray,
    players: int,
    free_take: int,
    automatic_payment: int,
    seed: int,
    games: int,
) -> None:
    """Play the random games with the numbers thread, thread + threads, ... of the seed in each thread.

    `final` [threads] receives the last state of each thread and `moves` [threads] the number of its actions, the same
    as from `playout.play_games`. Dealing a card is a step of the one loop like any other, so that a thread that begins
    a game does not hold up its neighbours.
    """
    shared_components = cuda.shared.array(1, COMPONENTS_DTYPE)
    if cuda.threadIdx.x == 0:
        shared_components[0] = components[0]
    cuda.syncthreads()

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
                begin(state, shared_components[0], players, free_take, automatic_payment)
                begun += 1
            made += random_step(state, shared_components[0], actions, stream)
        moves[thread] = made
        final[thread] = state


# The kernels of a batch do what the functions of the same name in `core.lockstep` do. On a GPU it is expensive when
# neighbouring threads access single bytes that are far apart. So the states of a block, and the rows it writes, go
# through shared memory, to which neighbours copy consecutive words together. Each thread then works on a state in local
# memory, where the GPU puts the same field of neighbouring threads side by side.

STATE_WORDS = STATE_DTYPE.itemsize // WORD.itemsize
STATE_STRIDE = STATE_WORDS | 1  # words; odd, so that neighbours access different banks of shared memory
ROWS_AT = WARP * STATE_STRIDE  # words: where the observation rows of a block begin
STEP_SHARED_BYTES = BLOCK * (STATE_STRIDE * WORD.itemsize + ACTIONS)  # of a block: its states and masks


@jit
def row_stride(features: int) -> int:
    """Return the distance of two observation rows in shared memory in bytes: an odd number of words too."""
    return (features // 4 | 1) * 4


def observe_shared_bytes(features: int) -> int:
    """Return the shared memory of a block of `observe_games_kernel`: its states and observations."""
    return WARP * (STATE_STRIDE * WORD.itemsize + row_stride(features))


@jit
def _load_states(state_words: IntArray, first: int, tile: IntArray, rows: int, thread: int, threads: int) -> None:
    """Copy the states from `first` to `first + rows - 1` to shared memory, all threads of the block together."""
    for index in range(thread, rows * STATE_WORDS, threads):
        tile[index // STATE_WORDS * STATE_STRIDE + index % STATE_WORDS] = state_words[first * STATE_WORDS + index]


@jit
def _store_states(state_words: IntArray, first: int, tile: IntArray, rows: int, thread: int, threads: int) -> None:
    """Copy the states back from shared memory, all threads of the block together."""
    for index in range(thread, rows * STATE_WORDS, threads):
        state_words[first * STATE_WORDS + index] = tile[index // STATE_WORDS * STATE_STRIDE + index % STATE_WORDS]


def start_games_kernel(arrays: BatchArrays, settings: BatchSettings, components: ComponentsArray) -> None:
    """Deal every game and write who decides and what is legal."""
    game = cuda.grid(1)
    if game < arrays[0].shape[0]:
        scratch = cuda.local.array(ACTIONS, np.int8)
        start_game(arrays, settings, components[0], scratch, game)


def step_games_kernel(
    arrays: BatchArrays,
    settings: BatchSettings,
    components: ComponentsArray,
    state_words: IntArray,
    mask_pairs: IntArray,
    actions: IntArray,
    refusals: IntArray,
) -> None:
    """Take the action of every game that is not over.

    `state_words` is the memory of the states as int32, `mask_pairs` that of the masks as int16. A game whose action is
    illegal stays as it is and is counted in `refusals` [1].
    """
    _, streams, _, seeds, episodes, seats, masks, dones, values, places = arrays
    _, _, _, restart, canonical = settings
    tile_words = cuda.shared.array(0, WORD)
    tile = cuda.shared.array(0, BYTE)  # the same memory, like the next one
    tile_pairs = cuda.shared.array(0, PAIR)
    masks_at = BLOCK * STATE_STRIDE * 4
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * BLOCK
    game = first + thread
    rows = min(BLOCK, seats.shape[0] - first)

    _load_states(state_words, first, tile_words, rows, thread, BLOCK)
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
                step_game(state, components[0], streams, seeds, episodes, dones, values, places, restart, game, action)
                if canonical != 0:
                    canonicalize(state)
                seats[game] = state.seat
            else:
                dones[game] = False
                cuda.atomic.add(refusals, 0, 1)
        start = masks_at + thread * ACTIONS
        legal_mask(state, components[0], tile[start : start + ACTIONS], scratch)
        for word in range(STATE_WORDS):
            tile_words[thread * STATE_STRIDE + word] = local_words[word]
    cuda.syncthreads()
    _store_states(state_words, first, tile_words, rows, thread, BLOCK)
    for pair in range(thread, rows * ACTIONS // 2, BLOCK):
        mask_pairs[first * ACTIONS // 2 + pair] = tile_pairs[masks_at // 2 + pair]


def sample_games_kernel(masks: BoolArray, choices: IntArray, actions: IntArray) -> None:
    """Sample a legal action for every game."""
    game = cuda.grid(1)
    if game < masks.shape[0]:
        actions[game] = sample_legal_action(masks[game], choices[game])


@jit
def _observe_rows(components: ComponentsArray, state_words: IntArray, seats: IntArray, stride: int) -> int:
    """Observe the WARP games of the block; return how many there are.

    Each warp writes one part of every row. The rows lie in shared memory after the states, `stride` bytes apart.
    """
    tile_words = cuda.shared.array(0, WORD)
    tile = cuda.shared.array(0, BYTE)  # the same memory
    thread = cuda.threadIdx.x
    first = cuda.blockIdx.x * WARP
    lane = thread % WARP
    rows: int = min(WARP, seats.shape[0] - first)

    _load_states(state_words, first, tile_words, rows, thread, cuda.blockDim.x)
    cuda.syncthreads()
    if lane < rows:
        local = cuda.local.array(1, STATE_DTYPE)
        local_words = local.view(WORD)
        for word in range(STATE_WORDS):
            local_words[word] = tile_words[lane * STATE_STRIDE + word]
        row = ROWS_AT * 4 + lane * stride
        observe_part(local[0], components[0], int(seats[first + lane]), tile[row : row + stride], thread // WARP)
    cuda.syncthreads()
    return rows


def observe_games_kernel(components: ComponentsArray, state_words: IntArray, seats: IntArray, words: IntArray) -> None:
    """Write what the seat of each game knows, as int8 rows: `words` [games, features // 4] is their memory as int32."""
    stride = words.shape[1] | 1
    rows = _observe_rows(components, state_words, seats, stride * 4)
    tile_words = cuda.shared.array(0, WORD)
    first = cuda.blockIdx.x * WARP
    for row in range(rows):
        for word in range(cuda.threadIdx.x, words.shape[1], cuda.blockDim.x):
            words[first + row, word] = tile_words[ROWS_AT + row * stride + word]


def observe_games_scaled_kernel(
    components: ComponentsArray, state_words: IntArray, seats: IntArray, observations: FloatArray, scales: FloatArray
) -> None:
    """Write the same as float32, each feature multiplied by its scale: `observations` [games, features]."""
    stride = row_stride(observations.shape[1])
    rows = _observe_rows(components, state_words, seats, stride)
    tile = cuda.shared.array(0, BYTE)
    first = cuda.blockIdx.x * WARP
    for feature in range(cuda.threadIdx.x, observations.shape[1], cuda.blockDim.x):
        scale = scales[feature]
        for row in range(rows):
            observations[first + row, feature] = tile[ROWS_AT * 4 + row * stride + feature] * scale


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
    """Run a kernel for so many games on the current GPU; the first launch compiles it."""
    if kernel.__name__ not in _compiled:
        _compiled[kernel.__name__] = cuda.jit(kernel)
    with without_occupancy_warnings():
        configured = _compiled[kernel.__name__][-(-games // games_in_block), block, stream, shared_bytes]
    configured(*arguments)


def without_occupancy_warnings() -> contextlib.AbstractContextManager[None]:
    """Silence numba's warnings about launches that are too small to fill the GPU: small batches are fine."""
    return temporarily(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)


def _signature(kernel: Callable[..., None]) -> tuple[Any, ...]:
    from numba.cuda.np.numpy_support import from_dtype

    batch = {
        "states": from_dtype(STATE_DTYPE)[::1],
        "streams": types.int64[:, ::1],
        "choices": types.int64[:, ::1],
        "seeds": types.int64[::1],
        "episodes": types.int64[::1],
        "seats": types.int8[::1],
        "masks": types.boolean[:, ::1],
        "dones": types.boolean[::1],
        "values": types.float32[:, ::1],
        "places": types.int8[:, ::1],
    }
    by_name = batch | {
        "arrays": types.Tuple(tuple(batch.values())),
        "settings": types.UniTuple(types.int64, len(BatchSettings._fields)),
        "components": from_dtype(COMPONENTS_DTYPE)[::1],
        "final": batch["states"],
        "state_words": types.int32[::1],
        "refusals": types.int64[::1],
        "moves": types.int64[::1],
        "actions": types.int64[::1],
        "mask_pairs": types.int16[::1],
        "words": types.int32[:, ::1],
        "observations": types.float32[:, ::1],
        "scales": types.float32[::1],
    }
    return tuple(by_name.get(name, types.int64) for name in kernel.__annotations__ if name != "return")


def compile_to_ptx(kernel: Callable[..., None], compute_capability: tuple[int, int]) -> str:
    """Compile a kernel to PTX; this needs no GPU."""
    from numba.cuda import dispatcher

    device = SimpleNamespace(compute_capability=compute_capability)
    with temporarily(dispatcher, "get_current_device", lambda: device):  # numba-cuda asks the driver even with `cc`
        ptx, _ = cuda.compile_ptx(kernel, _signature(kernel), cc=compute_capability, opt=False)  # twice as quick
    return str(ptx)


def play_games_on_gpu(
    variant: int, players: int, free_take: int, automatic_payment: int, seed: int, threads: int, games: int
) -> tuple[StateArray, IntArray]:
    """Play `threads * games` random games; return the last state and the number of actions of each thread."""
    components = cuda.to_device(np.array(COMPONENT_ARRAYS[variant]))
    final = cuda.device_array(threads, STATE_DTYPE)
    moves = cuda.device_array(threads, np.int64)
    options = (players, free_take, automatic_payment, seed, games)
    launch(play_games_kernel, threads, components, final, moves, *options)
    return final.copy_to_host(), moves.copy_to_host()
