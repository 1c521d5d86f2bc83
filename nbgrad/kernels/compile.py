"""From KernelTexts to object code."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import llvmlite.binding as llvm

from nbgrad.interrupts import uninterrupted
from nbgrad.kernels import ir
from nbgrad.kernels.emit import emit_kernel
from nbgrad.kernels.engine import new_machine
from nbgrad.kernels.target import Target, host
from nbgrad.room import require_room_for
from nbgrad.tape.kernel import SMALL, KernelText

_machine = functools.cache(new_machine)
OWN_DRAFTS: Final = "gemm"  # says by itself which part of a draft is not worth optimising
OPTIMISED: Final = 2  # LLVM's level of code generation for what runs often
DRAFT: Final = 0  # LLVM's level of code generation that takes a quarter of the time
# LLVM rewrites how loops count, which takes a quarter of the time of code generation. What the emitters write is as
# quick without (0.94 to 1.01 of a program's time), but for this form, which takes 1.05 of it.
_COUNTS_BETTER: Final = "short_row"


def emitted(texts: Sequence[KernelText], target: Target) -> str:
    """The LLVM IR of ``texts``, as it is before LLVM works on it."""
    module = ir.Module("nbgrad", len(texts) > 1)
    module.triple = target.triple
    module.data_layout = str(_machine(target).target_data)
    for text in texts:
        emit_kernel(module, text, target)
    return str(module)


def _parsed(texts: Sequence[KernelText], target: Target) -> Any:
    """The verified LLVM module of ``texts``, cleaned unless it is to be a draft."""
    machine = _machine(target)
    text = emitted(texts, target)
    require_room_for(text)
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    if not _is_plain(texts):
        _clean(parsed, machine)
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
    """One relocatable object with a function for each of ``texts``, named by its symbol."""
    with _loops_as_written(texts):
        return _emitted(_parsed(texts, target), target, _is_plain(texts))


def _emitted(parsed: Any, target: Target, is_draft: bool) -> bytes:
    """Long vectors stand in for a GPU where bits are compared, and nobody waits for them to run. Without fused
    multiply-add, kernels call the C library's."""
    level = DRAFT if is_draft or target.is_warp else OPTIMISED
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
