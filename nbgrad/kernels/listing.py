"""A kernel's text made readable: one statement a line, named as the tape and the graph name their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nbgrad.graph.dtypes import by_name
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText, Operand, Stmt

STRIDES = {STRIDE_ZERO: "the same along the row", STRIDE_ONE: "consecutive"}


def listing(text: KernelText) -> str:
    """The kernel as a short program; see the first lines of ``lines`` for its parts."""
    return "\n".join(lines(text)) + "\n"


def lines(text: KernelText) -> Iterator[str]:
    """Head, operands, loads, statements, stores, reductions, and what is made of their results."""
    dims = f"{text.rank} dims" + (f", {text.reduce_rank} reduced" if text.reduce_rank else "")
    yield f"kernel {text.symbol}  # {text.form}, {dims}"
    for k, operand in enumerate(text.operands):
        yield f"  {operand_name(text, k)} = {operand.role} {by_name(operand.dtype).short}{_manner(operand)}"
    if not (text.stmts or text.stores or text.reductions):
        return
    yield f"  for each {_item(text)}:"
    yield from _statements(text, text.stmts, len(text.operands))
    yield from _stores(text, text.stores)
    for number in range(len(text.reductions)):
        yield f"    {_reduction(text, number)}"
    if text.finish_stores:
        yield from _finish(text)


def _statements(text: KernelText, stmts: Sequence[Stmt], first: int) -> Iterator[str]:
    for number, stmt in enumerate(stmts, first):
        args = [value_name(text, a) for a in stmt.args] + [f"{p}" for p in stmt.params]
        yield f"    {value_name(text, number)} = {stmt.op}({', '.join(args)})  # {by_name(stmt.dtype).short}"


def _stores(text: KernelText, stores: Sequence[tuple[int, int]]) -> Iterator[str]:
    for value, operand_number in stores:
        yield f"    {operand_name(text, operand_number)}[...] = {value_name(text, value)}"


def _finish(text: KernelText) -> Iterator[str]:
    kept = ", ".join([f"i{d}" for d in range(text.rank)])
    yield f"  then for each output{f' [{kept}]' if kept else ''}:"
    yield from _statements(text, text.finish, text.first_result + len(text.reductions))
    yield from _stores(text, text.finish_stores)


def operand_name(text: KernelText, k: int) -> str:
    """in0, out1, ...: the role and the place in the descriptor."""
    return f"{text.operands[k].role}{k}"


def value_name(text: KernelText, value: int) -> str:
    """The operand's name, t0, t1, ... for statements, s0, s1, ... for results of reductions that the finish reads."""
    operands = len(text.operands)
    if value < operands:
        return operand_name(text, value)
    result = value - text.first_result
    if result < 0:
        return f"t{value - operands}"
    reductions = len(text.reductions)
    return f"s{result}" if result < reductions else f"t{value - operands - reductions}"


def _manner(operand: Operand) -> str:
    if operand.role == "table":
        return "  # gathered from"
    if operand.role == "index":
        return "  # computed from the position"
    return f"  # {STRIDES.get(operand.stride, 'any stride')}"


def _item(text: KernelText) -> str:
    kept = [f"i{d}" for d in range(text.rank)]
    reduced = [f"r{d}" for d in range(text.reduce_rank)]
    return "element" + (f" [{', '.join(kept + reduced)}]" if kept or reduced else "")


def _reduction(text: KernelText, number: int) -> str:
    reduction = text.reductions[number]
    outs = ", ".join([operand_name(text, out) if out >= 0 else "_" for out in reduction.outs])
    if text.finish_stores:
        outs = f"s{number} = {outs}" if max(reduction.outs) >= 0 else f"s{number}"
    args = ", ".join([value_name(text, a) for a in reduction.args])
    return f"{outs} = {reduction.op} of {args}  # over r"
