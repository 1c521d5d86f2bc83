"""A kernel's text made readable: one statement a line, named as the tape and the graph name their values."""

from __future__ import annotations

from collections.abc import Iterator

from nbgrad.graph.dtypes import by_name
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText, Operand, Reduction

STRIDES = {STRIDE_ZERO: "the same along the row", STRIDE_ONE: "consecutive"}


def listing(text: KernelText) -> str:
    """The kernel as a short program; see the first lines of ``lines`` for its parts."""
    return "\n".join(lines(text)) + "\n"


def lines(text: KernelText) -> Iterator[str]:
    """Head, operands, loads, statements, stores, reductions."""
    dims = f"{text.rank} dims" + (f", {text.reduce_rank} reduced" if text.reduce_rank else "")
    yield f"kernel {text.symbol}  # {text.form}, {dims}"
    for k, operand in enumerate(text.operands):
        yield f"  {operand_name(text, k)} = {operand.role} {by_name(operand.dtype).short}{_manner(operand)}"
    if not (text.stmts or text.stores or text.reductions):
        return
    yield f"  for each {_item(text)}:"
    for number, stmt in enumerate(text.stmts, len(text.operands)):
        args = [value_name(text, a) for a in stmt.args] + [f"{p}" for p in stmt.params]
        yield f"    {value_name(text, number)} = {stmt.op}({', '.join(args)})  # {by_name(stmt.dtype).short}"
    for value, operand_number in text.stores:
        yield f"    {operand_name(text, operand_number)}[...] = {value_name(text, value)}"
    for reduction in text.reductions:
        yield f"    {_reduction(text, reduction)}"


def operand_name(text: KernelText, k: int) -> str:
    """in0, out1, ...: the role and the place in the descriptor."""
    return f"{text.operands[k].role}{k}"


def value_name(text: KernelText, value: int) -> str:
    """The operand's name, or t0, t1, ... for statements."""
    operands = len(text.operands)
    return operand_name(text, value) if value < operands else f"t{value - operands}"


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


def _reduction(text: KernelText, reduction: Reduction) -> str:
    outs = ", ".join([operand_name(text, out) if out >= 0 else "_" for out in reduction.outs])
    args = ", ".join([value_name(text, a) for a in reduction.args])
    return f"{outs} = {reduction.op} of {args}  # over r"
