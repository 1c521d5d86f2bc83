"""Sliding windows: a view that shows every window, its adjoint that adds windows up, and padding around an array.

Convolution and pooling are made of these three; the view costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import by_dim, widened
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import reshape_to, slice_at


def window_count(n: int, size: int, step: int, dilation: int) -> int:
    """How many windows of ``size`` elements, ``dilation`` apart, begin every ``step`` elements within ``n``."""
    return max((n - (size - 1) * dilation - 1) // step + 1, 0)


def _window_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (x,), (dim, size, step, dilation) = specs, params
    count = window_count(x.shape[dim], size, step, dilation)
    return Spec.of((*x.shape[:dim], count, *x.shape[dim + 1 :], size), x.dtype)


def _window_reference(x: Any, dim: int, size: int, step: int, dilation: int) -> Any:
    count = window_count(x.shape[dim], size, step, dilation)
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
    along = x.strides[dim]
    strides = (*x.strides[:dim], along * step, *x.strides[dim + 1 :], along * dilation)
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def _window_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    dim, _, step, dilation = params
    return (apply("overlap_add", g, params=(dim, inputs[0].spec.shape[dim], step, dilation)),)


def _overlap_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (w,), (dim, n, _, _) = specs, params
    return Spec.of((*w.shape[:dim], n, *w.shape[dim + 1 : -1]), w.dtype)


def _overlap_reference(w: Any, dim: int, n: int, step: int, dilation: int) -> Any:
    count = w.shape[dim]
    out = np.zeros((*w.shape[:dim], n, *w.shape[dim + 1 : -1]), w.dtype)
    for k in range(w.shape[-1]):
        places = slice(k * dilation, k * dilation + (count - 1) * step + 1, step) if count else slice(0, 0)
        out[(slice(None),) * dim + (places,)] += w[..., k]
    return out


def _overlap_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    dim, _, step, dilation = params
    return (apply("window", g, params=(dim, inputs[0].spec.shape[-1], step, dilation)),)


def _pad_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    shape = [n + low + high for n, (low, high) in zip(specs[0].shape, params[0], strict=True)]
    return Spec.of(tuple(shape), specs[0].dtype)


def _pad_reference(x: Any, fill: Any, around: tuple[tuple[int, int], ...]) -> Any:
    return np.pad(x, around, constant_values=fill)


def _pad_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """The cotangent inside, and the sum of what lies around it."""
    inside = cropped(g, params[0])
    whole = tuple(range(g.spec.rank))
    return inside, apply("sum", g, params=(whole,)) - apply("sum", inside, params=(whole,))


window = define(
    Op(
        # params: (dim, size, step, dilation): element [.., i, .., k] is x[.., i * step + k * dilation, ..]
        "window",
        Kind.VIEW,
        _window_infer,
        _window_reference,
        vjp=_window_vjp,
        jvp=linear,
        batch=by_dim,
    )
)
overlap_add = define(
    Op(
        # params: (dim, n, step, dilation): windows laid over n zeros and added, those of the first element first
        "overlap_add",
        Kind.LIBRARY,
        _overlap_infer,
        _overlap_reference,
        vjp=_overlap_vjp,
        jvp=linear,
        batch=by_dim,
    )
)
pad = define(
    Op(
        # inputs (x, fill 0-d), params: (((low, high) for each dim),): x with ``fill`` around it
        "pad",
        Kind.LIBRARY,
        _pad_infer,
        _pad_reference,
        vjp=_pad_vjp,
        jvp=linear,
        batch=widened,
        moves=True,
    )
)


def padded(x: Node, around: Sequence[tuple[int, int]], fill: float = 0) -> Node:
    """``x`` with ``fill`` around it; itself where there is nothing to add."""
    if not any(low or high for low, high in around):
        return x
    return apply("pad", x, const(fill, x.spec.dtype), params=(tuple(around),))


def cropped(x: Node, around: Sequence[tuple[int, int]]) -> Node:
    """``x`` without its margins: what ``padded`` is undone by."""
    for dim, (low, high) in enumerate(around):
        if low or high:
            x = slice_at(x, low, dim, x.spec.shape[dim] - low - high)
    return x


def windows(x: Node, size: Shape, step: Shape, dilation: Shape) -> Node:
    """All windows over the last dims of ``x``, as a view: (*lead, *counts, *size)."""
    first = x.spec.rank - len(size)
    for i, (n, s, d) in enumerate(zip(size, step, dilation, strict=True)):
        x = apply("window", x, params=(first + i, n, s, d))
    return x


def overlapped(parts: Node, sizes: Shape, step: Shape, dilation: Shape) -> Node:
    """Windows added up over dims of ``sizes``: (*window size, *lead, *counts) gives (*lead, *sizes).

    One dim at a time, the first one first: as long as the last ones are not added up, rows follow each other in memory
    on both sides, and are added as one (a LeNet's 6 channels of 64 images: half the time). The other dims of the
    windows stay outermost.
    """
    spatial = len(sizes)
    lead = parts.spec.rank - 2 * spatial
    for j in range(spatial):
        last = apply("permute", parts, params=((*range(1, parts.spec.rank), 0),))
        parts = apply("overlap_add", last, params=(spatial - 1 + lead, sizes[j], step[j], dilation[j]))
    return parts


def in_one(x: Node, first: int, last: int) -> Node:
    """The dims from ``first`` up to ``last`` (not included) made one."""
    shape = x.spec.shape
    return reshape_to(x, (*shape[:first], prod(shape[first:last]), *shape[last:]))
