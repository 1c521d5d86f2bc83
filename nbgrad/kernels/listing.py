"""A kernel's text made readable: one statement a line, named as the tape and the graph name their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.show import shortened
from nbgrad.ops.loop import body_of
from nbgrad.tape.kernel import (
    EXTRA_WORDS,
    LOOPS,
    STRIDE_BACK,
    STRIDE_ONE,
    STRIDE_ZERO,
    KernelText,
    Operand,
    Reduction,
    Stage,
    Stmt,
)

STRIDES = {STRIDE_ZERO: "the same along the row", STRIDE_ONE: "consecutive", STRIDE_BACK: "consecutive backwards"}


def listing(text: KernelText) -> str:
    """The kernel as a short program; see the first lines of ``lines`` for its parts."""
    return "\n".join(lines(text)) + "\n"


def lines(text: KernelText) -> Iterator[str]:
    """Head, operands; for each stage loads, statements, stores, reductions, and what is made of their results. Then
    what is repeated in loops on an element."""
    dims = f"{text.rank} dims" + (f", {text.reduce_rank} reduced" if text.reduce_rank else "")
    yield f"kernel {text.symbol}  # {text.form}, {dims}"
    for k, operand in enumerate(text.operands):
        yield f"  {operand_name(text, k)} = {operand.role} {by_name(operand.dtype).short}{_manner(operand)}"
    names = value_names(text)
    for first, stage in text.stages:
        if stage.stmts or stage.stores or stage.reductions:
            yield f"  {'for' if first == len(text.operands) else 'then for'} each {_item(text)}:"
            yield from _statements(names, stage.stmts, first)
            yield from _stores(names, stage.stores)
            result = first + len(stage.stmts)
            for reduction, name in zip(stage.reductions, names[result:], strict=False):
                yield f"    {_reduction(names, reduction, name if _goes_on(text, stage) else '')}"
            if stage.finish or stage.finish_stores:
                yield f"  then for each output{_index(text)}:"
                yield from _statements(names, stage.finish, result + len(stage.reductions))
                yield from _stores(names, stage.finish_stores)
    every = [stmt for _, stage in text.stages for stmt in (*stage.stmts, *stage.finish)]
    for body in dict.fromkeys([stmt.params[0] for stmt in every if stmt.op == "loop"]):
        yield from _bodies(body)


def _bodies(text: str) -> Iterator[str]:
    """What a loop repeats, and before that what loops inside of it repeat."""
    body = body_of(text)
    names = [f"s{k}" for k in range(len(body.state))] + [f"c{k}" for k in range(len(body.fixed))]
    for op, _, _, params in body.stmts:
        if op == "loop":
            yield from _bodies(params[0])
    yield f"  {shortened(text)}({', '.join(names)}):"
    names += [f"t{k}" for k in range(len(body.stmts))]
    stmts = [Stmt(op, args, params, dtype) for op, args, dtype, params in body.stmts]
    yield from _statements(names, stmts, len(names) - len(stmts))
    state = ", ".join([f"s{k}" for k in range(len(body.state))])
    yield f"    {state} = {', '.join([names[k] for k in body.following])}; again where {names[body.going]}"


def descriptor_words(text: KernelText) -> list[str]:
    """The words of a loop's descriptor: sizes of dims, four that say how reductions are cut, and of each operand its
    address and its strides by these dims. Other forms have words of their own."""
    if text.form not in LOOPS:
        return ["..."]
    dims = [f"i{k}" for k in range(text.rank)] + [f"r{k}" for k in range(text.reduce_rank)]
    words = [*dims, *[f"extra{k}" for k in range(EXTRA_WORDS if text.reduce_rank else 0)]]
    for name in [operand_name(text, k) for k in range(len(text.operands))]:
        words += [name, *[f"{name} by {dim}" for dim in dims]]
    return words


def _goes_on(text: KernelText, stage: Stage) -> bool:
    """Whether something in the kernel reads the results of the reductions."""
    return bool(stage.finish_stores or text.then)


def _statements(names: Sequence[str], stmts: Sequence[Stmt], first: int) -> Iterator[str]:
    for number, stmt in enumerate(stmts, first):
        args = [names[a] for a in stmt.args] + [shortened(p) for p in stmt.params]
        yield f"    {names[number]} = {stmt.op}({', '.join(args)})  # {by_name(stmt.dtype).short}"


def _stores(names: Sequence[str], stores: Sequence[tuple[int, int]]) -> Iterator[str]:
    for value, operand in stores:
        yield f"    {names[operand]}[...] = {names[value]}"


def operand_name(text: KernelText, k: int) -> str:
    """in0, out1, ...: the role and the place in the descriptor."""
    return f"{text.operands[k].role}{k}"


def value_names(text: KernelText) -> list[str]:
    """The operands' names, t0, t1, ... for statements, s0, s1, ... for results of reductions."""
    names = [operand_name(text, k) for k in range(len(text.operands))]
    statements, results = count(), count()
    for _, stage in text.stages:
        names += [f"t{next(statements)}" for _ in stage.stmts]
        names += [f"s{next(results)}" for _ in stage.reductions]
        names += [f"t{next(statements)}" for _ in stage.finish]
    return names


def _manner(operand: Operand) -> str:
    if operand.role == "table":
        return "  # gathered from"
    if operand.role == "scratch":
        return "  # kept of a row"
    if operand.role == "index":
        return "  # computed from the position"
    return f"  # {STRIDES.get(operand.stride, 'any stride')}"


def _item(text: KernelText) -> str:
    kept = [f"i{d}" for d in range(text.rank)]
    reduced = [f"r{d}" for d in range(text.reduce_rank)]
    return "element" + (f" [{', '.join(kept + reduced)}]" if kept or reduced else "")


def _index(text: KernelText) -> str:
    kept = ", ".join([f"i{d}" for d in range(text.rank)])
    return f" [{kept}]" if kept else ""


def _reduction(names: Sequence[str], reduction: Reduction, result: str) -> str:
    outs = ", ".join([names[out] if out >= 0 else "_" for out in reduction.outs])
    if reduction.across:
        return f"{outs}[...] = {reduction.op} of {names[reduction.args[0]]}  # over i"
    if result:
        outs = f"{result} = {outs}" if max(reduction.outs, default=-1) >= 0 else result
    args = ", ".join([names[a] for a in reduction.args])
    return f"{outs} = {reduction.op} of {args}  # over r"
