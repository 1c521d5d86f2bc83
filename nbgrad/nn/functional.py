"""Activations, the linear map and one-hot vectors as functions; the losses are in ``losses.py`` and found here too."""

from __future__ import annotations

import warnings

from nbgrad.creation import arange
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import DType, int64
from nbgrad.nn.losses import cross_entropy, l1_loss, mse_loss, nll_loss
from nbgrad.tensor import Tensor

__all__ = [
    "cross_entropy",
    "gelu",
    "l1_loss",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight^T + bias``. Shapes: input (..., in), weight (out, in) or (in), bias (out); gives (..., out)."""
    product = input.matmul(weight.transpose(0, 1) if weight.dim() == 2 else weight)
    return product if bias is None else product + bias


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), element by element; NaN stays NaN and the derivative at 0 is 0."""
    return input.relu_() if inplace else input.relu()


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution's CDF at x; ``approximate="tanh"`` uses the tanh formula.

    Source: Hendrycks and Gimpel 2016, "Gaussian error linear units".
    """
    return input.gelu(approximate=approximate)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent, element by element."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
    return input.sigmoid()


def softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along ``dim``; ``dtype`` is what the input is converted to first."""
    return _converted(input, dtype).softmax(_implicit_dim("softmax", input, dim))


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of ``softmax``, computed without overflow."""
    return _converted(input, dtype).log_softmax(_implicit_dim("log_softmax", input, dim))


def _converted(input: Tensor, dtype: DType | None) -> Tensor:
    return input if dtype is None else input.to(dtype)


def _implicit_dim(name: str, input: Tensor, dim: int | None) -> int:
    if dim is not None:
        return dim
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Add dim=X.", stacklevel=3)
    return 0 if input.dim() in (0, 1, 3) else 1


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """int64 vectors with a 1 at each class index; a new last axis of ``num_classes`` (by default the largest + 1).

    Looks at the values: they must be in [0, num_classes).
    """
    if tensor.dtype is not int64:
        raise DTypeError(f"one_hot is only applicable to index tensor of type int64, not {tensor.dtype!r}")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise ArgumentError("Can not infer total number of classes from empty tensor: give num_classes.")
    else:
        low, high = int(tensor.amin().item()), int(tensor.amax().item())
        if low < 0:
            raise ArgumentError(f"Class values must be non-negative; the smallest is {low}.")
        if num_classes == -1:
            num_classes = high + 1
        if high >= num_classes:
            raise ArgumentError(f"Class values must be smaller than num_classes ({num_classes}), got {high}.")
    return (tensor.unsqueeze(-1) == arange(num_classes)).to(int64)
