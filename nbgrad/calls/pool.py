"""Pooling: the largest element or the mean of every window over the last dims."""

from __future__ import annotations

from functools import partial
from math import prod

from nbgrad.calls.base import call, require_number
from nbgrad.calls.convolution import Sizes, tuple_of
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, ShapeError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.composite import mean_of
from nbgrad.ops.reduce import identity
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.ops.window import padded

Margins = list[tuple[int, int]]


class _Windows:
    """Where the windows of a pooling lie: sizes, steps, the margins they need, and how many there are."""

    def __init__(
        self, name: str, x: Node, size: Sizes, stride: Sizes | None, padding: Sizes, dilation: Sizes, spatial: int
    ) -> None:
        if x.spec.rank not in (spatial + 1, spatial + 2):
            raise ShapeError(
                f"{name}: Expected {spatial + 1}D or {spatial + 2}D input, but got input of size {list(x.spec.shape)}"
            )
        self.size = tuple_of(name, "kernel_size", size, spatial)
        given = stride is not None and stride != ()
        self.step = tuple_of(name, "stride", stride, spatial) if given else self.size
        self.padding = tuple_of(name, "padding", padding, spatial, 0)
        self.dilation = tuple_of(name, "dilation", dilation, spatial)
        self.shape = x.spec.shape[-spatial:]
        for k, p, d in zip(self.size, self.padding, self.dilation, strict=True):
            if p > (d * (k - 1) + 1) // 2:
                raise ShapeError(
                    f"{name}: pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                    f"and dilation={d}"
                )

    def margins(self, name: str, ceil_mode: bool) -> Margins:
        """(low, high) for each dim; ``ceil_mode`` lets a last window hang over the end."""
        found: Margins = []
        for n, k, s, p, d in zip(self.shape, self.size, self.step, self.padding, self.dilation, strict=True):
            room = n + 2 * p - d * (k - 1) - 1
            count = -(-room // s) + 1 if ceil_mode else room // s + 1
            if ceil_mode and (count - 1) * s >= n + p:  # it would begin beyond the end
                count -= 1
            if count < 1 or n == 0:
                raise ShapeError(f"{name}: Given input size {list(self.shape)}. Calculated output size is too small")
            over = (count - 1) * s + d * (k - 1) + 1 - (n + p)
            found.append((p, max(over, p)))
        return found


def _around(x: Node, margins: Margins) -> Margins:
    return [(0, 0)] * (x.spec.rank - len(margins)) + margins


def _max_pool(
    name: str,
    spatial: int,
    x: Node,
    size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
) -> Node:
    require_number(name, x)
    at = _Windows(name, x, size, stride, padding, dilation, spatial)
    wide = padded(apply("flat", x), _around(x, at.margins(name, ceil_mode)), identity("amax", x.spec.dtype))
    return apply("max_pool", wide, params=(at.size, at.step, at.dilation))


@call(function=False)
def max_pool1d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Node:
    """The largest element of every window; shapes (N, C, L) or (C, L); see nn/functions/maxima.py."""
    return _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode)


@call(function=False, grad_fn="MaxPool2DWithIndices")
def max_pool2d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Node:
    """The largest element of every window; shapes (N, C, H, W) or (C, H, W)."""
    return _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)


@call(function=False, grad_fn="MaxPool3DWithIndices")
def max_pool3d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
) -> Node:
    """The largest element of every window; shapes (N, C, D, H, W) or (C, D, H, W)."""
    return _max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode)


def _avg_pool(
    name: str,
    spatial: int,
    x: Node,
    size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Node:
    if not x.spec.dtype.is_floating_point and x.spec.dtype is not int64:
        raise DTypeError(f"{name}: not implemented for {x.spec.dtype.name}")
    if divisor == 0:
        raise ShapeError(f"{name}: divisor must be not zero")
    at = _Windows(name, x, size, stride, padding, 1, spatial)
    margins = at.margins(name, ceil_mode)
    total = apply("sum_pool", padded(apply("flat", x), _around(x, margins)), params=(at.size, at.step, at.dilation))
    divide = partial(apply, "div" if x.spec.dtype.is_floating_point else "trunc_divide", total)
    if divisor is not None:
        return divide(const(divisor, x.spec.dtype))
    plain = all(high == p for (_, high), p in zip(margins, at.padding, strict=True))
    if plain and (count_include_pad or not any(at.padding)):
        return divide(const(prod(at.size), x.spec.dtype))
    return divide(_counts(total, at, count_include_pad))


def _counts(total: Node, at: _Windows, count_include_pad: bool) -> Node:
    """How many elements each window holds: of the input, or of the input with its padding."""
    shape, first = total.spec.shape, total.spec.rank - len(at.size)
    counts: Node = const(1, total.spec.dtype)
    for i, (n, k, s, p) in enumerate(zip(at.shape, at.size, at.step, at.padding, strict=True)):
        start = iota_node(shape, first + i) * s - p
        low, high = (-p, n + p) if count_include_pad else (0, n)
        end = apply("minimum", start + k, const(high, int64))
        counts = counts * cast_to(end - apply("maximum", start, const(low, int64)), total.spec.dtype)
    return counts


@call(function=False, functional=True)
def avg_pool1d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Node:
    """The mean of every window; shapes (N, C, L) or (C, L); see ``avg_pool2d``."""
    return _avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@call(function=False, functional=True, grad_fn="AvgPool2D")
def avg_pool2d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Node:
    """The mean of every window, zeros of the padding included unless ``count_include_pad`` is False.

    ``divisor_override`` is what sums are divided by instead of the number of elements. Shapes: (N, C, H, W) or
    (C, H, W). RuntimeError where no window fits.
    """
    name = "avg_pool2d"
    return _avg_pool(name, 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@call(function=False, functional=True, grad_fn="AvgPool3D")
def avg_pool3d(
    input: Node,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Node:
    """``avg_pool2d`` of volumes: shapes (N, C, D, H, W) or (C, D, H, W).

    >>> nbgrad.nn.functional.avg_pool3d(nbgrad.arange(8.0).reshape(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
    """
    name = "avg_pool3d"
    return _avg_pool(name, 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _adaptive(name: str, x: Node, output_size: Sizes, spatial: int) -> Node:
    """Means of ``sizes`` parts of the last dims, the parts as equal as they can be."""
    if not x.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"{name}: not implemented for {x.spec.dtype.name}")
    if 1 < spatial >= x.spec.rank:
        raise ArgumentError(f"{name}: Input dimension should be at least {spatial + 1}, got {list(x.spec.shape)}")
    if x.spec.rank not in (spatial + 1, spatial + 2):
        raise ShapeError(f"{name}: Expected {spatial + 1}D or {spatial + 2}D tensor, but got {list(x.spec.shape)}")
    first = x.spec.rank - spatial
    wanted = tuple_of(name, "output_size", output_size, spatial, 0)
    if 0 in x.spec.shape[first - 1 :]:
        raise ShapeError(
            f"{name}: Expected input to have non-zero size for non-batch dimensions, but it has {list(x.spec.shape)}"
        )
    if all(n == 1 for n in wanted):
        dims = tuple(range(first, x.spec.rank))
        return reshape_to(mean_of(x, dims), (*x.spec.shape[:first], *wanted))
    x = apply("flat", x)
    if all(n and m % n == 0 for n, m in zip(wanted, x.spec.shape[first:], strict=True)):
        size = tuple([m // n for n, m in zip(wanted, x.spec.shape[first:], strict=True)])
        total = apply("sum_pool", x, params=(size, size, (1,) * spatial))
        return total / const(prod(size), x.spec.dtype)
    for i, n in enumerate(wanted):
        x = _parts(x, first + i, n)
    return x


def _parts(x: Node, dim: int, count: int) -> Node:
    """Part i of a dim of n elements holds those from floor(i n / count) up to ceil((i + 1) n / count)."""
    shape, n = x.spec.shape, x.spec.shape[dim]
    means = []
    for i in range(count):
        start, stop = i * n // count, -(-(i + 1) * n // count)
        part = mean_of(slice_at(x, start, dim, stop - start), (dim,))
        means.append(reshape_to(part, (*shape[:dim], 1, *shape[dim + 1 :])))
    empty = (*shape[:dim], 0, *shape[dim + 1 :])
    return apply("cat", *means, params=(dim,)) if means else expand_to(const(0, x.spec.dtype), empty)


@call(function=False, functional=True)
def adaptive_avg_pool1d(input: Node, output_size: Sizes) -> Node:
    """Means of ``output_size`` parts as equal as they can be; shapes (N, C, L) or (C, L)."""
    return _adaptive("adaptive_avg_pool1d", input, output_size, 1)


@call(function=False, grad_fn="AdaptiveAvgPool2D")
def adaptive_avg_pool2d(input: Node, output_size: Sizes) -> Node:
    """Means of ``output_size`` parts as equal as they can be. Shapes (N, C, H, W) or (C, H, W)."""
    return _adaptive("adaptive_avg_pool2d", input, output_size, 2)


@call(function=False, grad_fn="AdaptiveAvgPool3D")
def adaptive_avg_pool3d(input: Node, output_size: Sizes) -> Node:
    """Means of ``output_size`` parts as equal as they can be. Shapes (N, C, D, H, W) or (C, D, H, W)."""
    return _adaptive("adaptive_avg_pool3d", input, output_size, 3)
