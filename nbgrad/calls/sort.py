"""Sorting along a dim: the places, of which ``sorting.py`` makes what users call; medians of all elements."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim
from nbgrad.calls.indexing import flat
from nbgrad.calls.reduce import evenly
from nbgrad.errors import DTypeNotImplementedError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import reshape_to


@call(method=True)
def argsort(input: Node, dim: int = -1, descending: bool = False, stable: bool = False) -> Node:
    """The places of the elements along ``dim`` in ascending order: int64, of the shape of ``input``.

    NaN comes last (first with ``descending``). Equal elements keep their order, whatever ``stable`` says.

    >>> nbgrad.tensor([2.0, 3.0, 1.0]).argsort()
    tensor([2, 0, 1])
    """
    return places_in_order("argsort", input, dim, descending)


def places_in_order(name: str, input: Node, dim: int, descending: bool, *kept: int) -> Node:
    rank = input.spec.rank
    d = one_dim(name, dim, rank)
    if not rank:
        return reshape_to(places_in_order(name, reshape_to(input, (1,)), 0, descending), ())
    swap = (*range(d), *range(d + 1, rank), d)
    back = (*range(d), rank - 1, *range(d, rank - 1))
    if input.spec.dtype.is_complex:
        raise DTypeNotImplementedError(f"sort: not implemented for {input.spec.dtype.name}")
    keys = apply("sort_key", input, params=(descending,))
    return apply("permute", apply("order", apply("permute", keys, params=(swap,)), params=kept), params=(back,))


@call(function=False, shown="median")
def median_all(input: Node) -> Node:
    """The median of all elements: ``median(input)``; NaN where there is one. Equal ones share the derivative evenly."""
    middle = const((input.spec.size - 1) // 2, int64)
    if input.spec.dtype.is_floating_point:  # NaN stands last
        last = const(input.spec.size - 1, int64)
        middle = apply("where", apply("eq", _numbers(input), const(input.spec.size, int64)), middle, last)
    return _in_order(input, middle)


@call(function=False, shown="nanmedian")
def nanmedian_all(input: Node) -> Node:
    """The median of all elements that are not NaN: ``nanmedian(input)``. Equal ones share the derivative evenly."""
    middle = apply("floor_divide", _numbers(input) - const(1, int64), const(2, int64))
    return _in_order(input, apply("maximum", middle, const(0, int64)))


def _numbers(x: Node) -> Node:
    """How many elements are not NaN."""
    return apply("sum", cast_to(apply("eq", x, x), int64), params=(tuple(range(x.spec.rank)),))


def _in_order(x: Node, place: Node) -> Node:
    """The element at ``place`` of all in ascending order."""
    row = flat(x)
    found = apply("take", row, apply("take", argsort(row), reshape_to(place, (1,))))
    return evenly(apply("detach", reshape_to(found, ())), x, tuple(range(x.spec.rank)))
