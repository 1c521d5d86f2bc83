"""The instruction of ``scatter_rows``: see ``nbgrad/kernels/scatter_rows.py``."""

from __future__ import annotations

from math import prod
from typing import Final

from nbgrad.config import settings
from nbgrad.graph.node import Node
from nbgrad.ops.scatter_rows import program_of
from nbgrad.tape.append import stmts_of
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.descriptor import Dims, collapse, operands_of, pad, push_words, rows_along
from nbgrad.tape.kernel import STRIDE_ONE, KernelText, Operand
from nbgrad.tape.loop import Loop
from nbgrad.tape.operands import element, overwritten
from nbgrad.tape.work import element_ps

COLUMNS: Final = 64  # of a chunk: threads share a row of more
MOST_CLEARED: Final = 1 << 18  # bytes that one thread clears by itself; more, and all of them do it beforehand


def lower_scatter_rows(t: TapeBuilder, node: Node) -> None:
    """Append the kernel, behind one that copies the table where its memory cannot be taken."""
    program = program_of(node)
    table, *operands = node.inputs
    shape, dtype = program.shape, node.spec.dtype
    loop = Loop(shape, (), (node,))
    codes = [loop.read(element(t, x, shape)) for x in operands]  # may copy, so it comes before new memory is born

    def code(c: int) -> int:
        return codes[c] if c >= 0 else c

    loop.stmts += [(op, tuple(map(code, args)), params, name) for op, args, params, name in program.steps]
    width = shape[-1]
    chunk = min(width, COLUMNS) if program.is_aligned else width
    items = -(-width // chunk)
    clears = program.is_aligned and _is_zeros(table) and (items > 1 or node.spec.size_bytes <= MOST_CLEARED)
    clears = clears and settings.deterministic  # adding in any order begins when all is cleared
    block = t.value_block(node) if clears else overwritten(t, node, table)
    outer = list(range(len(shape) - 1))
    sizes, rows = collapse(list(shape[:-1]), rows_along(loop.reads, outer))
    pad(sizes, rows, 1)
    for row, (along,) in zip(rows, rows_along(loop.reads, [len(shape) - 1]), strict=True):
        row.append(along)
    dims = Dims("map", [*sizes, width], [], [], rows, len(sizes), items, chunk * prod(sizes))
    reads, moved = operands_of(loop.reads, dims, len(loop.reads))
    push_words(t, dims.head, loop.reads, dims.rows)
    t.push_ref(Ref(block, 0, (), ()), [node.spec.size, chunk, *[0] * (len(sizes) - 1)], writes=True)
    written = (*reads, Operand(dtype.name, STRIDE_ONE, "scatter"))
    last = len(reads)
    start, value = (c if c >= 0 else last - c for c in (code(program.start), code(program.value)))
    form, stmts = "scatter_rows_of_zeros" if clears else "scatter_rows", stmts_of(loop.stmts, 0, last)
    text = KernelText(form, len(dims.kept), 0, written, stmts, ((start, last), (value, last)))
    moved += 2 * dtype.itemsize
    t.call(text, items, dims.item_elements * element_ps([s.op for s in stmts], moved), node)


def _is_zeros(x: Node) -> bool:
    is_known = x.op.name == "expand" and x.inputs[0].op.name == "const"
    return is_known and repr(x.inputs[0].params[0]) in ("0", "0.0", "False")  # -0.0 is another number
