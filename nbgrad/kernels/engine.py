"""From object code to addresses. What is on disk is loaded with this alone; the emitter is not imported then."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
from collections.abc import Sequence
from typing import Any, Final

import llvmlite.binding as llvm

from nbgrad.kernels.target import Target, host
from nbgrad.system.free_memory import LOADING_BYTES, require_room
from nbgrad.system.interrupts import uninterrupted

# What code for CPUs without fused multiply-add calls.
LIBRARY_SYMBOLS: Final = ("fma", "fmaf")

MADE_BY: Final = "nbgrad kernel by "  # begins what object code says of its maker
_MAKER: Final = re.compile(re.escape(MADE_BY).encode() + rb"([ -~]+)")


def llvm_version() -> str:
    """20.1.8, for example."""
    return ".".join(map(str, llvm.llvm_version_info))


@functools.cache
def _initialize() -> None:
    """Tell LLVM to know this machine's kind of code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def new_machine(target: Target, opt: int = 2, calls: bool = False) -> Any:
    """What writes machine code. With ``calls`` it may call other libraries, by addresses of 64 bits: libraries lie
    out of the reach of short calls, and so may a table of their addresses."""
    require_room(LOADING_BYTES)
    _initialize()
    # Otherwise the small model: the loader puts all sections of an object next to each other.
    reloc, model = ("static", "large") if calls else ("pic", "small")
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=opt, reloc=reloc, codemodel=model
    )


def maker_of(object_code: bytes) -> str:
    """Who made it, as it says in its section of comments; where the format of objects has none, nobody knows."""
    found = _MAKER.search(object_code)
    return found[1].decode() if found else "a compiler"


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
        # LLVM's own memory manager may put constants out of the reach of code (2 GB), which ends the process;
        # llvmlite's keeps an object together.
        module = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(module, new_machine(host()), use_lmm=True)
        self._engine.remove_module(module)  # else LLVM compiles it: 0.5 ms, before the first object can be called
        self._objects: list[Any] = []

    @uninterrupted
    def load(self, object_code: bytes) -> None:
        """Make the functions of ``object_code`` callable."""
        if any(b"\0%s%s\0" % (sign, name.encode()) in object_code for name in LIBRARY_SYMBOLS for sign in (b"", b"_")):
            _bind_fma()  # macOS has one character more
        require_room(LOADING_BYTES + 2 * len(object_code))
        loaded = llvm.ObjectFileRef.from_data(object_code)
        self._engine.add_object_file(loaded)
        self._engine.finalize_object()
        self._objects.append(loaded)

    def address(self, symbol: str) -> int:
        """Where the function called ``symbol`` starts; 0 where there is none."""
        return self.addresses((symbol,))[0]

    @uninterrupted  # all of them together: that takes longer than to find one
    def addresses(self, symbols: Sequence[str]) -> list[int]:
        """Where these functions start; 0 for those that are not there."""
        return [int(self._engine.get_function_address(symbol)) for symbol in symbols]
