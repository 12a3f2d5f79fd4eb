"""Arrays on a GPU that other libraries use without a copy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from cuda.core.utils import StridedMemoryView

from cabochon.core.cuda_kernels import cuda

if TYPE_CHECKING:
    from cabochon.envs.gpu import Gpu

CUDA_DEVICE = 2  # DLPack's number for CUDA devices
NO_SYNCHRONIZATION = -1  # DLPack's stream for consumers that synchronize themselves


class DeviceArray(cuda.cudadrv.devicearray.DeviceNDArray):  # type: ignore[misc]  # numba has no types
    """A numba array, which has `__cuda_array_interface__`, with DLPack added."""

    backend: Gpu  # writes the array, on a stream that may change

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, cuda.get_current_device().id

    def __dlpack__(self, *, stream: int | None = None, **wanted: Any) -> Any:
        if stream is not None and stream != NO_SYNCHRONIZATION:
            written = cuda.event(timing=False)
            written.record(self.backend.stream)
            written.wait(cuda.external_stream(stream))
        view = StridedMemoryView.from_cuda_array_interface(self, stream_ptr=NO_SYNCHRONIZATION)
        return view.__dlpack__(stream=NO_SYNCHRONIZATION, **wanted)

    @cached_property
    def _numba_type_(self) -> Any:
        """Cached, because it is slow for records and every launch asks for it."""
        return super()._numba_type_
