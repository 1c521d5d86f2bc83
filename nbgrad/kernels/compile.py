"""From KernelTexts to object code: directly by llvmlite, or as Numba's function."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm

from nbgrad.errors import RunError
from nbgrad.kernels import ir
from nbgrad.kernels.emit import emit_kernel
from nbgrad.kernels.engine import MADE_BY, new_machine
from nbgrad.kernels.frame import body_name
from nbgrad.kernels.target import Target, host
from nbgrad.log import fall_back
from nbgrad.system.free_memory import require_room_for
from nbgrad.system.imports import import_module
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import SMALL, KernelText

_machine = functools.cache(new_machine)
_NUMBA: Final = "nbgrad.kernels.numba_target"  # imported by the worker process alone
OWN_DRAFTS: Final = "gemm"  # says by itself which part of a draft is not worth optimising
OPTIMISED: Final = 2  # LLVM's level of code generation for what runs often
DRAFT: Final = 0  # LLVM's level of code generation that takes a quarter of the time
# LLVM rewrites how loops count, which takes a quarter of the time of code generation. What the emitters write is as
# quick without (0.94 to 1.01 of a program's time), but for this form, which takes 1.05 of it.
_COUNTS_BETTER: Final = "short_row"


def emitted(texts: Sequence[KernelText], target: Target) -> str:
    """The LLVM IR of ``texts``, as it is before LLVM works on it."""
    return str(_module(texts, target))


def _module(texts: Sequence[KernelText], target: Target, *attributes: str) -> ir.Module:
    """The module of ``texts``, whose functions have these ``attributes``, too."""
    module = ir.Module("nbgrad")
    module.triple = target.triple
    module.data_layout = str(_machine(target).target_data)
    for text in texts:
        emit_kernel(module, text, target).attributes.update(attributes)
    return module


def emitted_body(text: KernelText, target: Target) -> str:
    """The same of one kernel as a function that is inlined where it is called, named as ``body_name`` says."""
    return str(_module([text], target, "alwaysinline")).replace(text.symbol, body_name(text.symbol))


def _parsed(texts: Sequence[KernelText], target: Target) -> Any:
    """The verified LLVM module of ``texts``, cleaned unless it is to be a draft."""
    text = emitted(texts, target)
    require_room_for(text)
    try:
        parsed = llvm.parse_assembly(text)
        parsed.verify()
    except RuntimeError as error:
        raise RunError(f"LLVM refuses the text of a kernel, which is a bug of nbgrad: {error}") from error
    if not _is_plain(texts):
        _clean(parsed, _machine(target))
    return parsed


def _is_plain(texts: Sequence[KernelText]) -> bool:
    """Whether these are drafts that LLVM takes as they are: cleaning them took as long as half of what is left, and
    made the code no faster where it waits for memory."""
    return all(text.is_draft and (text.form != OWN_DRAFTS or SMALL in text.traits) for text in texts)


@uninterrupted
def optimised_code(parsed: Any, target: Target, is_draft: bool = False) -> bytes:
    """Object code of an LLVM module made elsewhere, which is changed."""
    if not is_draft:
        _clean(parsed, _machine(target))
    return bytes(_machine(target, DRAFT if is_draft else OPTIMISED).emit_object(parsed))


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


@uninterrupted
def compile_kernels(texts: Sequence[KernelText], target: Target) -> bytes:
    """One relocatable object with a function for each of ``texts``, named by its symbol, made by llvmlite."""
    return _emitted(_parsed(texts, target), texts, target, f"llvmlite {llvmlite.__version__}")


@uninterrupted
def compile_njit(text: KernelText, target: Target) -> bytes:
    """The same for one kernel as an ``@njit`` function, which Numba compiles up to LLVM. To import Numba takes longer
    than most kernels, and Numba 10 ms for each, so nobody should wait for this. Where Numba cannot, llvmlite does."""
    written = emitted_body(text, target)
    require_room_for(written)
    try:
        module = import_module(_NUMBA)
        parsed = module.kernel_module(text.symbol, body_name(text.symbol), written)
    except Exception as error:  # whatever an installation of Numba lacks, or a new one has otherwise
        fall_back("code", f"kernels are no @njit functions but llvmlite's alone: {type(error).__name__}: {error}")
        return compile_kernels([text], target)
    _clean(parsed, _machine(target))
    return _emitted(parsed, [text], target, f"@njit, numba {module.VERSION}")


def _emitted(parsed: Any, texts: Sequence[KernelText], target: Target, maker: str) -> bytes:
    """Object code that says who made it. Long vectors stand in for a GPU where bits are compared, and nobody waits for
    them to run. Without fused multiply-add, kernels call the C library's."""
    level = DRAFT if _is_plain(texts) or target.is_warp else OPTIMISED
    parsed.link_in(llvm.parse_assembly(f'!llvm.ident = !{{!0}}\n!0 = !{{!"{MADE_BY}{maker}"}}'))
    with _loops_as_written(texts):
        return bytes(_machine(target, level, not target.has_fma).emit_object(parsed))


@contextmanager
def _loops_as_written(texts: Sequence[KernelText]) -> Iterator[None]:
    """Code of ``texts`` that is generated inside counts in its loops as the emitters wrote it.

    LLVM has one such option for a process: outside, what others compile with it is made as ever. What another thread
    compiles at this moment has the same results."""
    if any(text.form == _COUNTS_BETTER for text in texts):
        yield
        return
    llvm.set_option("", "-disable-lsr=true")
    try:
        yield
    finally:
        llvm.set_option("", "-disable-lsr=false")


@uninterrupted
def llvm_text(text: KernelText, target: Target | None = None) -> str:
    """The LLVM IR of one kernel, as it goes to code generation."""
    return str(_parsed([text], target or host()))


@uninterrupted
def asm_text(text: KernelText, target: Target | None = None) -> str:
    """The assembly of one kernel."""
    target = target or host()
    with _loops_as_written([text]):
        return str(_machine(target).emit_assembly(_parsed([text], target)))
