"""Matrices of which no strides tell where the elements lie, but a sum does: one number for the row, one for the column.

Such are the columns of a convolution, where a row is a place in the window and a column a place of the window.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbgrad.graph.geometry import Geometry, Terms, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.op import VIEW
from nbgrad.graph.spec import Shape

Factors = list[tuple[int, int]]  # (size, stride) of what a dim was made of, outermost first


class Separable(NamedTuple):
    """Element (..., i, j) is element ``offset + terms + sum(index * strides) + rows[i] + columns[j]`` of ``base``.

    The indices are those of the batch dims.
    """

    base: Node
    offset: int
    terms: Terms
    strides: Shape
    rows: Any
    columns: Any


def separable(x: Node, known: dict[Node, Geometry]) -> Separable | None:
    """Where the elements of ``x`` lie, which a reshape made that strides cannot express; None where it is none."""
    views: list[Node] = []
    node, g = x, resolve(x, known)
    while g.base.op.kind is VIEW:
        while node is not g.base:
            views.append(node)
            node = node.inputs[0]
        views.append(node)
        node = node.inputs[0]
        g = resolve(node, known)
    if not views or any(view.op.name not in ("reshape", "permute") for view in views):
        return None
    dims: list[Factors] = [[each] for each in zip(node.spec.shape, g.strides, strict=True)]
    for view in reversed(views):
        permute = view.op.name == "permute"
        moved = [dims[d] for d in view.params[0]] if permute else _regrouped(dims, view.spec.shape)
        if moved is None:
            return None
        dims = moved
    *batch, rows, columns = dims
    if any(len(factors) > 1 for factors in batch):
        return None
    strides = tuple([factors[0][1] if factors else 0 for factors in batch])
    return Separable(g.base, g.offset, g.terms, strides, _places(rows), _places(columns))


def _regrouped(dims: list[Factors], shape: Shape) -> list[Factors] | None:
    """The same factors as dims of ``shape``; None where one would have to be cut unevenly."""
    left = [factor for factors in dims for factor in factors if factor[0] != 1][::-1]
    found = []
    for n in shape:
        taken: Factors = []
        while n > 1:
            size, stride = left.pop()
            if size > n and size % n == 0:
                left.append((size // n, stride))
                size, stride = n, stride * (size // n)
            if n % size:
                return None
            n //= size
            if taken and taken[-1][1] == stride * size:
                taken[-1] = (taken[-1][0] * size, stride)
            else:
                taken.append((size, stride))
        found.append(taken)
    return found


def _places(factors: Factors) -> Any:
    """What each index adds to an element's number, in row-major order of the factors."""
    places = np.zeros(1, np.int64)
    for size, stride in factors:
        places = (places[:, None] + np.arange(size) * stride).ravel()
    return places
