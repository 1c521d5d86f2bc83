"""Running sums, running products, running maxima and linear recurrences. params: (dim, backwards)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.ops.batching import by_dim
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import slice_at


def _rows(y: Any, dim: int, backwards: bool) -> Any:
    """A view of ``y`` whose first dim are the elements of ``dim``, in the order in which they come."""
    rows = np.moveaxis(y, dim, 0)
    return rows[::-1] if backwards else rows


def _scanned(x: Any, dim: int, backwards: bool, combine: Any) -> Any:
    """x, each element after the first replaced by ``combine(i, the one before, x_i)``."""
    y = np.array(x)
    rows = _rows(y, dim, backwards)
    for i in range(1, len(rows)):
        rows[i] = combine(i, rows[i - 1], rows[i])
    return y


def _sums(x: Any, dim: int, backwards: bool) -> Any:
    return _scanned(x, dim, backwards, lambda i, before, here: before + here)


def _products(x: Any, dim: int, backwards: bool) -> Any:
    return _scanned(x, dim, backwards, lambda i, before, here: before * here)


def _maxima(x: Any, dim: int, backwards: bool) -> Any:
    return _scanned(x, dim, backwards, lambda i, before, here: np.maximum(before, here))


def _recurrence(a: Any, x: Any, dim: int, backwards: bool) -> Any:
    links = _rows(a, dim, backwards)
    return _scanned(x, dim, backwards, lambda i, before, here: here + links[i - 1] * before)


def _earlier(x: Node, dim: int, backwards: bool) -> Node:
    """All elements but the last that come."""
    return slice_at(x, int(backwards), dim, x.spec.shape[dim] - 1)


def _later(x: Node, dim: int, backwards: bool) -> Node:
    """All elements but the first that comes."""
    return slice_at(x, int(not backwards), dim, x.spec.shape[dim] - 1)


def _sums_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The running sum from the other end: element i is part of all sums from i on."""
    dim, backwards = params
    return (apply("cumsum", g, params=(dim, not backwards)),)


def _recurrence_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The cotangents of x are a recurrence from the other end; what links two elements multiplies the earlier one."""
    a, _ = inputs
    dim, backwards = params
    if not g.spec.shape[dim]:
        return None, g
    totals = apply("recurrence", a, g, params=(dim, not backwards))
    return _later(totals, *params) * _earlier(y, *params), totals


def _products_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """Those of the recurrence that multiplies by the next element and adds 0; no division, so zeros do no harm."""
    (x,) = inputs
    dim, backwards = params
    if not g.spec.shape[dim]:
        return (g,)
    totals = apply("recurrence", _later(x, *params), g, params=(dim, not backwards))
    first = slice_at(totals, x.spec.shape[dim] - 1 if backwards else 0, dim, 1)
    others = _later(totals, *params) * _earlier(y, *params)
    return (apply("cat", *((others, first) if backwards else (first, others)), params=(dim,)),)


cumsum = define(
    Op("cumsum", Kind.LIBRARY, lambda specs, params: specs[0], _sums, vjp=_sums_vjp, jvp=linear, batch=by_dim)
)
cumprod = define(
    Op(
        "cumprod",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _products,
        vjp=_products_vjp,
        is_holomorphic=True,
        batch=by_dim,
    )
)
cummax = define(  # of integers
    Op("cummax", Kind.LIBRARY, lambda specs, params: specs[0], _maxima, batch=by_dim)
)
recurrence = define(
    # inputs (a, x): y_i = x_i + a * y_h with h the element before i, and a what links the two; a has one element less
    Op(
        "recurrence",
        Kind.LIBRARY,
        lambda specs, params: specs[1],
        _recurrence,
        vjp=_recurrence_vjp,
        is_holomorphic=True,
        batch=by_dim,
    )
)
