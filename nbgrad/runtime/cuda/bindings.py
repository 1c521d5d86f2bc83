"""The NVIDIA driver, by ``cuda.bindings.driver``. The one module that touches it, imported when a GPU is asked for."""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import threading
from collections.abc import Sequence
from typing import Any, Final

from nbgrad.config import settings
from nbgrad.kernels.target import Target, cuda
from nbgrad.log import fall_back
from nbgrad.runtime.cuda.cublas import open_library
from nbgrad.runtime.cuda.driver import NO_DEVICE, DriverError, Grid, NoDriver, OutOfDeviceMemory, OwnKernel, Properties
from nbgrad.runtime.cuda.library import Library
from nbgrad.runtime.cuda.linker import is_machine_code
from nbgrad.system.fork_safety import Lock
from nbgrad.system.imports import import_module

OLDEST: Final = 12000  # CUDA 12.0
_PACKAGE: Final = "cuda.bindings.driver"
_LIBRARY: Final = "libcuda.so.1"
_LOG_BYTES: Final = 8192
_ALL_DEVICES: Final = 1  # CU_MEMHOSTALLOC_PORTABLE
_ARGUMENTS: Final = 6  # of an entry, see kernels/ptx.py
_ATTRIBUTES: Final = (
    "COMPUTE_CAPABILITY_MAJOR",
    "COMPUTE_CAPABILITY_MINOR",
    "MULTIPROCESSOR_COUNT",
    "MAX_THREADS_PER_MULTIPROCESSOR",
    "MAX_SHARED_MEMORY_PER_BLOCK",
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "L2_CACHE_SIZE",
)


def _jit() -> str:
    """The numba-cuda that is to make kernels; "" where LLVM is."""
    if settings.cuda_compiler == "numba":
        try:
            return f"numba-cuda {importlib.metadata.version('numba-cuda')}"
        except importlib.metadata.PackageNotFoundError:
            fall_back("code", "NBGRAD_CUDA_COMPILER=numba, but numba-cuda is not installed: LLVM makes all kernels")
    return ""


def open_driver() -> NvidiaDriver:
    """The driver of this machine's GPUs; NoDriver says what is missing."""
    try:
        api = import_module(_PACKAGE)
    except ImportError as error:
        raise NoDriver(f"the package cuda.bindings is not installed (pip install 'nbgrad[cuda]'): {error}") from None
    try:
        (result,) = api.cuInit(0)
    except Exception as error:  # what it raises where there is no library differs from version to version
        raise NoDriver(
            f"the NVIDIA driver's library, {_LIBRARY}, was not found; is the driver installed? {error}"
        ) from None
    if result == api.CUresult.CUDA_ERROR_NO_DEVICE:
        raise NoDriver(NO_DEVICE)
    if result != api.CUresult.CUDA_SUCCESS:
        raise NoDriver(f"the NVIDIA driver does not start: {result.name}")
    driver = NvidiaDriver(api)
    version = driver.version()
    if version < OLDEST:
        raise NoDriver(f"the NVIDIA driver is for CUDA {_dotted(version)}, nbgrad needs {_dotted(OLDEST)} or later")
    return driver


def _dotted(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


class _Arguments(threading.local):
    """The memory through which a launch gets its arguments: this thread's, filled in for each launch."""

    def __init__(self) -> None:
        self.values = (ctypes.c_int64 * _ARGUMENTS)()
        places = [ctypes.addressof(self.values) + 8 * k for k in range(_ARGUMENTS)]
        self.pointers = (ctypes.c_void_p * _ARGUMENTS)(*places)
        self.address = ctypes.addressof(self.pointers)


class NvidiaDriver:
    """``api`` is the module with the driver's functions: each gives its result code and what it has to say."""

    name = "nvidia"

    def __init__(self, api: Any) -> None:
        self._api = api
        self._success = api.CUresult.CUDA_SUCCESS
        self._not_ready = api.CUresult.CUDA_ERROR_NOT_READY
        self._contexts: dict[int, Any] = {}  # each device's primary context, shared with other libraries
        self._lock = Lock()
        self._arguments = _Arguments()

    def _call(self, name: str, *arguments: Any) -> Any:
        """What a function of the driver gives: nothing, one thing, or several."""
        result, *given = getattr(self._api, name)(*arguments)
        if result != self._success:
            raise self._error(name, result)
        return given[0] if len(given) == 1 else given

    def _error(self, name: str, result: Any, said: str = "") -> DriverError:
        if not said:
            _, text = self._api.cuGetErrorString(result)
            said = text.decode() if text else ""
        out = result == self._api.CUresult.CUDA_ERROR_OUT_OF_MEMORY
        return (OutOfDeviceMemory if out else DriverError)(name, result.name, said)

    # Devices.

    def version(self) -> int:
        """The newest CUDA that the driver knows, as 1000 * major + 10 * minor."""
        return int(self._call("cuDriverGetVersion"))

    def device_count(self) -> int:
        return int(self._call("cuDeviceGetCount"))

    def properties(self, device: int) -> Properties:
        handle = self._call("cuDeviceGet", device)
        kinds = self._api.CUdevice_attribute
        values = [
            int(self._call("cuDeviceGetAttribute", getattr(kinds, f"CU_DEVICE_ATTRIBUTE_{name}"), handle))
            for name in _ATTRIBUTES
        ]
        major, minor, *others = values
        name = self._call("cuDeviceGetName", 256, handle).split(b"\0")[0].decode()
        total = int(self._call("cuDeviceTotalMem", handle))
        return Properties(name, major, minor, total, *others)

    def target(self, device: int) -> Target:
        found = self.properties(device)
        return cuda(f"sm_{found.major}{found.minor}", self.version() // 1000, _jit())

    def activate(self, device: int) -> None:
        context = self._contexts.get(device)
        if context is None:
            context = self._context(device)
        (result,) = self._api.cuCtxSetCurrent(context)
        if result != self._success:
            raise self._error("cuCtxSetCurrent", result)

    def _context(self, device: int) -> Any:
        with self._lock:
            if device not in self._contexts:
                self._contexts[device] = self._call("cuDevicePrimaryCtxRetain", self._call("cuDeviceGet", device))
            return self._contexts[device]

    # Memory.

    def memory_info(self) -> tuple[int, int]:
        free, total = self._call("cuMemGetInfo")
        return int(free), int(total)

    def alloc(self, nbytes: int) -> int:
        return int(self._call("cuMemAlloc", nbytes))

    def free(self, address: int) -> None:
        self._call("cuMemFree", address)

    def device_of(self, address: int) -> int:
        kind = self._api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self._call("cuPointerGetAttribute", kind, address))

    def alloc_pinned(self, nbytes: int) -> int:
        return int(self._call("cuMemHostAlloc", nbytes, _ALL_DEVICES))

    def free_pinned(self, address: int) -> None:
        self._call("cuMemFreeHost", address)

    def copy_in(self, target: int, source: int, nbytes: int, stream: int) -> None:
        (result,) = self._api.cuMemcpyHtoDAsync(target, source, nbytes, stream)
        if result != self._success:
            raise self._error("cuMemcpyHtoDAsync", result)

    def copy_out(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._call("cuMemcpyDtoHAsync", target, source, nbytes, stream)

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._call("cuMemcpyDtoDAsync", target, source, nbytes, stream)

    def copy_across(self, target: int, to: int, source: int, device: int, nbytes: int, stream: int) -> None:
        arguments = (target, self._context(to), source, self._context(device), nbytes, stream)
        self._call("cuMemcpyPeerAsync", *arguments)

    # Streams and events.

    def new_stream(self, priority: int = 0) -> int:
        kind = self._api.CUstream_flags.CU_STREAM_NON_BLOCKING
        return int(self._call("cuStreamCreateWithPriority", int(kind), priority))

    def stream_done(self, stream: int) -> bool:
        return self._is_done("cuStreamQuery", stream)

    def _is_done(self, name: str, handle: int) -> bool:
        (result,) = getattr(self._api, name)(handle)
        if result not in (self._success, self._not_ready):
            raise self._error(name, result)
        return bool(result == self._success)

    def wait_stream(self, stream: int) -> None:
        self._call("cuStreamSynchronize", stream)

    def synchronize(self) -> None:
        self._call("cuCtxSynchronize")

    def new_event(self, timing: bool = False) -> int:
        kinds = self._api.CUevent_flags
        kind = kinds.CU_EVENT_DEFAULT if timing else kinds.CU_EVENT_DISABLE_TIMING
        return int(self._call("cuEventCreate", int(kind)))

    def drop_event(self, event: int) -> None:
        self._call("cuEventDestroy", event)

    def record(self, event: int, stream: int) -> None:
        self._call("cuEventRecord", event, stream)

    def event_done(self, event: int) -> bool:
        return self._is_done("cuEventQuery", event)

    def wait_event(self, event: int) -> None:
        self._call("cuEventSynchronize", event)

    def elapsed_ms(self, begin: int, end: int) -> float:
        return float(self._call("cuEventElapsedTime", begin, end))

    def stream_waits(self, stream: int, event: int) -> None:
        self._call("cuStreamWaitEvent", stream, event, 0)

    # Code.

    def load(self, image: bytes) -> int:
        if not is_machine_code(image):
            why = "nvJitLink (nvidia-nvjitlink) is missing, or made no code for it"
            fall_back("code", f"the driver assembles kernels: {why}")
        option = self._api.CUjit_option
        log = bytes(_LOG_BYTES)  # the driver writes into it: the package takes nothing else
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        values = [log, _LOG_BYTES]
        result, module = self._api.cuModuleLoadDataEx(image + b"\0", len(options), options, values)
        if result != self._success:
            raise self._error("cuModuleLoadDataEx", result, log.split(b"\0")[0].decode(errors="replace").strip())
        return int(module)

    def function(self, module: int, name: str) -> int:
        return int(self._call("cuModuleGetFunction", module, name.encode()))

    def own_function(self, kernel: OwnKernel, device: int) -> int:
        return self.function(self.load(kernel.code(self.target(device))), kernel.symbol)

    def launch(self, function: int, grid: Grid, stream: int, arguments: Sequence[int]) -> None:
        here = self._arguments
        here.values[: len(arguments)] = list(arguments)
        dims = grid.dims or (grid.blocks, 1, 1, grid.threads, 1, 1)
        (result,) = self._api.cuLaunchKernel(function, *dims, grid.shared_bytes, stream, here.address, 0)
        if result != self._success:
            raise self._error("cuLaunchKernel", result)

    def library(self) -> Library | None:
        return open_library()
