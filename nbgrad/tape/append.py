"""From a loop to an instruction: dims, the kernel's text, the descriptor's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final

from nbgrad.graph.blocks import Cut, column_blocks, row_blocks, runs_apart
from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.node import Node
from nbgrad.graph.op import lookup
from nbgrad.graph.spec import Shape
from nbgrad.tape.block import ARENA, Block, Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.descriptor import (
    Dims,
    collapse,
    make_stmt,
    operands_of,
    pad,
    padded_rank,
    push_words,
    row_dims,
    rows_along,
    same_places,
)
from nbgrad.tape.kernel import COLUMN_CHUNK, LANES, ROOMY, KernelText, Reduction, Stmt, intern, loop_text
from nbgrad.tape.loop import ARG_REDUCTIONS, Access, Fold, Loop, Statement, packed
from nbgrad.tape.work import COSTLY, element_ps, pieces_of

ROOM: Final = 2 * LANES  # elements of a row of which the last registers do not count for much
FEW_ELEMENTS: Final = 8  # of a row: to go on to the next one takes as long as to write so many of them far apart


def append(t: TapeBuilder, loop: Loop) -> None:
    """Append the instruction of ``loop``; two, where partial results of a long reduction have to be combined."""
    if not loop.folds:
        _append_map(t, loop)
    elif loop.form == "row":
        _append_row(t, loop)
    else:
        append_column(t, loop)


def _append_map(t: TapeBuilder, loop: Loop) -> None:
    accesses = _accesses(loop)
    _push(t, loop, accesses, (), _map_dims(t, loop, accesses))


def _with_room(text: KernelText, inner: int) -> KernelText:
    """The map ``text`` over rows of ``inner`` elements, which may take long rows with elementary functions for granted.

    Kernels do not know sizes, and twice as many lanes would be wasted on short rows.
    """
    is_roomy = text.rank > 1 and inner >= ROOM and any(lookup(stmt.op).cost >= COSTLY for stmt in text.stmts)
    return intern(replace(text, traits=(ROOMY,))) if is_roomy else text


def _accesses(loop: Loop) -> list[Access]:
    return [*loop.reads, *[a for _, a in loop.writes]]


def _map_dims(t: TapeBuilder, loop: Loop, accesses: list[Access]) -> Dims:
    sizes, rows = collapse(loop.shape, rows_along(accesses, range(len(loop.shape))))
    if len(sizes) > 1 and not t.gpu and _is_better_crosswise(loop, sizes):
        for order in (sizes, *rows):
            order[-2:] = order[:-3:-1]
    pad(sizes, rows, padded_rank(len(sizes), 1) if t.padded else 1)
    *outer, inner = sizes
    items, item_elements = (prod(outer), inner) if outer else (inner, 1)
    return Dims("map", sizes, [], [], rows, len(sizes) - 1, items, item_elements)


def _is_better_crosswise(loop: Loop, sizes: list[int]) -> bool:
    """Whether the elements of a map are few along the inner dim and many along the one before: lanes go along that.

    Three columns of 100,000 x 8, and a function of them: 0.5 ms, 0.8 to 1.4 the other way.
    """
    if sizes[-1] >= FEW_ELEMENTS or sizes[-2] < LANES:
        return False
    return all(a.role in ("in", "out") for a in _accesses(loop))


def _append_row(t: TapeBuilder, loop: Loop) -> None:
    """Blocks of a row-form reduction; more than one block leaves partial results that a column kernel combines."""
    shape, dims = loop.shape, loop.dims
    blocks = row_blocks(prod([shape[d] for d in dims[:-1]]), shape[dims[-1]])[3]
    outs, reductions = _fold_outs(t, loop, blocks)
    accesses = _accesses(loop)
    _push(t, loop, [*accesses, *outs], reductions, row_dims(t, shape, dims, accesses, outs))
    if blocks > 1:
        _combine(t, loop, reductions, [*accesses, *outs], blocks)


def append_column(t: TapeBuilder, loop: Loop, cut: Cut | None = None) -> None:
    """Blocks of a column-form reduction; more than one leave partial results that another column kernel combines.

    Where a GPU had too few warps that way, its blocks are runs, of which each is a warp's work.
    """
    shape, dims = loop.shape, loop.dims
    kept = [d for d in range(len(shape)) if d not in dims]
    outputs = prod([shape[d] for d in kept])
    elements = prod([shape[d] for d in dims])
    cut, rest = cut or Cut(*column_blocks(outputs, elements)), None
    if t.gpu:
        cut, rest = runs_apart(cut, elements, -(-outputs // LANES))
    length, blocks, run = cut
    outs, reductions = _fold_outs(t, loop, blocks)
    accesses = _accesses(loop)
    sizes, kept_rows = collapse([shape[d] for d in kept], [*rows_along(accesses, kept), *[a.ref.strides for a in outs]])
    pad(sizes, kept_rows, padded_rank(len(sizes), 2) if t.padded else 1)
    reduced, rows = collapse([shape[d] for d in dims], rows_along(accesses, dims))
    pad(reduced, rows, padded_rank(len(reduced), 1) if t.padded else 1)
    rows += [[outputs * a.dtype.itemsize if blocks > 1 else 0] + [0] * (len(reduced) - 1) for a in outs]
    chunks = -(-sizes[-1] // COLUMN_CHUNK)
    whole = [k + r for k, r in zip(kept_rows, rows, strict=True)]
    item_elements = min(sizes[-1], COLUMN_CHUNK) * length
    extra = [run, COLUMN_CHUNK, chunks, length]
    items = prod(sizes[:-1]) * chunks * blocks
    whole_dims = Dims("column", sizes, reduced, extra, whole, len(sizes) - 1, items, item_elements)
    _push(t, loop, [*accesses, *outs], reductions, whole_dims)
    if blocks > 1:
        _combine(t, loop, reductions, [*accesses, *outs], blocks, rest)


def _fold_outs(t: TapeBuilder, loop: Loop, blocks: int) -> tuple[list[Access], tuple[Reduction, ...]]:
    """Operands that the reductions write: their values, or one partial result a block (index results with values)."""
    outs: list[Access] = []
    reductions = []
    first = len(loop.reads) + len(loop.writes)
    kept = tuple([n for d, n in enumerate(loop.shape) if d not in loop.dims])
    outputs = prod(kept)

    def out(dtype: DType, block: Block) -> int:
        outs.append(Access(dtype, "out", Ref(block, 0, (), packed(kept, dtype))))
        return first + len(outs) - 1

    for node, codes, stored in loop.folds:
        value = node.inputs[0].spec.dtype
        places = []
        if blocks > 1:
            places.append(out(value, t.temporary(blocks * outputs * value.itemsize, ARENA)))
        if node.op.name in ARG_REDUCTIONS:
            if blocks > 1:
                places.append(out(int64, t.temporary(blocks * outputs * int64.itemsize, ARENA)))
            else:
                places += [-1, out(int64, t.value_block(node)) if stored else -1]
        elif blocks == 1:
            places.append(out(value, t.value_block(node)) if stored else -1)
        reductions.append(Reduction(node.op.name, tuple(codes), tuple(places)))
    return outs, tuple(reductions)


def _combine(
    t: TapeBuilder,
    loop: Loop,
    partial: Sequence[Reduction],
    accesses: Sequence[Access],
    blocks: int,
    cut: Cut | None = None,
) -> None:
    """Fold the partial results of each reduction of ``loop``; where they are runs of larger blocks, as ``cut`` says."""
    kept = tuple([n for d, n in enumerate(loop.shape) if d not in loop.dims])
    pairs = zip(loop.folds, partial, strict=True)
    combine(t, blocks, kept, [(f.node, [accesses[out] for out in r.outs], f.stored) for f, r in pairs], cut)


def combine(
    t: TapeBuilder, parts: int, kept: Shape, folds: Sequence[tuple[Node, list[Access], bool]], cut: Cut | None = None
) -> None:
    """Fold the partial results [parts, kept] of reductions, in their order: (reduction, where they lie, is stored)."""
    final = Loop((parts, *kept), (0,), tuple([node for node, _, _ in folds]))
    for node, accesses, stored in folds:
        refs = [(a.dtype, a.ref._replace(strides=packed(final.shape, a.dtype))) for a in accesses]
        final.folds.append(Fold(node, [final.read(Access(dtype, "in", ref)) for dtype, ref in refs], stored))
    append_column(t, final, cut)


def _push(t: TapeBuilder, loop: Loop, accesses: list[Access], reductions: tuple[Reduction, ...], dims: Dims) -> None:
    """Append words and instruction of ``loop`` over ``dims``. Codes become numbers of values, operands first."""
    reads, last = len(loop.reads), len(accesses) - 1
    operands, moved = operands_of(accesses, dims, reads + len(loop.writes))
    stmts = stmts_of(loop.stmts, 0, last)
    stores = tuple([(c if c >= 0 else last - c, reads + i) for i, (c, _) in enumerate(loop.writes)])
    folds = reductions and tuple([r._replace(args=_values(r.args, 0, last)) for r in reductions])
    text = loop_text(dims.form, len(dims.kept), len(dims.reduced), operands, stmts, stores, folds, t.padded)
    if not (loop.folds or t.padded or t.gpu):
        text = _with_room(text, dims.kept[-1])
    item_ps = dims.item_elements * element_ps([s.op for s in stmts], moved)
    chunk, flags = pieces_of(dims.items, item_ps)
    push_words(t, dims.head, accesses, dims.rows)
    _offer_in_place(t, loop)
    t.push(text, dims.items, chunk, item_ps, flags, loop.nodes)


def stmts_of(statements: list[Statement], first: int, last: int) -> tuple[Stmt, ...]:
    """Statements whose codes count up from value ``first`` and down from value ``last``."""
    return tuple([make_stmt(op, _values(args, first, last), params, dtype) for op, args, params, dtype in statements])


def _values(codes: tuple[int, ...], first: int, last: int) -> tuple[int, ...]:
    return tuple([first + code if code >= 0 else last - code for code in codes])


def _offer_in_place(t: TapeBuilder, loop: Loop) -> None:
    """Note outputs that may take the memory of an input: of equal size, read at the places written."""
    written = [a.ref for _, a in loop.writes if t.may_take(a.ref.block)]
    if not written:  # most results of a single operator
        return
    blocks = [a.ref.block for a in loop.reads]
    once = [a.ref for a in loop.reads if a.role == "in" and blocks.count(a.ref.block) == 1]
    for to in written:
        for ref in once:
            offer_in_place(t, ref, to)


def offer_in_place(t: TapeBuilder, ref: Ref, to: Ref) -> None:
    """Note that the next instruction may write ``to`` in the memory of ``ref``, which it reads at the same places."""
    if ref.block is None or to.block is None or not t.may_share(ref.block, to.block):
        return
    if same_places(ref, ref.block, to, to.block):
        t.offers.append((to.block, ref.block))
