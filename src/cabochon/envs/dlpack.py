"""Arrays in the memory of a GPU that other libraries take over without a copy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from cuda.core.utils import StridedMemoryView

from cabochon.core.cuda_kernels import cuda

if TYPE_CHECKING:
    from cabochon.envs.gpu import Gpu

CUDA_DEVICE = 2  # DLPack's number of this kind of device
UNORDERED = -1  # DLPack's stream for those who see to the order themselves


class DeviceArray(cuda.cudadrv.devicearray.DeviceNDArray):  # type: ignore[misc]  # numba has no types
    """One of numba's, which has `__cuda_array_interface__`, with DLPack besides."""

    engine: Gpu  # that writes it, on a stream which may change

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, cuda.get_current_device().id

    def __dlpack__(self, *, stream: int | None = None, **wanted: Any) -> Any:
        if stream is not None and stream != UNORDERED:
            written = cuda.event(timing=False)
            written.record(self.engine.stream)
            written.wait(cuda.external_stream(stream))
        view = StridedMemoryView.from_cuda_array_interface(self, stream_ptr=UNORDERED)
        return view.__dlpack__(stream=UNORDERED, **wanted)

    @cached_property
    def _numba_type_(self) -> Any:
        """Found out once, not at every launch: of a record it takes a while."""
        return super()._numba_type_
