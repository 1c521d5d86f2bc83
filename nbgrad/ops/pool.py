"""The largest element and the sum of every window over the last dims; params: (size, step, dilation).

Windows are few elements: one strided look at the input for each of their places makes a map, which a reduction over
rows of two or three elements could not match.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.ops.window import overlapped, window_count


def _counts(shape: Shape, params: Params) -> Shape:
    size, step, dilation = params
    sizes = shape[len(shape) - len(size) :]
    return tuple([window_count(*each) for each in zip(sizes, size, step, dilation, strict=True)])


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    shape = specs[0].shape
    return Spec.of((*shape[: len(shape) - len(params[0])], *_counts(shape, params)), specs[0].dtype)


def _looks(x: Node, params: Params) -> list[Node]:
    """What each place of the windows sees, in row-major order: strided views of ``x``."""
    size, step, dilation = params
    first = x.spec.rank - len(size)
    counts = _counts(x.spec.shape, params)
    found = []
    for place in product(*map(range, size)):
        seen = x
        for i, k in enumerate(place):
            seen = slice_at(seen, k * dilation[i], first + i, counts[i], step[i])
        found.append(seen)
    return found


def _largest(x: Node, params: Params) -> tuple[Node, Node]:
    """(the largest element, which place it has), NaN being larger than all and the first of equals taken."""
    best, *others = _looks(x, params)
    at = const(0, x.spec.dtype)
    for k, seen in enumerate(others, start=1):
        better = apply("gt", seen, best)
        if x.spec.dtype.is_floating_point:
            better = apply("bit_or", better, apply("ne", seen, seen))
        best = apply("where", better, seen, best)
        at = apply("where", better, const(k, x.spec.dtype), at)
    return best, at


def _max_pool(inputs: tuple[Node, ...], params: Params) -> Node:
    """The larger of the places seen so far and the next one."""
    return _largest(inputs[0], params)[0]


def _max_pool_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The element that was taken gets the cotangent of its window."""
    (x,) = inputs
    _, at = _largest(x, params)
    shape = (prod(params[0]), *g.spec.shape)
    taken = apply("eq", cast_to(iota_node(shape, 0), g.spec.dtype), expand_to(at, shape))
    return (_laid_back(apply("where", taken, expand_to(g, shape), const(0, g.spec.dtype)), x.spec, params),)


def _sum_pool(inputs: tuple[Node, ...], params: Params) -> Node:
    """The places of a window added in row-major order."""
    total, *others = _looks(inputs[0], params)
    for seen in others:
        total = total + seen
    return total if others else apply("copy", total)


def _sum_pool_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (_laid_back(expand_to(g, (prod(params[0]), *g.spec.shape)), inputs[0].spec, params),)


def _laid_back(parts: Node, x: Spec, params: Params) -> Node:
    """(places, *result) added up over the elements of ``x`` that they came from."""
    size, step, dilation = params
    split = reshape_to(parts, (*size, *parts.spec.shape[1:]))
    return overlapped(split, x.shape[len(x.shape) - len(size) :], step, dilation)


def _folded(function: Any) -> Any:
    def reference(x: Any, size: Shape, step: Shape, dilation: Shape) -> Any:
        first = x.ndim - len(size)
        for i, (n, s, d) in enumerate(zip(size, step, dilation, strict=True)):
            count = window_count(x.shape[first + i], n, s, d)
            places = np.arange(count)[:, None] * s + np.arange(n) * d
            x = np.moveaxis(np.take(x, places, axis=first + i), first + i + 1, -1)
        dims = tuple(range(x.ndim - len(size), x.ndim))
        return np.asarray(function(x, axis=dims)).astype(x.dtype)

    return reference


max_pool = define(
    Op("max_pool", Kind.COMPOSITE, _infer, _folded(np.max), vjp=_max_pool_vjp, decompose=_max_pool, batch=leading)
)
sum_pool = define(
    Op(
        "sum_pool",
        Kind.COMPOSITE,
        _infer,
        _folded(np.sum),
        vjp=_sum_pool_vjp,
        jvp=linear,
        decompose=_sum_pool,
        batch=leading,
    )
)
