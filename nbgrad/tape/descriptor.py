"""What a loop's instruction says of sizes and places: dims, operands, the descriptor's words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.blocks import row_blocks
from nbgrad.graph.dtypes import DType
from nbgrad.graph.spec import Shape
from nbgrad.tape.block import Block, Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import STRIDE_BACK, STRIDE_ONE, STRIDE_OTHER, STRIDE_ZERO, Operand, Stmt
from nbgrad.tape.loop import Access

Rows = list[list[int]]  # for each operand, its strides
PADDED_RANKS: Final = (0, 1, 2, 4)  # per-operator kernels come in these ranks only

# Kernels are made of few different ones of these: finding one takes half the time of making it.
_operand = lru_cache(maxsize=1024)(Operand)
make_stmt = lru_cache(maxsize=8192, typed=True)(Stmt)  # typed: 1 and 1.0 are two parameters


class Dims(NamedTuple):
    """The loop's dims as the descriptor states them; ``rows`` run over kept and reduced dims."""

    form: str
    kept: list[int]
    reduced: list[int]
    extra: list[int]
    rows: Rows
    vector: int  # the dim along which lanes lie
    items: int
    item_elements: int

    @property
    def head(self) -> list[int]:
        """The words before those of the operands."""
        return [*self.kept, *self.reduced, *self.extra]


def rows_along(accesses: list[Access], dims: Sequence[int]) -> Rows:
    """Strides along ``dims``; a table doesn't move."""
    return [[0] * len(dims) if a.role == "table" else [a.ref.strides[d] for d in dims] for a in accesses]


def row_dims(t: TapeBuilder, shape: Shape, dims: Shape, accesses: list[Access], beside: list[Access]) -> Dims:
    """The dims of a row form; ``beside`` are operands with an element for each output, or for each of its blocks."""
    kept = [d for d in range(len(shape)) if d not in dims]
    outer = prod([shape[d] for d in dims[:-1]])
    rows_in_block, columns, segments, blocks = row_blocks(outer, shape[dims[-1]])
    sizes = [shape[d] for d in kept]
    all_kept, kept_rows = collapse(sizes, [*rows_along(accesses, kept), *[a.ref.strides for a in beside]])
    pad(all_kept, kept_rows, padded_rank(len(all_kept), 1) if t.padded else 0)
    reduced, rows = collapse([shape[d] for d in dims[:-1]], rows_along(accesses, dims[:-1]))
    pad(reduced, rows, padded_rank(len(reduced) + 1, 2) - 1 if t.padded else 0)
    reduced.append(shape[dims[-1]])
    for row, (last,) in zip(rows, rows_along(accesses, [dims[-1]]), strict=True):
        row.append(last)
    rows += [[prod(sizes) * a.dtype.itemsize if blocks > 1 else 0] + [0] * (len(reduced) - 1) for a in beside]
    extra = [rows_in_block, columns, segments, blocks]
    block_elements = min(rows_in_block, outer) * min(columns, shape[dims[-1]])
    whole = [k + r for k, r in zip(kept_rows, rows, strict=True)]
    vector = len(all_kept) + len(reduced) - 1
    return Dims("row", all_kept, reduced, extra, whole, vector, prod(sizes) * blocks, block_elements)


def push_words(t: TapeBuilder, head: list[int], accesses: list[Access], rows: Rows) -> None:
    """Append an instruction's words: ``head``, then for each operand its address and strides."""
    t.words += head
    for access, row in zip(accesses, rows, strict=True):
        t.push_ref(access.ref, row, access.role == "out")


def operands_of(accesses: list[Access], dims: Dims, first_out: int) -> tuple[tuple[Operand, ...], int]:
    """A loop's operands, from ``first_out`` on with an element for each output, and the bytes that an element moves."""
    moved = 0
    operands = []
    size = (dims.kept + dims.reduced)[dims.vector]
    for k, ((dtype, role, ref), row) in enumerate(zip(accesses, dims.rows, strict=True)):
        if role == "table":
            row[0] = ref.strides[0]
        stride = STRIDE_ONE if role == "table" else _stride_class(row[dims.vector], size, dtype, role)
        if k >= first_out:  # an element for each output
            if dims.form == "row":
                stride = STRIDE_ZERO
            elif role != "late":
                stride = STRIDE_ONE
        elif stride != STRIDE_ZERO and role != "scratch":
            moved += dtype.itemsize
        operands.append(_operand(dtype.name, stride, role))
    return tuple(operands), moved


def _stride_class(stride: int, size: int, dtype: DType, role: str) -> int:
    if size == 1 or stride == (1 if role == "index" else dtype.itemsize):
        return STRIDE_ONE
    if role == "in" and stride == -dtype.itemsize:
        return STRIDE_BACK
    return STRIDE_OTHER if stride else STRIDE_ZERO


def same_places(a: Ref, source: Block, b: Ref, target: Block) -> bool:
    same = source.nbytes == target.nbytes and a.strides == b.strides
    return same and a.offset == b.offset == 0 and not a.terms


def collapse(sizes: Sequence[int], rows: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """``sizes`` and stride ``rows`` without dims of 1, adjacent dims merged where every row allows it."""
    new_sizes: list[int] = []
    columns: list[list[int]] = []
    for n, *column in zip(sizes, *rows, strict=True):
        if n == 1:
            continue
        if columns and columns[-1] == [stride * n for stride in column]:
            new_sizes[-1] *= n
            columns[-1] = column
        else:
            new_sizes.append(n)
            columns.append(column)
    return new_sizes, [*map(list, zip(*columns, strict=True))] if columns else [[] for _ in rows]


def pad(sizes: list[int], rows: Sequence[list[int]], rank: int) -> None:
    """Put dims of one element in front until there are ``rank``."""
    missing = rank - len(sizes)
    if missing > 0:
        sizes[:0] = [1] * missing
        for row in rows:
            row[:0] = [0] * missing


def padded_rank(rank: int, least: int) -> int:
    """The rank of the per-operator kernel that serves ``rank``."""
    for r in PADDED_RANKS:
        if r >= rank and r >= least:
            return r
    return rank
