"""From PTX to the machine code of one GPU, by NVIDIA's nvJitLink.

Where it is installed, the driver need not do it while the program waits. It needs no GPU, so the worker process does
it. A driver loads the machine code of its own CUDA and of earlier ones, and of later ones with the same first number:
what nvJitLink 13 makes is nothing for a driver of CUDA 12.
"""

from __future__ import annotations

from typing import Any, Final

from nbgrad.log import fall_back
from nbgrad.system.imports import import_module

_PACKAGE: Final = "cuda.bindings.nvjitlink"
MARK: Final = b"\x7fELF"


def is_machine_code(code: bytes) -> bool:
    """Whether it is that, and not PTX."""
    return code.startswith(MARK)


def assembled(ptx: bytes, arch: str, driver: int = 0) -> bytes:
    """Machine code for GPUs of ``arch`` (sm_90) whose driver is for CUDA ``driver``.x (0: any), or where that cannot be
    had, ``ptx`` itself: drivers take both."""
    try:
        linker = import_module(_PACKAGE)
    except ImportError:
        return ptx
    try:
        major, minor = linker.version()
        if 0 < driver < major:
            fall_back("code", f"nvJitLink {major}.{minor} is too new for a driver of CUDA {driver}, which does it")
            return ptx
        return _linked(linker, ptx, arch)
    except Exception as error:  # the library is missing, or older than what the driver knows: then the driver does it
        fall_back("code", f"nvJitLink made no code for {arch}, the driver will: {error}")
        return ptx


def _linked(linker: Any, ptx: bytes, arch: str) -> bytes:
    options = [f"-arch={arch}", "-O3"]
    handle = linker.create(len(options), options)
    try:
        try:
            linker.add_data(handle, linker.InputType.PTX, ptx, len(ptx), "nbgrad")
            linker.complete(handle)
        except linker.nvJitLinkError as error:
            raise RuntimeError(f"{error}: {_complaint(linker, handle)}") from None
        code = bytearray(linker.get_linked_cubin_size(handle))
        linker.get_linked_cubin(handle, code)
        return bytes(code)
    finally:
        linker.destroy(handle)


def _complaint(linker: Any, handle: int) -> str:
    log = bytearray(linker.get_error_log_size(handle))
    linker.get_error_log(handle, log)
    return log.split(b"\0")[0].decode(errors="replace").strip()
