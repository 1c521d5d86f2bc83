"""Means and other norms of windows, and windows as columns (im2col)."""

from __future__ import annotations

from math import prod
from typing import Any

import nbgrad.calls.columns  # noqa: F401  defines im2col
from nbgrad.calls.arguments import float_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError, TensorIndexError
from nbgrad.nn.functions.windows import Sizes, each, pooled
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

_adaptive_avg_pool3d = function_of(CALLS["adaptive_avg_pool3d"])
_AVERAGES = {k: function_of(CALLS[f"avg_pool{k}d"]) for k in (1, 2, 3)}


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Means of ``output_size`` parts as equal as they can be; None keeps a size. Shapes (N, C, D, H, W), or without N.

    >>> nbgrad.nn.functional.adaptive_avg_pool3d(nbgrad.arange(8.0).reshape(1, 2, 2, 2), 1)
    tensor([[[[3.5000]]]])
    """
    x = tensor_of("adaptive_avg_pool3d", "input", input)
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * 3
    sizes = [own if n is None else n for n, own in zip(given, x.shape[-3:], strict=False)]
    result: Tensor = _adaptive_avg_pool3d(x, tuple(sizes) if len(given) == 3 else tuple(given))
    return result


def _lp_pool(spatial: int, input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> Tensor:
    """(sum of x^p over a window)^(1/p), as the mean times the number of elements; negative sums give 0."""
    name = f"lp_pool{spatial}d"
    x, p = pooled(name, input, spatial), float_of(name, "norm_type", norm_type)
    if p == 0:
        raise ArgumentError(f"{name}: norm_type must not be 0")
    size = each(name, "kernel_size", kernel_size, spatial)
    mean: Any = _AVERAGES[spatial](x.pow(p), size, stride, 0, ceil_mode)
    return (mean.sign() * mean.abs().relu() * prod(size)).pow(1.0 / p)  # type: ignore[no-any-return]


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(the sum of x^p over every window)^(1/p) with p the ``norm_type``; shapes (N, C, L) or (C, L).

    Windows that hang over the end (``ceil_mode``) count as if they were whole, as in PyTorch.

    >>> nbgrad.nn.functional.lp_pool1d(nbgrad.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(the sum of x^p over every window)^(1/p); shapes (N, C, H, W) or (C, H, W); see ``lp_pool1d``.

    >>> nbgrad.nn.functional.lp_pool2d(nbgrad.tensor([[[3.0, 4.0]]]), 2, (1, 2))
    tensor([[[5.]]])
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Sizes, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(the sum of x^p over every window)^(1/p); shapes (N, C, D, H, W) or without N; see ``lp_pool1d``.

    >>> nbgrad.nn.functional.lp_pool3d(nbgrad.tensor([[[[3.0, 4.0]]]]), 2, (1, 1, 2))
    tensor([[[[5.]]]])
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


def unfold(input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Tensor:
    """Every window of images as a column: (N, C, H, W) gives (N, C k k, windows); N may be missing.

    RuntimeError where no window fits, IndexError for another number of dims.

    >>> nbgrad.nn.functional.unfold(nbgrad.arange(6.0).reshape(1, 2, 3), 2)
    tensor([[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]])
    """
    name = "unfold"
    x: Any = tensor_of(name, "input", input)
    if x.dim() not in (3, 4):
        raise TensorIndexError(f"{name}: Expected 3D or 4D (batch mode) tensor, but got input of shape {list(x.shape)}")
    size, apart = each(name, "kernel_size", kernel_size, 2), each(name, "dilation", dilation, 2)
    step, around = each(name, "stride", stride, 2), each(name, "padding", padding, 2)
    if min(*size, *apart, *step) < 1 or min(around) < 0:
        raise ShapeError(f"{name}: kernel_size, dilation and stride must be greater than 0, and padding not negative")
    reach = [d * (k - 1) + 1 for k, d in zip(size, apart, strict=True)]
    wide = [n + 2 * p for n, p in zip(x.shape[-2:], around, strict=True)]
    if any(r > n for r, n in zip(reach, wide, strict=True)):
        raise ShapeError(f"{name}: windows of {reach} elements do not fit into {wide} with padding")
    columns: Tensor = record(CALLS["im2col"], (x,), (tuple(size), tuple(apart), tuple(step), tuple(around)))
    return columns
