"""From KernelTexts to object code, and from object code to addresses."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Sequence
from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir

from nbgrad.kernels.emit import emit_kernel
from nbgrad.kernels.target import Target, host
from nbgrad.tape.kernel import KernelText

# What code for CPUs without fused multiply-add calls.
LIBRARY_SYMBOLS: Final = ("fma", "fmaf")

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def _new_machine(target: Target) -> Any:
    # Position-independent code in the small model: the loader puts all sections of an object next to each other.
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )


_machine = functools.cache(_new_machine)


def _parsed(texts: Sequence[KernelText], target: Target) -> Any:
    """The verified and cleaned LLVM module of ``texts``."""
    machine = _machine(target)
    module = ir.Module("nbgrad")
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    for text in texts:
        emit_kernel(module, text, target)
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    _clean(parsed, machine)
    return parsed


def optimised_code(parsed: Any, target: Target) -> bytes:
    """Object code of an LLVM module made elsewhere, which is changed."""
    machine = _machine(target)
    _clean(parsed, machine)
    return bytes(machine.emit_object(parsed))


def _clean(parsed: Any, machine: Any) -> None:
    """The few passes that explicit vectors need: variables become registers, the rest is left to code generation.

    They take 0.2 ms for a small kernel; LLVM's O1 takes 1.5 ms and runs no faster.
    """
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    for function in parsed.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def compile_kernels(texts: Sequence[KernelText], target: Target) -> bytes:
    """One relocatable object with a function for each of ``texts``, named by its symbol."""
    return bytes(_machine(target).emit_object(_parsed(texts, target)))


def llvm_text(text: KernelText, target: Target | None = None) -> str:
    """The LLVM IR of one kernel, as it goes to code generation."""
    return str(_parsed([text], target or host()))


def asm_text(text: KernelText, target: Target | None = None) -> str:
    """The assembly of one kernel."""
    target = target or host()
    return str(_machine(target).emit_assembly(_parsed([text], target)))


@functools.cache
def _bind_fma() -> None:
    """Point code for CPUs without fused multiply-add to the C library's, which has the same bits."""
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in LIBRARY_SYMBOLS:
        llvm.add_symbol(name, ctypes.cast(getattr(libm, name), ctypes.c_void_p).value)


class Engine:
    """Loaded object code. It stays loaded as long as this object lives."""

    def __init__(self) -> None:
        # LLVM's own memory manager may put constants out of the reach of code (2 GB); llvmlite's keeps an object
        # together but has no room for the table through which code calls other libraries.
        self._together = _new_engine(use_lmm=True)
        self._with_calls: Any = None
        self._objects: list[Any] = []

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

    def address(self, symbol: str) -> int:
        """Where the function called ``symbol`` starts; 0 where there is none."""
        found = int(self._together.get_function_address(symbol))
        if not found and self._with_calls is not None:
            found = int(self._with_calls.get_function_address(symbol))
        return found


def _new_engine(use_lmm: bool) -> Any:
    # An engine owns its machine, so it gets one of its own.
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine(host()), use_lmm=use_lmm)
