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
        self._component_arrays = cuda.to_device(np.array(COMPONENT_ARRAYS[variant]))
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
        """Return an array on the GPU with these values."""
        array = cuda.to_device(values)
        if config.ENABLE_CUDASIM:
            return array  # a NumPy array
        from cabochon.envs.dlpack import DeviceArray

        shared = DeviceArray(array.shape, array.strides, array.dtype, gpu_data=array.gpu_data)
        shared.backend = self
        return shared

    def get(self, array: BatchArray) -> Array:
        """Return a copy of an array in main memory."""
        values: Array = array.copy_to_host(stream=self.stream)
        if self.stream:
            self.stream.synchronize()
        return values

    def set(self, array: BatchArray, values: Array) -> None:
        """Overwrite an array on the GPU."""
        array.copy_to_device(values, stream=self.stream)

    def start(self, batch: Batch) -> None:
        """Deal every game."""
        self._state_words = batch.states.view(np.int32)
        self._mask_pairs = batch.masks.view(np.int16).reshape(-1)
        launch(
            cuda_kernels.start_games_kernel,
            batch.games,
            self._component_arrays,
            batch.states,
            batch.streams,
            batch.choices,
            batch.seeds,
            batch.episodes,
            batch.seats,
            batch.masks,
            batch.dones,
            batch.players,
            int(batch.options.free_take),
            int(batch.options.payment == "automatic"),
            int(batch.canonical),
            stream=self.stream,
        )

    def step(self, batch: Batch, actions: BatchArray) -> None:
        """Take an action in every game; count the illegal ones for `check`."""
        actions = _on_gpu(actions)
        if tuple(actions.shape) != (batch.games,) or actions.dtype.kind not in "iu":
            raise OptionsError(f"expected {batch.games} whole numbers, got shape {actions.shape} of {actions.dtype}")
        launch(
            cuda_kernels.step_games_kernel,
            batch.games,
            self._component_arrays,
            self._state_words,
            batch.streams,
            batch.seeds,
            batch.episodes,
            actions,
            batch.seats,
            batch.masks,
            self._mask_pairs,
            batch.dones,
            batch.values,
            batch.places,
            self._refusals,
            int(batch.restart),
            int(batch.canonical),
            stream=self.stream,
            shared_bytes=cuda_kernels.step_shared_bytes(),
        )

    def observe(self, batch: Batch, seats: BatchArray, out: BatchArray) -> None:
        """Write the observations of these seats."""
        rows = _on_gpu(out)
        common = (self._component_arrays, self._state_words, _on_gpu(seats))
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
        """Write a random legal action for every game."""
        launch(
            cuda_kernels.sample_games_kernel, batch.games, batch.masks, batch.choices, _on_gpu(out), stream=self.stream
        )

    def check(self) -> None:
        """Raise `IllegalMoveError` if an action was illegal since the last check."""
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
