"""Sorting along a dim: the places, of which ``sorting.py`` makes what users call."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import reshape_to


@call(method=True)
def argsort(input: Node, dim: int = -1, descending: bool = False, stable: bool = False) -> Node:
    """The places of the elements along ``dim`` in ascending order: int64, of the shape of ``input``.

    NaN comes last (first with ``descending``). Equal elements keep their order, whatever ``stable`` says.

    >>> nbgrad.tensor([2.0, 3.0, 1.0]).argsort()
    tensor([2, 0, 1])
    """
    rank = input.spec.rank
    d = one_dim("argsort", dim, rank)
    if not rank:
        return reshape_to(argsort(reshape_to(input, (1,))), ())
    swap = (*range(d), *range(d + 1, rank), d)
    back = (*range(d), rank - 1, *range(d, rank - 1))
    keys = apply("sort_key", input, params=(descending,))
    return apply("permute", apply("order", apply("permute", keys, params=(swap,))), params=(back,))
