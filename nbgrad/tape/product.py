"""The matrix product: factors as they lie in memory."""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.node import Node
from nbgrad.graph.separable import separable
from nbgrad.ops.library import COLLECTED_ROWS, CROWDED_BYTES, PRODUCT_RUN
from nbgrad.ops.product_sum import product_sum
from nbgrad.tape.append import offer_in_place
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.descriptor import collapse, pad
from nbgrad.tape.kernel import SMALL, STRIDE_ONE, KernelText, Operand
from nbgrad.tape.operands import contiguous, copied_to, ref_of
from nbgrad.tape.product_words import ADDS_FIRST, ADDS_LAST
from nbgrad.tape.tiles import cut_of

BATCH_RANK: Final = 2  # at least: one kernel serves nearly all products
# Of a product whose draft LLVM makes without optimising at all, in a third of the time: it takes four times as long to
# run, a few microseconds.
SMALL_FLOPS: Final = 1 << 14
# A right factor that lies column by column is turned round for each product, a third of the time of one of few rows
# (32 x 128 x 512: 40 us, 33 without). A loop's weight is turned once for all steps; that costs as much as 16 products.
FEW_ROWS: Final = 64
MANY_PRODUCTS: Final = 32
# Such a weight's rows are put a cache line further apart where they are crowded: 32 x 128 x 512 with rows of 2048 bytes
# 75 GFLOP/s, of 2112 bytes 84.
LINE_BYTES: Final = 64
COLLECTED_OFTEN: Final = 2  # what more products have is copied once, not collected for each


class Matrix(NamedTuple):
    """A stack of matrices: ``ref`` strides run over the batch dims; bytes from row to row and along a row."""

    ref: Ref
    row: int
    column: int
    tables: tuple[bytes, bytes] | None = None  # of a matrix whose elements a sum tells, see graph/separable.py


def lower_product(t: TapeBuilder, node: Node) -> None:
    """Append the instruction of ``node``, a product of floats, or such a sum; awkward factors are copied first."""
    total = product_sum(node)
    assert total is not None
    if node.spec.shape[-1] == 1:  # a column: its transpose is a row, whose elements fill a vector
        term = _flipped(_matrix(t, total.b)), _flipped(_readable(t, total.a))
    else:
        term = _matrix(t, total.a), _right(t, node, total.b)
    first = None if total.first is None else _copy(t, total.first, "a sum with a matrix product")
    last = None if total.last is None else _rows(t, total.last)
    out = _at(t.place(node))
    k = total.b.spec.shape[-2]
    if node not in t.pieces:
        _offer(t, term, first, last, out, k)
    if node.spec.shape[-1] == 1:
        first, last, out = first and _flipped(first), last and _flipped(last), _flipped(out)
    _push(t, node, k, term, (first, last, out))


def _offer(
    t: TapeBuilder, term: tuple[Matrix, Matrix], first: Matrix | None, last: Matrix | None, out: Matrix, k: int
) -> None:
    """Note which value may give its memory: ``first``; ``last`` where the result is written once, after it was read."""
    factors = [x.ref.block for x in term]
    for other, once in ((first, True), (last, k <= PRODUCT_RUN)):
        if other is not None and once and other.ref.block not in factors:
            offer_in_place(t, other.ref, out.ref)


def _push(
    t: TapeBuilder,
    node: Node,
    k: int,
    term: tuple[Matrix, Matrix],
    results: tuple[Matrix | None, Matrix | None, Matrix],
) -> None:
    (left, right), (first, last, out) = term, results
    *batch, m, n = node.spec.shape
    if n == 1:
        m, n = n, m
    dtype = node.spec.dtype
    matrices = [first or out, last or out, out, left, right]
    sizes, rows = collapse(batch, [matrix.ref.strides for matrix in matrices])
    pad(sizes, rows, BATCH_RANK)
    is_crowded = left.row == dtype.itemsize and left.column % CROWDED_BYTES == 0
    cut = cut_of(m, n, k, prod(batch), dtype, is_crowded)
    t.words += [m, n, cut.rows, cut.columns, *[matrix.row for matrix in matrices[:3]]]
    t.words += [ADDS_FIRST * (first is not None) + ADDS_LAST * (last is not None), 1, *sizes]
    for matrix, row in zip(results, rows[:3], strict=True):
        if matrix is None:
            t.words += [0] * (1 + len(sizes))
        else:
            t.push_ref(matrix.ref, row, matrix is out)
    t.words += [k, left.row, left.column, right.row, right.column]
    for table in right.tables or (b"", b""):
        t.push_table(table)
    t.push_ref(left.ref, rows[3])
    t.push_ref(right.ref, rows[4])
    operands = tuple([Operand(dtype.name, STRIDE_ONE, role) for role in ("in", "in", "in", "out")])
    is_small = 2 * m * n * k * prod(batch) <= SMALL_FLOPS
    traits = (SMALL,) if t.padded and is_small else ()
    text = KernelText("gemm", len(sizes), 0, operands, is_draft=t.padded, traits=traits)
    t.call(text, cut.items, cut.cost, node)


def _matrix(t: TapeBuilder, x: Node) -> Matrix:
    """``x`` where it lies."""
    return _at(ref_of(t, x, x.spec.rank))


def _right(t: TapeBuilder, node: Node, b: Node) -> Matrix:
    """``b``, a right factor of ``node``, row by row if that pays over all products that have it."""
    rows = node.spec.shape[-2]
    found = None if t.padded or rows < COLLECTED_ROWS else _separable(t, b)
    if found is not None:
        return found
    matrix = _readable(t, b)
    if rows > FEW_ROWS or t.right_factors[b] < MANY_PRODUCTS:
        return matrix
    is_flat = matrix.column == b.spec.dtype.itemsize
    row = matrix.row if is_flat else b.spec.shape[-1] * b.spec.dtype.itemsize
    if row % CROWDED_BYTES == 0 and b.spec.rank == 2 and not t.gpu:
        return _apart(t, b)
    return matrix if is_flat else _copy(t, b, "many products of few rows")


def _apart(t: TapeBuilder, b: Node) -> Matrix:
    """A copy of the matrix ``b`` whose rows are a cache line apart, one for all products that have it."""
    (rows, columns), size = b.spec.shape, b.spec.dtype.itemsize
    strides = columns * size + LINE_BYTES, size
    block = t.spread.get(b)
    if block is None:
        t.notes.append(f"copied {b.spec} for many products of few rows: its rows crowd in the cache")
        block = t.spread[b] = copied_to(t, b, strides, rows * strides[0], (b,))
    return Matrix(Ref(block, 0, (), ()), *strides)


def _separable(t: TapeBuilder, x: Node) -> Matrix | None:
    """``x`` by tables, where only a copy would make it a matrix with strides, which is not there yet."""
    if t.geometry(x).base in t.memory or t.right_factors[x] > COLLECTED_OFTEN:
        return None
    found = separable(x, t.geometries)
    if found is None:
        return None
    size = x.spec.dtype.itemsize
    base = ref_of(t, found.base, found.base.spec.rank)
    terms = tuple([(position, c * size) for position, c in found.terms])
    ref = Ref(base.block, base.offset + found.offset * size, terms, tuple([s * size for s in found.strides]))
    return Matrix(ref, 0, 0, ((found.rows * size).tobytes(), (found.columns * size).tobytes()))


def _readable(t: TapeBuilder, x: Node) -> Matrix:
    """``x`` as the kernel can read its right factor.

    The elements of a row or of a column must follow each other; where neither do, ``x`` is copied. One that has a
    single element says so, too.
    """
    size = x.spec.dtype.itemsize
    matrix = _matrix(t, x)
    rows, columns = x.spec.shape[-2:]
    if columns == 1:
        matrix = matrix._replace(column=size)
    elif rows == 1:
        matrix = matrix._replace(row=size)
    if size in (matrix.row, matrix.column):
        return matrix
    return _copy(t, x, "a matrix product")


def _rows(t: TapeBuilder, x: Node) -> Matrix:
    """``x`` where the elements of a row follow each other."""
    matrix = _matrix(t, x)
    is_flat = matrix.column == x.spec.dtype.itemsize and x.spec.shape[-1] > 1
    return matrix if is_flat else _copy(t, x, "a sum with a matrix product")


def _copy(t: TapeBuilder, x: Node, why: str) -> Matrix:
    return _at(contiguous(t, x, why))


def _at(ref: Ref) -> Matrix:
    return Matrix(ref._replace(strides=ref.strides[:-2]), ref.strides[-2], ref.strides[-1])


def _flipped(matrix: Matrix) -> Matrix:
    return Matrix(matrix.ref, matrix.column, matrix.row)
