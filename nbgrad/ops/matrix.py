"""Formulas over the last two dims, of which rules of matrix operators are made."""

from __future__ import annotations

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.library import transposed
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to


def product(*factors: Node) -> Node:
    """The matrix product of ``factors``, from left to right; batch dims are equal."""
    first, *rest = factors
    for factor in rest:
        first = apply("matmul", first, factor)
    return first


def triangle(x: Node, test: str, diagonal: int = 0) -> Node:
    """``x`` where the column less the row is "le" or "ge" ``diagonal``, 0 elsewhere."""
    inside = apply(test, _column_less_row(x), const(diagonal, int64))
    return apply("where", inside, x, const(0, x.spec.dtype))


def on_diagonal(x: Node, others: Node | None = None) -> Node:
    """Square matrices with ``x`` (..., n) on their diagonals; off them ``others``, or 0."""
    shape = (*x.spec.shape, x.spec.shape[-1])
    own = along_columns(x, shape)
    is_diagonal = apply("eq", _column_less_row(own), const(0, int64))
    return apply("where", is_diagonal, own, const(0, x.spec.dtype) if others is None else others)


def along_columns(x: Node, shape: tuple[int, ...]) -> Node:
    """Numbers of columns (..., n) for each element of matrices of ``shape``."""
    return expand_to(reshape_to(x, (*x.spec.shape[:-1], 1, x.spec.shape[-1])), shape)


def along_rows(x: Node, shape: tuple[int, ...]) -> Node:
    """Numbers of rows (..., n) for each element of matrices of ``shape``."""
    return expand_to(reshape_to(x, (*x.spec.shape, 1)), shape)


def everywhere(x: Node, shape: tuple[int, ...]) -> Node:
    """A number of each matrix for each element of matrices of ``shape``."""
    return expand_to(reshape_to(x, (*x.spec.shape, 1, 1)), shape)


def total(x: Node) -> Node:
    """The sum of the elements of each matrix."""
    return apply("sum", x, params=((x.spec.rank - 2, x.spec.rank - 1),))


def symmetric(x: Node) -> Node:
    """(x + x^T) / 2."""
    return (x + transposed(x)) * const(0.5, x.spec.dtype)


def square_size(name: str, spec: Spec) -> int:
    """n of matrices of n rows and columns."""
    if spec.rank < 2 or spec.shape[-1] != spec.shape[-2]:
        raise ShapeError(f"{name}: A must be batches of square matrices, but they have shape {list(spec.shape)}")
    return spec.shape[-1]


def _column_less_row(x: Node) -> Node:
    shape, rank = x.spec.shape, x.spec.rank
    return iota_node(shape, rank - 1) - iota_node(shape, rank - 2)
