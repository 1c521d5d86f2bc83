"""Convolution as a matrix product: every window of the input is a column, every filter a row.

params: (stride, padding as (low, high) pairs, dilation, groups). The columns are the one copy that is made; their
layout (channels, window, batch, places) gives one large product for the whole batch, and its derivatives are products
with the same columns. Source: Chellapilla, Puri and Simard 2006, "High performance convolutional neural networks".
"""

from __future__ import annotations

import itertools
from math import prod
from typing import Any, Final

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import convolutions
from nbgrad.ops.family import elementwise
from nbgrad.ops.library import COLLECTED_BYTES, COLLECTED_ROWS, PRODUCT_RUN, transposed
from nbgrad.ops.tangents import multilinear
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.ops.window import cropped, overlapped, padded, window_count, windows

# The derivative by the filters sums over the whole batch: in this many parts at most, which several threads can share.
SUM_PARTS: Final = 8
SUM_LENGTH: Final = 1024  # a shorter sum stays whole
IMAGE_PLACES: Final = 128  # of an image: rows of fewer fill vectors badly
# Columns up to this size are kept for the derivative; larger ones are copied again, or those of a deep network would
# all be in memory at once. The copy costs about a fifth of the products that read it.
KEPT_BYTES: Final = 32 << 20

# The derivative by the input is a convolution itself where that has not many more places.
MIRRORED_PLACES: Final = 1.5

# after(x, y): a copy of x that waits for the 0-d y.
after = elementwise(
    "after", vjp=lambda g, y, i, p: (g, None), emit=lambda b, x, y: x, reference=lambda x, y: np.array(x), moves=True
)


def _counts(x: Spec, w: Spec, params: Params) -> Shape:
    stride, padding, dilation, _ = params
    sizes = [n + low + high for n, (low, high) in zip(x.shape[2:], padding, strict=True)]
    return tuple([window_count(*each) for each in zip(sizes, w.shape[2:], stride, dilation, strict=True)])


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    x, w = specs
    return Spec.of((x.shape[0], w.shape[0], *_counts(x, w, params)), x.dtype)


def _swapped(x: Node) -> Node:
    """Dims 0 and 1 exchanged: (batch, channels, ...) and (channels, batch, ...)."""
    return apply("permute", x, params=((1, 0, *range(2, x.spec.rank)),))


def _around(padding: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return ((0, 0), (0, 0), *padding)


def _columns(x: Node, w: Spec, params: Params, wait_for: Node | None = None) -> Node:
    """(groups, channels * window, batch * places). Large ones are made only after ``wait_for``, which is 0-d."""
    stride, padding, dilation, groups = params
    spatial = len(stride)
    seen = windows(padded(_swapped(x), _around(padding)), w.shape[2:], stride, dilation)
    places = range(2, 2 + spatial)
    order = (0, *range(2 + spatial, 2 + 2 * spatial), 1, *places)
    shown = apply("permute", seen, params=(order,))
    if wait_for is None or shown.spec.size_bytes <= KEPT_BYTES:
        columns = apply("copy", shown)
    else:
        columns = apply("after", shown, wait_for)
    size = prod(w.shape[1:])
    return reshape_to(columns, (groups, size, columns.spec.size // max(groups * size, 1)))


def _columns_by_image(x: Node, w: Spec, params: Params) -> Node:
    """(batch, groups, channels * window, places)."""
    stride, padding, dilation, groups = params
    spatial = len(stride)
    seen = windows(padded(x, _around(padding)), w.shape[2:], stride, dilation)
    order = (0, 1, *range(2 + spatial, 2 + 2 * spatial), *range(2, 2 + spatial))
    columns = apply("copy", apply("permute", seen, params=(order,)))
    return reshape_to(columns, (x.spec.shape[0], groups, prod(w.shape[1:]), prod(seen.spec.shape[2 : 2 + spatial])))


def _is_by_image(x: Spec, w: Spec, params: Params) -> bool:
    """Whether each image has a product of its own: its columns are never copied, the result lies where it should."""
    places = prod(_counts(x, w, params))
    size = x.shape[0] * places * prod(w.shape[1:]) * params[3] * x.dtype.itemsize
    rows = w.shape[0] // params[3]
    return rows >= COLLECTED_ROWS and places >= IMAGE_PLACES and size >= COLLECTED_BYTES


def _filters(w: Node, groups: int) -> Node:
    """(groups, filters, channels * window)."""
    shape = w.spec.shape
    return reshape_to(w, (groups, shape[0] // groups, prod(shape[1:])))


def _convolution(inputs: tuple[Node, ...], params: Params) -> Node:
    """filters @ columns."""
    x, w = inputs
    groups = params[3]
    if _is_by_channel(w.spec, groups):
        return _stencil(x, w, params)
    if _is_by_image(x.spec, w.spec, params):
        filters = _filters(w, groups)
        every = expand_to(filters, (x.spec.shape[0], *filters.spec.shape))
        y = apply("matmul", every, _columns_by_image(x, w.spec, params))
        return reshape_to(y, (x.spec.shape[0], w.spec.shape[0], *_counts(x.spec, w.spec, params)))
    product = apply("matmul", _filters(w, groups), _columns(x, w.spec, params))
    return _swapped(reshape_to(product, (w.spec.shape[0], x.spec.shape[0], *_counts(x.spec, w.spec, params))))


def _is_by_channel(w: Spec, groups: int) -> bool:
    """Whether each channel has one filter of its own: no product, but a map over a few looks at the input."""
    return w.shape[:2] == (groups, 1) and groups > 1


def _stencil(x: Node, w: Node, params: Params) -> Node:
    """The sum over the places of a window of ``x`` there, times the filter's element."""
    stride, padding, dilation, _ = params
    seen = windows(padded(x, _around(padding)), w.spec.shape[2:], stride, dilation)
    first = seen.spec.rank - len(stride)
    total: Node | None = None
    for place in itertools.product(*map(range, w.spec.shape[2:])):
        part, share = seen, w
        for d, k in enumerate(place):
            part, share = slice_at(part, k, first + d, 1), slice_at(share, k, 2 + d, 1)
        part = reshape_to(part, seen.spec.shape[:first])
        share = expand_to(reshape_to(share, (1, w.spec.shape[0], *[1] * len(stride))), part.spec.shape)
        total = part * share if total is None else total + part * share
    assert total is not None, "a window has elements"
    return total


def _stencil_by_filters(g: Node, x: Node, w: Spec, params: Params) -> Node:
    """The sum over the batch and its places of the looks, times ``g``."""
    stride, padding, dilation, _ = params
    spatial = len(stride)
    seen = windows(padded(x, _around(padding)), w.shape[2:], stride, dilation)
    places, last = range(2, 2 + spatial), range(2 + spatial, 2 + 2 * spatial)
    shown = apply("permute", seen, params=((1, *last, 0, *places),))
    cotangent = reshape_to(_swapped(g), (g.spec.shape[1], *[1] * spatial, g.spec.shape[0], *g.spec.shape[2:]))
    products = shown * expand_to(cotangent, shown.spec.shape)
    return reshape_to(apply("sum", products, params=(tuple(range(1 + spatial, 2 + 2 * spatial)),)), w.shape)


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    x, w = inputs
    groups = params[3]
    filters = w.spec.shape[0] // groups
    rows = _rows(g, w, groups)
    by_input = transposed_convolution(g, x.spec, w, params)
    if _is_by_channel(w.spec, groups):
        return by_input, _stencil_by_filters(g, x, w.spec, params)
    short = x.spec.shape[0] <= SUM_PARTS or prod(w.spec.shape[1:]) <= PRODUCT_RUN
    if _is_by_image(x.spec, w.spec, params) and short:
        each = reshape_to(g, (g.spec.shape[0], groups, filters, prod(g.spec.shape[2:])))
        product = apply("matmul", each, transposed(_columns_by_image(x, w.spec, params)))
        return by_input, reshape_to(apply("sum", product, params=((0,),)), w.spec.shape)
    return by_input, _by_filters(rows, x, w.spec, params)


def _rows(g: Node, w: Node, groups: int) -> Node:
    """(groups, filters, batch * places)."""
    filters = w.spec.shape[0] // groups
    return reshape_to(_swapped(g), (groups, filters, g.spec.size // max(groups * filters, 1)))


def transposed_convolution(g: Node, x: Spec, w: Node, params: Params) -> Node:
    """What a convolution of an ``x`` by ``w`` makes of its result's cotangent ``g``: a value with the spec of ``x``."""
    mirrored = _mirrored(g, x, w, params)
    return _by_input(_rows(g, w, params[3]), x, w, params) if mirrored is None else mirrored


def _mirrored(g: Node, x: Spec, w: Node, params: Params) -> Node | None:
    """The cotangent of the input as a convolution of ``g`` by the filters turned round; None where that costs more.

    It needs no sums over places of the input, but multiplies what is around ``g`` by 0, too.
    """
    stride, padding, dilation, groups = params
    spatial = len(stride)
    reach = [d * (k - 1) for d, k in zip(dilation, w.spec.shape[2:], strict=True)]
    around = tuple([(r - low, r - high) for r, (low, high) in zip(reach, padding, strict=True)])
    channels, places = x.shape[1] // groups, prod(g.spec.shape[2:])
    is_product = not _is_by_channel(w.spec, groups)
    if set(stride) != {1} or (channels < COLLECTED_ROWS and is_product) or prod(x.shape[2:]) > MIRRORED_PLACES * places:
        return None
    if any(low < 0 or high < 0 for low, high in around):
        return None
    turned = reshape_to(w, (groups, w.spec.shape[0] // groups, *w.spec.shape[1:]))
    turned = apply("permute", turned, params=((0, 2, 1, *range(3, 3 + spatial)),))
    for dim, n in enumerate(w.spec.shape[2:], 3):
        turned = slice_at(turned, n - 1, dim, n, -1)
    turned = reshape_to(turned, (x.shape[1], w.spec.shape[0] // groups, *w.spec.shape[2:]))
    return apply("convolution", g, turned, params=(stride, around, dilation, groups))


def _by_input(rows: Node, x: Spec, w: Node, params: Params) -> Node:
    """filters^T @ g: a cotangent for every column, added up where windows overlap."""
    stride, padding, dilation, groups = params
    spatial = len(stride)
    columns = apply("matmul", transposed(_filters(w, groups)), rows)
    counts = _counts(x, w.spec, params)
    parts = reshape_to(columns, (x.shape[1], *w.spec.shape[2:], x.shape[0], *counts))
    order = (*range(1, 1 + spatial), 0, *range(1 + spatial, parts.spec.rank))
    sizes = tuple([n + low + high for n, (low, high) in zip(x.shape[2:], padding, strict=True)])
    whole = overlapped(apply("permute", parts, params=(order,)), sizes, stride, dilation)
    return _swapped(cropped(whole, _around(padding)))


def _by_filters(rows: Node, x: Node, w: Spec, params: Params) -> Node:
    """g @ columns^T, the sum over the batch in a few parts."""
    columns = _columns(x, w, params, _first_of(rows) if rows.spec.size else None)
    parts = sum_parts(x.spec.shape[0], rows.spec.shape[-1])
    product = apply("matmul", _split(rows, parts), transposed(_split(columns, parts)))
    return reshape_to(apply("sum", product, params=((1,),)), w.shape)


def _first_of(x: Node) -> Node:
    return reshape_to(slice_at(reshape_to(x, (x.spec.size,)), 0, 0, 1), ())


def sum_parts(batch: int, length: int) -> int:
    """Into how many parts of whole images a sum over ``length`` places is cut."""
    if length < SUM_LENGTH:
        return 1
    return max(n for n in range(1, SUM_PARTS + 1) if batch % n == 0)


def _split(matrices: Node, parts: int) -> Node:
    """(groups, n, length) as (groups, parts, n, length / parts), a view."""
    groups, n, length = matrices.spec.shape
    cut = reshape_to(matrices, (groups, n, parts, length // parts))
    return apply("permute", cut, params=((0, 2, 1, 3),))


def _reference(x: Any, w: Any, stride: Shape, padding: Any, dilation: Shape, groups: int) -> Any:
    """Each place of the windows in turn: a product of filters and the input seen from there."""
    x = np.pad(x, _around(padding))
    counts = [window_count(*each) for each in zip(x.shape[2:], w.shape[2:], stride, dilation, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *counts), x.dtype)
    width, filters = w.shape[1], w.shape[0] // groups
    for place in np.ndindex(*w.shape[2:]):
        at = [
            slice(k * d, k * d + (n - 1) * s + 1 if n else k * d, s)
            for k, d, n, s in zip(place, dilation, counts, stride, strict=True)
        ]
        for group in range(groups):
            seen = x[(slice(None), slice(group * width, (group + 1) * width), *at)]
            rows = slice(group * filters, (group + 1) * filters)
            out[:, rows] += np.moveaxis(np.tensordot(w[(rows, slice(None), *place)], seen, (1, 1)), 0, 1)
    return out


convolution = define(
    Op(
        # inputs (x (N, C, ...), w (O, C / groups, ...)): (N, O, ...)
        "convolution",
        Kind.COMPOSITE,
        _infer,
        _reference,
        vjp=_vjp,
        is_holomorphic=True,
        jvp=multilinear,
        decompose=_convolution,
        batch=convolutions,
    )
)
