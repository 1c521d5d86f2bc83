"""Functions that mix channels or features: bilinear maps, normalisation across channels, shuffles."""

from __future__ import annotations

from math import prod
from typing import Any

from nbgrad.calls.arguments import float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

_avg_pool1d = function_of(CALLS["avg_pool1d"])
_conv1d = function_of(CALLS["conv1d"])
_pad = function_of(CALLS["pad"])


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W_k x2 + b_k for each output k. Shapes: (*, in1), (*, in2), W (out, in1, in2), b (out); gives (*, out).

    >>> nbgrad.nn.functional.bilinear(nbgrad.tensor([2.0]), nbgrad.tensor([3.0]), nbgrad.ones(1, 1, 1))
    tensor([6.])
    """
    a, b = [tensor_of("bilinear", name, x) for name, x in (("input1", input1), ("input2", input2))]
    w: Any = tensor_of("bilinear", "weight", weight)
    if not a.dim() == b.dim() != 0 or tuple(a.shape[:-1]) != tuple(b.shape[:-1]):
        raise ShapeError(f"bilinear(): input batch dimensions do not match: got {list(a.shape)} and {list(b.shape)}")
    if w.dim() != 3 or (a.shape[-1], b.shape[-1]) != tuple(w.shape[1:]):
        raise ShapeError(
            f"bilinear(): expected a weight of shape (out, {a.shape[-1]}, {b.shape[-1]}), got {list(w.shape)}"
        )
    if bias is not None and tuple(bias.shape) != (w.shape[0],):
        raise ShapeError(f"bilinear(): bias size does not match: got {list(bias.shape)}, expected {[w.shape[0]]}")
    out, in1, in2 = w.shape
    rows = prod(a.shape[:-1])
    left = a.reshape(rows, in1).matmul(w.permute(1, 0, 2).reshape(in1, out * in2)).reshape(rows, out, in2)
    result = (left * b.reshape(rows, 1, in2)).sum(-1).reshape(*a.shape[:-1], out)
    return result if bias is None else result + bias  # type: ignore[no-any-return]


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """``conv1d`` of a sequence of shape (time, batch, channels) by a weight (window, in, out).

    >>> nbgrad.nn.functional.conv_tbc(nbgrad.ones(4, 1, 2), nbgrad.ones(3, 2, 1), nbgrad.zeros(1)).shape
    nbgrad.Size([2, 1, 1])
    """
    x: Any = tensor_of("conv_tbc", "input", input)
    w: Any = tensor_of("conv_tbc", "weight", weight)
    if x.dim() != 3 or w.dim() != 3:
        raise ShapeError(f"conv_tbc: input and weight must have 3 dims, got {x.dim()} and {w.dim()}")
    result: Any = _conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), bias, 1, int_of("conv_tbc", "pad", pad))
    return result.permute(2, 0, 1)  # type: ignore[no-any-return]


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """input / (k + alpha * mean of the squares of ``size`` neighbouring channels)^beta; shapes (N, C, ...).

    The mean counts channels that are not there as zeros. Source: Krizhevsky et al. 2012.

    >>> nbgrad.nn.functional.local_response_norm(nbgrad.ones(1, 1, 1), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000]]])
    """
    name = "local_response_norm"
    x: Any = tensor_of(name, "input", input)
    if x.dim() < 3:
        raise ArgumentError(f"Expected 3D or higher dimensionality input (got {x.dim()} dimensions)")
    n, share = int_of(name, "size", size), float_of(name, "alpha", alpha)
    if n < 1:
        raise ArgumentError(f"{name}: size must be positive, got {n}")
    if not x.numel():
        return x * 1.0  # type: ignore[no-any-return]
    squares = (x * x).reshape(x.shape[0], x.shape[1], -1).transpose(1, 2)
    mean: Any = _avg_pool1d(_pad(squares, (n // 2, (n - 1) // 2)), n, 1)
    spread = mean.transpose(1, 2).reshape(x.shape) * share + float_of(name, "k", k)
    return x / spread.pow(float_of(name, "beta", beta))  # type: ignore[no-any-return]


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels of ``groups`` equal groups, one of each group after the other; shapes (N, C, ...).

    Source: Zhang et al. 2018, "ShuffleNet". RuntimeError where the number of channels is no multiple.

    >>> nbgrad.nn.functional.channel_shuffle(nbgrad.arange(4).reshape(1, 4, 1), 2).flatten()
    tensor([0, 2, 1, 3])
    """
    x: Any = tensor_of("channel_shuffle", "input", input)
    n = int_of("channel_shuffle", "groups", groups)
    if x.dim() < 3:
        raise ShapeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(x.shape)}")
    if n < 1:
        raise ShapeError(f"Number of groups to divide channels in must be positive. Value of groups:{n}")
    if x.shape[1] % n:
        raise ShapeError(f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and {n} groups.")
    split = x.reshape(x.shape[0], n, x.shape[1] // n, *x.shape[2:])
    return split.transpose(1, 2).reshape(x.shape)  # type: ignore[no-any-return]


native_channel_shuffle = channel_shuffle
