"""Several values for one element, reduced: scatter_reduce and index_reduce.

It is read when one of them is asked for (``functions/scatter_reduce.py``), or by ``scatter`` that multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import nbgrad.ops.scatter_extreme
import nbgrad.ops.scatter_product  # noqa: F401  they define them
from nbgrad.calls.base import TensorNode, call, one_dim
from nbgrad.calls.filling import fitting_slices
from nbgrad.calls.indexing import flat, scattering
from nbgrad.errors import DTypeNotImplementedError, RunError
from nbgrad.graph.dtypes import bool_, int32, int64, uint8
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.indexing import index_of
from nbgrad.ops.reduce import identity
from nbgrad.ops.view import expand_to, reshape_to, slice_at


@call(method=True, inplace=True)
def scatter_reduce(
    input: Node, dim: int, index: TensorNode, src: TensorNode, reduce: str, *, include_self: bool = True
) -> Node:
    """input whose element [index[i][j]][j] (dim 0, and likewise for others) is the reduction of it and all src[i][j]
    that belong there; without ``include_self`` of these alone. Where none belongs, it stays.

    ``reduce`` is "sum", "prod", "mean", "amax" or "amin"; means of integers are rounded down. Equal extremes share the
    derivative evenly (PyTorch counts input among them also without ``include_self``, and loses its share); beside NaN
    all have NaN. RuntimeError for other words, shapes that do not fit and different dtypes, IndexError at run time for
    a place that is not there.

    >>> x, places = nbgrad.tensor([1.0, 2.0, 3.0]), nbgrad.tensor([0, 0, 2])
    >>> x.scatter_reduce(0, places, nbgrad.tensor([5.0, 6.0, 7.0]), "amax")
    tensor([6., 2., 7.])
    """
    name = "scatter_reduce"
    if reduce not in _REDUCTIONS:
        raise RunError(f"{name}: reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    d = one_dim(name, dim, input.spec.rank)
    if not index.spec.size:
        return apply("tie", apply("copy", input), src)
    where, values = scattering(name, input, d, index, src)
    return reduced_at(name, input, where, values, reduce, include_self)


@call(method=True, inplace=True)
def index_reduce(
    input: Node, dim: int, index: TensorNode, source: TensorNode, reduce: str, *, include_self: bool = True
) -> Node:
    """input whose slice index[i] of ``dim`` is the reduction of it and all source[i] that belong there; without
    ``include_self`` of these alone. Where none belongs, it stays.

    ``reduce`` is "prod", "mean", "amax" or "amin", as ``scatter_reduce`` has them. RuntimeError for other words, shapes
    that do not fit and different dtypes, IndexError at run time for a place that is not there.

    >>> nbgrad.ones(2, 2).index_reduce(0, nbgrad.tensor([1, 1]), nbgrad.tensor([[2.0, 3.0], [4.0, 5.0]]), "prod")
    tensor([[ 1.,  1.],
            [ 8., 15.]])
    """
    name = "index_reduce"
    if reduce == "sum" or reduce not in _REDUCTIONS:
        raise RunError(f"{name}(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    where = fitting_slices(name, input, dim, index, source)
    if where is None:
        return apply("tie", apply("copy", input), source)
    return reduced_at(name, input, where, flat(source), reduce, include_self)


def reduced_at(name: str, input: Node, where: Node, values: Node, reduce: str, include_self: bool) -> Node:
    """The reduction ``reduce`` of the flattened input and ``values`` at the places ``where`` in it."""
    kind = input.spec.dtype
    if kind is bool_ and reduce == "mean":
        raise DTypeNotImplementedError(f"{name}: means are not implemented for bool")
    x = flat(input)
    if kind is bool_:
        x, values, reduce = cast_to(x, uint8), cast_to(values, uint8), _OF_BOOLS[reduce]
    found = _REDUCTIONS[reduce](x, where, values, include_self)
    return reshape_to(cast_to(found, kind), input.spec.shape)


def _counts(x: Node, where: Node) -> Node:
    """How many values each element has."""
    ones = expand_to(const(1, int64), where.spec.shape)
    return apply("scatter_add", expand_to(const(0, int64), x.spec.shape), where, ones)


def _replaced(x: Node, where: Node, identity: float, include_self: bool) -> Node:
    """``x``, or where there are values what changes no reduction."""
    if include_self:
        return x
    return apply("where", apply("gt", _counts(x, where), const(0, int64)), const(identity, x.spec.dtype), x)


def _sum(x: Node, where: Node, values: Node, include_self: bool) -> Node:
    return apply("scatter_add", _replaced(x, where, 0, include_self), where, values)


def _mean(x: Node, where: Node, values: Node, include_self: bool) -> Node:
    count = _counts(x, where)
    if include_self:
        count = count + const(1, int64)
    count = cast_to(apply("maximum", count, const(1, int64)), x.spec.dtype)
    total = _sum(x, where, values, include_self)
    return total / count if x.spec.dtype.is_inexact else apply("floor_divide", total, count)


def _product(x: Node, where: Node, values: Node, include_self: bool) -> Node:
    begun = _replaced(x, where, 1, include_self)
    if x.spec.dtype.is_complex and where.spec.size:
        return _by_doubling(begun, where, values)
    return apply("scatter_product", begun, where, values)


def _by_doubling(x: Node, where: Node, values: Node) -> Node:
    """Of complex numbers, for which there is no kernel: values in the order of their places, each multiplied with what
    lies 1, 2, 4, ... before it, where that belongs to the same place. The last of each place has the product of all."""
    order = apply("order", where)
    places, products = index_of(where, order), index_of(values, order)
    n, reach, one = places.spec.size, 1, const(1, x.spec.dtype)
    while reach < n:
        same = apply("eq", slice_at(places, reach, 0, n - reach), slice_at(places, 0, 0, n - reach))
        before = apply("where", same, slice_at(products, 0, 0, n - reach), one)
        later = slice_at(products, reach, 0, n - reach) * before
        products = apply("cat", slice_at(products, 0, 0, reach), later, params=(0,))
        reach *= 2
    others = apply("ne", slice_at(places, 1, 0, n - 1), slice_at(places, 0, 0, n - 1))
    last = apply("cat", others, expand_to(const(True, bool_), (1,)), params=(0,))
    alone = apply("where", last, products, const(0, x.spec.dtype))
    found = apply("scatter_add", expand_to(const(0, x.spec.dtype), x.spec.shape), places, alone)
    return apply("where", apply("gt", _counts(x, where), const(0, int64)), found, one) * x


def _extreme(largest: bool) -> Callable[[Node, Node, Node, bool], Node]:
    def reduced(x: Node, where: Node, values: Node, include_self: bool) -> Node:
        kind = x.spec.dtype
        begun = _replaced(x, where, identity("amax" if largest else "amin", kind), include_self)
        wide = kind if kind.is_floating_point or kind.itemsize >= 4 else int32
        operands = cast_to(begun, wide), where, cast_to(values, wide)
        found = apply("scatter_extreme", *operands, params=(largest, include_self))
        return cast_to(found, kind)

    return reduced


_REDUCTIONS: Final = {"sum": _sum, "prod": _product, "mean": _mean, "amax": _extreme(True), "amin": _extreme(False)}
_OF_BOOLS: Final = {"sum": "amax", "prod": "amin", "amax": "amax", "amin": "amin"}
