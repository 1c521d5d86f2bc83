"""Triangles and diagonals."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim
from nbgrad.calls.layout import diagonal as diagonal_of
from nbgrad.calls.reduce import sum as total
from nbgrad.calls.shape import as_shape
from nbgrad.errors import DTypeNotImplementedError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.matrix import triangle


@call(method=True, inplace=True)
def tril(input: Node, diagonal: int = 0) -> Node:
    """The elements on and below a diagonal of the last two dims, 0 elsewhere."""
    return _triangle("tril", "le", input, diagonal)


@call(method=True, inplace=True)
def triu(input: Node, diagonal: int = 0) -> Node:
    """The elements on and above a diagonal of the last two dims, 0 elsewhere."""
    return _triangle("triu", "ge", input, diagonal)


def _triangle(name: str, test: str, x: Node, diagonal: int) -> Node:
    if x.spec.rank < 2:
        raise ShapeError(f"{name}: input tensor must have at least 2 dimensions")
    return triangle(x, test, diagonal)


@call(method=True)
def diag(input: Node, diagonal: int = 0) -> Node:
    """The diagonal of a matrix, or the square matrix that has a vector on its diagonal and 0 elsewhere. A copy."""
    if input.spec.rank == 1:
        return _with_diagonal(input, diagonal)
    if input.spec.rank != 2:
        raise ShapeError(f"diag(): Supports 1D or 2D tensors. Got {input.spec.rank}D")
    return apply("copy", diagonal_of(input, diagonal))


def _with_diagonal(x: Node, offset: int) -> Node:
    """One element every n + 1 of n * n zeros, along the last dim."""
    *batch, length = x.spec.shape
    n = length + abs(offset)
    zeros = zeros_of(Spec.of((*batch, n * n), x.spec.dtype))
    start = const(offset if offset >= 0 else -offset * n, int64)
    return as_shape(apply("put_slice", zeros, x, start, params=(len(batch), length, n + 1)), (*batch, n, n))


@call(method=True)
def diag_embed(input: Node, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Node:
    """The last dim of input as diagonals of matrices whose other elements are 0: their rows are dim ``dim1`` of the
    result, their columns ``dim2``. IndexError for dims that are not there, RuntimeError where both are one.

    >>> nbgrad.diag_embed(nbgrad.tensor([[1, 2], [3, 4]]))[1]
    tensor([[3, 0],
            [0, 4]])
    """
    rank = input.spec.rank + 1
    a, b = one_dim("diag_embed", dim1, rank), one_dim("diag_embed", dim2, rank)
    if not input.spec.shape:
        raise TensorIndexError("diag_embed(): expected an input with at least one dim")
    if a == b:
        raise ShapeError(f"diag_embed: diagonal dimensions cannot be identical {dim1}, {dim2}")
    if a > b:
        a, b, offset = b, a, -offset
    matrices = _with_diagonal(input, offset)
    order = [*range(rank - 2)]
    order.insert(a, rank - 2)
    order.insert(b, rank - 1)
    return matrices if order == [*range(rank)] else apply("copy", apply("permute", matrices, params=(tuple(order),)))


@call(method=True)
def trace(input: Node) -> Node:
    """The sum of a matrix's diagonal; integers add up in int64."""
    if input.spec.rank != 2:
        raise ShapeError(f"trace: expected a matrix, but got tensor with dim {input.spec.rank}")
    if input.spec.dtype is bool_:
        raise DTypeNotImplementedError("\"trace\" not implemented for 'Bool'; use .to(int64)")
    return total(diagonal_of(input))
