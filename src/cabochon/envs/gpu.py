"""The GPU backend of a batch: arrays in the memory of an NVIDIA GPU, one thread per game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import config

from cabochon.core import cuda_kernels
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.cuda_kernels import cuda, launch
from cabochon.core.observation import observation_scales, observation_size
from cabochon.core.state import Array
from cabochon.errors import IllegalMoveError, OptionsError

if TYPE_CHECKING:
    from cabochon.envs.batch import Batch, BatchArray


class Gpu:
    """Runs a batch on the current GPU."""

    def __init__(self, variant: int, players: int) -> None:
        if not cuda.is_available():
            raise OptionsError("expected an NVIDIA GPU for the device 'cuda', and found none")
        self._stream: Any = 0
        self._components = cuda.to_device(np.array(COMPONENT_ARRAYS[variant]))
        self._scales = cuda.to_device(np.array(observation_scales(players)))
        self._refusals = cuda.to_device(np.zeros(1, dtype=np.int64))
        self._observe_shared_bytes = cuda_kernels.observe_shared_bytes(observation_size(players))
        self._state_words: BatchArray = None  # the memory of the states as int32; set by `start`
        self._mask_pairs: BatchArray = None  # the memory of the masks as int16

    @property
    def stream(self) -> Any:
        """The CUDA stream of all kernels."""
        return self._stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        self._stream = cuda.external_stream(stream) if isinstance(stream, int) and stream else stream

    def put(self, values: Array) -> BatchArray:
        array = cuda.to_device(values)
        if config.ENABLE_CUDASIM:
            return array  # a NumPy array
        from cabochon.envs.dlpack import DeviceArray

        shared = DeviceArray(array.shape, array.strides, array.dtype, gpu_data=array.gpu_data)
        shared.backend = self
        return shared

    def get(self, array: BatchArray) -> Array:
        values: Array = array.copy_to_host(stream=self.stream)
        if self.stream:
            self.stream.synchronize()
        return values

    def set(self, array: BatchArray, values: Array) -> None:
        array.copy_to_device(values, stream=self.stream)

    def start(self, batch: Batch) -> None:
        self._state_words = batch.states.view(np.int32)
        self._mask_pairs = batch.masks.view(np.int16).reshape(-1)
        arguments = (batch.arrays, batch.settings, self._components)
        launch(cuda_kernels.start_games_kernel, batch.games, *arguments, stream=self.stream)

    def step(self, batch: Batch, actions: BatchArray) -> None:
        actions = _on_gpu(actions)
        if tuple(actions.shape) != (batch.games,) or actions.dtype.kind not in "iu":
            raise OptionsError(f"expected {batch.games} whole numbers, got shape {actions.shape} of {actions.dtype}")
        arguments = (self._components, self._state_words, self._mask_pairs, actions, self._refusals)
        shape = {"stream": self.stream, "shared_bytes": cuda_kernels.STEP_SHARED_BYTES}
        launch(cuda_kernels.step_games_kernel, batch.games, batch.arrays, batch.settings, *arguments, **shape)

    def observe(self, batch: Batch, seats: BatchArray, out: BatchArray) -> None:
        rows = _on_gpu(out)
        common = (self._components, self._state_words, _on_gpu(seats))
        shape = {
            "block": cuda_kernels.WARP * (batch.players + 1),  # a warp for each part of the observation
            "games_in_block": cuda_kernels.WARP,
            "stream": self._stream,
            "shared_bytes": self._observe_shared_bytes,
        }
        if rows.dtype == np.int8:
            launch(cuda_kernels.observe_games_kernel, batch.games, *common, rows.view(np.int32), **shape)
        else:
            launch(cuda_kernels.observe_games_scaled_kernel, batch.games, *common, rows, self._scales, **shape)

    def sample(self, batch: Batch, out: BatchArray) -> None:
        arguments = (batch.masks, batch.choices, _on_gpu(out))
        launch(cuda_kernels.sample_games_kernel, batch.games, *arguments, stream=self.stream)

    def check(self) -> None:
        refused = int(self.get(self._refusals)[0])
        if refused:
            self.set(self._refusals, np.zeros(1, dtype=np.int64))
            raise IllegalMoveError(f"expected legal actions, got {refused} that were not", "TRN-1")


def _on_gpu(array: BatchArray) -> BatchArray:
    """Return an array of any library as a numba array; without a copy if it is on the GPU."""
    if hasattr(array, "copy_to_host"):
        return array
    if hasattr(array, "__cuda_array_interface__"):
        return cuda.as_cuda_array(array)
    return cuda.to_device(np.asarray(array))
