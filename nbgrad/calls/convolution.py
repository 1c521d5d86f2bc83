"""Convolution over one, two or three dims; columns of windows as arrays of their own."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call, one_dim, require_number
from nbgrad.calls.shape import sizes_of
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape
from nbgrad.ops.view import expand_to, reshape_to

Sizes = int | Shape


def tuple_of(name: str, what: str, value: object, spatial: int, least: int = 1) -> Shape:
    """One number for each of ``spatial`` dims; a single one stands for all of them."""
    sizes = sizes_of(name, value)
    sizes = sizes * spatial if len(sizes) == 1 else sizes
    if len(sizes) != spatial:
        raise ShapeError(f"{name}: {what} must be an int or {spatial} of them, got {list(sizes)}")
    if any(n < least for n in sizes):
        kind = "negative" if least == 0 else "non-positive"
        raise ShapeError(f"{name}: {kind} {what} is not supported, got {list(sizes)}")
    return sizes


def check_operands(name: str, x: Node, w: Node, bias: Node | None, spatial: int, channels: int, outputs: int) -> None:
    """That ranks, dtypes and channel numbers fit together."""
    if w.spec.rank != spatial + 2:
        raise ShapeError(f"{name}: expected a weight of {spatial + 2} dimensions, got {list(w.spec.shape)}")
    if x.spec.rank not in (spatial + 1, spatial + 2):
        raise ShapeError(
            f"{name}: Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input, but got input of size: "
            f"{list(x.spec.shape)}"
        )
    require_number(name, x, w)
    for what, parameter in (("weight", w), ("bias", bias)):
        if parameter is not None and parameter.spec.dtype is not x.spec.dtype:
            raise DTypeError(
                f"{name}: Input type ({x.spec.dtype.name}) and {what} type ({parameter.spec.dtype.name}) should be "
                "the same"
            )
    if x.spec.shape[-spatial - 1] != channels:
        raise ShapeError(
            f"{name}: Given weight of size {list(w.spec.shape)}, expected input{list(x.spec.shape)} to have "
            f"{channels} channels, but got {x.spec.shape[-spatial - 1]} channels instead"
        )
    if bias is not None and bias.spec.shape != (outputs,):
        raise ShapeError(f"{name}: expected bias to have {outputs} elements, got size {list(bias.spec.shape)}")


def check_groups(name: str, w: Node, groups: int) -> None:
    """That the filters can be shared among so many groups."""
    if groups <= 0:
        raise ShapeError(f"{name}: non-positive groups is not supported, got {groups}")
    if w.spec.rank and w.spec.shape[0] % groups:
        raise ShapeError(
            f"{name}: Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size {list(w.spec.shape)} instead"
        )


def batched(x: Node, spatial: int) -> Node:
    """``x`` with a batch dim, also where the user gave none."""
    return x if x.spec.rank == spatial + 2 else reshape_to(x, (1, *x.spec.shape))


def finished(y: Node, bias: Node | None, has_batch: bool) -> Node:
    """With the bias of each channel added, and without the batch dim that the input did not have."""
    if bias is not None:
        y = y + expand_to(reshape_to(bias, (1, bias.spec.size, *[1] * (y.spec.rank - 2))), y.spec.shape)
    return y if has_batch else reshape_to(y, y.spec.shape[1:])


def _margins(name: str, padding: object, size: Shape, stride: Shape, dilation: Shape) -> tuple[tuple[int, int], ...]:
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ArgumentError(f"{name}: Invalid padding string {padding!r}, it is 'valid' or 'same'")
        if padding == "valid":
            return ((0, 0),) * len(size)
        if any(s != 1 for s in stride):
            raise ShapeError(f"{name}: padding='same' is not supported for strided convolutions")
        reach = [d * (k - 1) for k, d in zip(size, dilation, strict=True)]
        return tuple([(n // 2, n - n // 2) for n in reach])
    return tuple([(n, n) for n in tuple_of(name, "padding", padding, len(size), 0)])


def _conv(
    name: str,
    spatial: int,
    x: Node,
    w: Node,
    bias: Node | None,
    stride: Sizes,
    padding: Sizes | str,
    dilation: Sizes,
    groups: int,
) -> Node:
    check_groups(name, w, groups)
    channels = w.spec.shape[1] * groups if w.spec.rank > 1 else 0
    check_operands(name, x, w, bias, spatial, channels, w.spec.shape[0] if w.spec.rank else 0)
    step, apart = tuple_of(name, "stride", stride, spatial), tuple_of(name, "dilation", dilation, spatial)
    size = w.spec.shape[2:]
    margins = _margins(name, padding, size, step, apart)
    for n, (low, high), k, d in zip(x.spec.shape[-spatial:], margins, size, apart, strict=True):
        if n + low + high < d * (k - 1) + 1 or k == 0:
            raise ShapeError(
                f"{name}: Calculated padded input size per channel: ({n + low + high}). Kernel size: "
                f"({d * (k - 1) + 1}). Kernel size can't be greater than actual input size, nor 0"
            )
    y = apply(
        "convolution", apply("flat", batched(x, spatial)), apply("flat", w), params=(step, margins, apart, groups)
    )
    return finished(y, bias, x.spec.rank == spatial + 2)


@call(functional=True, grad_fn="Convolution")
def conv1d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Node:
    """Sums of input under every place of a sliding window, weighted by filters; see ``conv2d``.

    Shapes: input (N, C, L) or (C, L), weight (O, C / groups, K), bias (O); gives (N, O, L') or (O, L').
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@call(functional=True, grad_fn="Convolution")
def conv2d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Node:
    """Sums of input under every place of a sliding window, weighted by filters (cross-correlation, not flipped).

    out[n, o, i, j] = bias[o] + sum over c, k, l of weight[o, c, k, l] * input[n, c, i * stride + k * dilation, ...],
    the input having ``padding`` zeros around it ("same": as many as keep its size). Group g of the filters sees group g
    of the channels. Shapes: input (N, C, H, W) or (C, H, W), weight (O, C / groups, K, L), bias (O); gives
    (N, O, H', W'), H' = (H + 2 * padding - dilation * (K - 1) - 1) // stride + 1. RuntimeError where sizes or dtypes do
    not fit.

    >>> image = nbgrad.arange(9.0).reshape(1, 1, 3, 3)
    >>> nbgrad.conv2d(image, nbgrad.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@call(functional=True, grad_fn="Convolution")
def conv3d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Node:
    """``conv2d`` with one more dim: input (N, C, D, H, W) or (C, D, H, W), weight (O, C / groups, K, L, M)."""
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@call(function=False, method=True)
def unfold(input: Node, dimension: int, size: int, step: int) -> Node:
    """All windows of ``size`` elements along ``dimension``, one every ``step``: their number in its place, a new last
    dim for their elements. A view, of which several elements may be one in memory.
    """
    name = "unfold"
    d = one_dim(name, dimension, input.spec.rank)
    x = reshape_to(input, input.spec.shape or (1,))
    n = x.spec.shape[d]
    if size < 0 or size > n:
        raise ShapeError(f"{name}: maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise ShapeError(f"{name}: step is {step} but must be > 0")
    if size == 0:
        raise ShapeError(f"{name}: windows of no elements are not supported")
    y = apply("window", x, params=(d, size, step, 1))
    return y if input.spec.shape else reshape_to(y, (size,))
