"""What stands for ``cuda.bindings.driver`` in tests: it writes down every call and answers what it is told to."""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Callable
from typing import Any


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_INVALID_PTX = 218
    CUDA_ERROR_NOT_READY = 600
    CUDA_ERROR_LAUNCH_FAILED = 719
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803


# By function: its arguments, and what it gives besides the result.
FUNCTIONS: dict[str, tuple[int, tuple[Any, ...]]] = {
    "cuInit": (1, ()),
    "cuDriverGetVersion": (0, (13000,)),
    "cuDeviceGetCount": (0, (2,)),
    "cuDeviceGet": (1, (70,)),
    "cuDeviceGetName": (2, (b"Some GPU\0\0\0",)),
    "cuDeviceTotalMem": (1, (1 << 33,)),
    "cuDeviceGetAttribute": (2, ()),
    "cuDevicePrimaryCtxRetain": (1, (0x10,)),
    "cuCtxSetCurrent": (1, ()),
    "cuMemGetInfo": (0, (5, 6)),
    "cuMemAlloc": (1, (0x1000,)),
    "cuMemFree": (1, ()),
    "cuPointerGetAttribute": (2, (1,)),
    "cuMemHostAlloc": (2, (0x2000,)),
    "cuMemFreeHost": (1, ()),
    "cuMemcpyHtoDAsync": (4, ()),
    "cuMemcpyDtoHAsync": (4, ()),
    "cuMemcpyDtoDAsync": (4, ()),
    "cuMemcpyPeerAsync": (6, ()),
    "cuStreamCreateWithPriority": (2, (0x20,)),
    "cuStreamQuery": (1, ()),
    "cuStreamSynchronize": (1, ()),
    "cuCtxSynchronize": (0, ()),
    "cuEventCreate": (1, (0x30,)),
    "cuEventDestroy": (1, ()),
    "cuEventRecord": (2, ()),
    "cuEventQuery": (1, ()),
    "cuEventSynchronize": (1, ()),
    "cuEventElapsedTime": (2, (1.5,)),
    "cuStreamWaitEvent": (3, ()),
    "cuModuleLoadDataEx": (4, (0x40,)),
    "cuModuleGetFunction": (2, (0x50,)),
    "cuLaunchKernel": (11, ()),
}

ENUMS: dict[str, tuple[str, ...]] = {
    "CUdevice_attribute": (
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
        "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
        "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT",
        "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR",
        "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK",
        "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
        "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR",
        "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE",
    ),
    "CUstream_flags": ("CU_STREAM_DEFAULT", "CU_STREAM_NON_BLOCKING"),
    "CUevent_flags": ("CU_EVENT_DEFAULT", "CU_EVENT_BLOCKING_SYNC", "CU_EVENT_DISABLE_TIMING"),
    "CUjit_option": ("CU_JIT_ERROR_LOG_BUFFER", "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES"),
    "CUpointer_attribute": ("CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",),
}


ATTRIBUTES = (9, 0, 132, 2048, 49152, 232448, 65536, 50 << 20)  # of a GPU, as the enumeration above has them


class FakeApi:
    """``calls`` has every call as (name, arguments). ``fail`` gives functions other results than success."""

    CUresult = CUresult

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.results: dict[str, CUresult] = {}
        self.launched: list[list[int]] = []  # the values behind the pointers of each launch
        self.said = b""  # what the compiler of PTX writes into its log
        for name, members in ENUMS.items():
            setattr(self, name, enum.IntEnum(name, [(member, k) for k, member in enumerate(members)]))  # type: ignore[misc]

    def fail(self, name: str, result: CUresult) -> None:
        self.results[name] = result

    def cuGetErrorString(self, result: CUresult) -> tuple[CUresult, bytes]:
        return CUresult.CUDA_SUCCESS, b"about " + result.name.encode()

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        count, given = FUNCTIONS[name]

        def function(*arguments: Any) -> tuple[Any, ...]:
            assert len(arguments) == count, f"{name} takes {count} arguments"
            self.calls.append((name, *arguments))
            if name == "cuLaunchKernel":
                pointers = (ctypes.c_void_p * 6).from_address(arguments[9])
                self.launched.append([ctypes.c_int64.from_address(p or 0).value for p in pointers])
            if name == "cuModuleLoadDataEx":
                assert type(arguments[3][0]) is bytes, "the package takes no other log"
                ctypes.memmove(ctypes.c_char_p(arguments[3][0]), self.said, len(self.said))
            if name == "cuDeviceGetAttribute":
                return self.results.get(name, CUresult.CUDA_SUCCESS), ATTRIBUTES[arguments[0]]
            return self.results.get(name, CUresult.CUDA_SUCCESS), *given

        return function

    def taken(self) -> list[tuple[Any, ...]]:
        """The calls since the last look."""
        calls, self.calls = self.calls, []
        return calls
