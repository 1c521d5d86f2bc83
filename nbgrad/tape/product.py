"""The matrix product: factors as they lie in memory, and tiles of the result for threads to take."""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.node import Node
from nbgrad.tape.append import offer_in_place
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.dims import collapse, pad
from nbgrad.tape.kernel import STRIDE_ONE, KernelText, Operand
from nbgrad.tape.loop import row_major
from nbgrad.tape.operands import contiguous, ref_of
from nbgrad.tape.tape import SPLIT, Instruction
from nbgrad.tape.texts import intern
from nbgrad.tape.work import PS_PER_FLOP

BATCH_RANK: Final = 2  # at least: one kernel serves nearly all products
TILE_ROWS: Final = 256  # of A: with PRODUCT_RUN columns they keep in the second cache
SMALL_TILE_ROWS: Final = 128  # where there would be few tiles for threads to share
TILE_ROW_BYTES: Final = 768  # of the result: four panels of the widest vectors
TILES: Final = 4
# A right factor that lies column by column is turned round for each product, a third of the time of one of few rows
# (32 x 128 x 512: 40 us, 33 without). A loop's weight is turned once for all steps; that costs as much as 16 products.
FEW_ROWS: Final = 64
MANY_PRODUCTS: Final = 32


class Matrix(NamedTuple):
    """A stack of matrices: ``ref`` strides run over the batch dims; bytes from row to row and along a row."""

    ref: Ref
    row: int
    column: int


def lower_product(t: TapeBuilder, node: Node) -> None:
    """Append the instruction of ``node``, a matmul of floats; a factor that lies awkwardly is copied first."""
    a, b = node.inputs
    if node.spec.shape[-1] == 1:  # a column: its transpose is a row, whose elements fill a vector
        left, right = _flipped(_matrix(t, b)), _flipped(_readable(t, a))
    else:
        left, right = _matrix(t, a), _right(t, node)
    out = _result(t, node)
    _push(t, node, left, right, None, out)


def lower_product_onto(t: TapeBuilder, node: Node) -> None:
    """Append the instruction of ``x + a @ b``, made in the memory of ``x`` where that is a value nobody else needs."""
    x, a, _ = node.inputs
    left, right = _matrix(t, a), _right(t, node)
    before = _copy(t, x, "a sum with a matrix product")
    out = _result(t, node)
    if before.ref.block not in (left.ref.block, right.ref.block):
        offer_in_place(t, before.ref, out.ref)
    _push(t, node, left, right, before, out)


def _result(t: TapeBuilder, node: Node) -> Matrix:
    strides = row_major(node.spec)
    return Matrix(Ref(t.value_block(node), 0, (), strides[:-2]), *strides[-2:])


def _push(t: TapeBuilder, node: Node, left: Matrix, right: Matrix, before: Matrix | None, out: Matrix) -> None:
    *batch, m, n = node.spec.shape
    if n == 1 and before is None:
        m, n, out = n, m, _flipped(out)
    k, dtype = node.inputs[-1].spec.shape[-2], node.spec.dtype
    matrices = (left, right, before or out, out)
    sizes, rows = collapse(batch, [matrix.ref.strides for matrix in matrices])
    pad(sizes, rows, BATCH_RANK)
    tile_m, tile_n, tiles = tiles_of(m, n, dtype.itemsize)
    at = len(t.words)
    t.words += [m, n, k, tile_m, tile_n, left.row, left.column, right.row, right.column, matrices[2].row, out.row]
    t.words += [int(before is not None), *sizes]
    for matrix, row in zip(matrices, rows, strict=True):
        t.push_ref(matrix.ref, row)
    operands = tuple([Operand(dtype.name, STRIDE_ONE, role) for role in ("in", "in", "in", "out")])
    text = intern(KernelText("gemm", len(sizes), 0, operands))
    items = prod(batch) * tiles
    cost = 2 * tile_m * tile_n * k * PS_PER_FLOP[dtype.name] + 1
    t.push(Instruction(text, at, items, 1, cost, SPLIT if items > 1 else 0, (node,)))


def tiles_of(m: int, n: int, itemsize: int) -> tuple[int, int, int]:
    """(rows, columns) of a tile, and how many tiles there are."""
    columns = min(n, TILE_ROW_BYTES // itemsize)
    across = -(-n // columns)
    rows = min(m, TILE_ROWS if -(-m // TILE_ROWS) * across >= TILES else SMALL_TILE_ROWS)
    return rows, columns, -(-m // rows) * across


def _matrix(t: TapeBuilder, x: Node) -> Matrix:
    """``x`` where it lies."""
    ref = ref_of(t, x, x.spec.rank)
    return Matrix(ref._replace(strides=ref.strides[:-2]), *ref.strides[-2:])


def _right(t: TapeBuilder, node: Node) -> Matrix:
    """The right factor of ``node``, row by row if that pays over all products that have it."""
    b, rows = node.inputs[-1], node.spec.shape[-2]
    matrix = _readable(t, b)
    if matrix.column == b.spec.dtype.itemsize or rows > FEW_ROWS or t.right_factors[b] < MANY_PRODUCTS:
        return matrix
    return _copy(t, b, "many products of few rows")


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


def _copy(t: TapeBuilder, x: Node, why: str) -> Matrix:
    ref = contiguous(t, x, why)
    return Matrix(ref._replace(strides=ref.strides[:-2]), *ref.strides[-2:])


def _flipped(matrix: Matrix) -> Matrix:
    return Matrix(matrix.ref, matrix.column, matrix.row)
