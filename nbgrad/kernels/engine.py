"""From object code to addresses. What is on disk is loaded with this alone; the emitter is not imported then."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from typing import Any, Final

import llvmlite.binding as llvm

from nbgrad.interrupts import uninterrupted
from nbgrad.kernels.target import Target, host

# What code for CPUs without fused multiply-add calls.
LIBRARY_SYMBOLS: Final = ("fma", "fmaf")

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def new_machine(target: Target, opt: int = 2) -> Any:
    # Position-independent code in the small model: the loader puts all sections of an object next to each other.
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=opt, reloc="pic", codemodel="small"
    )


@functools.cache
def _bind_fma() -> None:
    """Point code for CPUs without fused multiply-add to the C library's, which has the same bits."""
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in LIBRARY_SYMBOLS:
        llvm.add_symbol(name, ctypes.cast(getattr(libm, name), ctypes.c_void_p).value)


class Engine:
    """Loaded object code. It stays loaded as long as this object lives."""

    @uninterrupted
    def __init__(self) -> None:
        # LLVM's own memory manager may put constants out of the reach of code (2 GB); llvmlite's keeps an object
        # together but has no room for the table through which code calls other libraries.
        self._together = _new_engine(use_lmm=True)
        self._with_calls: Any = None
        self._objects: list[Any] = []

    @uninterrupted
    def load(self, object_code: bytes, with_calls: bool = False) -> None:
        """Make the functions of ``object_code`` callable. ``with_calls``: it calls the C library, and has no constants
        in memory.
        """
        engine = self._together
        if any(b"\0%s\0" % name.encode() in object_code for name in LIBRARY_SYMBOLS):
            _bind_fma()
            with_calls = True
        if with_calls:
            engine = self._with_calls = self._with_calls or _new_engine(use_lmm=False)
        loaded = llvm.ObjectFileRef.from_data(object_code)
        engine.add_object_file(loaded)
        engine.finalize_object()
        self._objects.append(loaded)

    @uninterrupted
    def address(self, symbol: str) -> int:
        """Where the function called ``symbol`` starts; 0 where there is none."""
        found = int(self._together.get_function_address(symbol))
        if not found and self._with_calls is not None:
            found = int(self._with_calls.get_function_address(symbol))
        return found


def _new_engine(use_lmm: bool) -> Any:
    # An engine owns its machine, so it gets one of its own.
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), new_machine(host()), use_lmm=use_lmm)
