"""Activations, losses, the linear map and one-hot vectors as functions. What is computed is declared in calls/."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import DType
from nbgrad.surface import function_of
from nbgrad.tensor import Tensor

__all__ = [
    "cross_entropy",
    "elu",
    "gelu",
    "l1_loss",
    "leaky_relu",
    "linear",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "tanh",
]


def _declared(name: str) -> Callable[..., Tensor]:
    return function_of(CALLS[name])


cross_entropy = _declared("cross_entropy")
elu = _declared("elu")
gelu = _declared("gelu")
l1_loss = _declared("l1_loss")
leaky_relu = _declared("leaky_relu")
mse_loss = _declared("mse_loss")
nll_loss = _declared("nll_loss")
sigmoid = _declared("sigmoid")
silu = _declared("silu")
softplus = _declared("softplus")
tanh = _declared("tanh")

_one_hot = _declared("one_hot")


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight^T + bias``. Shapes: input (..., in), weight (out, in) or (in), bias (out); gives (..., out)."""
    product: Tensor = input.matmul(weight.t())
    return product if bias is None else product + bias


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), element by element; NaN stays NaN and the derivative at 0 is 0."""
    result: Tensor = input.relu_() if inplace else input.relu()
    return result


def softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along ``dim``; ``dtype`` is what the input is converted to first."""
    result: Tensor = input.softmax(_implicit_dim("softmax", input, dim), dtype)
    return result


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of ``softmax``, computed without overflow."""
    result: Tensor = input.log_softmax(_implicit_dim("log_softmax", input, dim), dtype)
    return result


def _implicit_dim(name: str, input: Tensor, dim: int | None) -> int:
    if dim is not None:
        return dim
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Add dim=X.", stacklevel=3)
    return 0 if input.dim() in (0, 1, 3) else 1


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """int64 vectors with a 1 at each class index; a new last axis of ``num_classes``.

    Looks at the values, which must be in [0, num_classes); by default that is the largest + 1.
    """
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise ArgumentError("Can not infer total number of classes from empty tensor: give num_classes.")
    elif not tensor.dtype.is_floating_point:
        low, high = int(tensor.min()), int(tensor.max())
        if low < 0:
            raise ArgumentError(f"Class values must be non-negative, got {low}.")
        if num_classes == -1:
            num_classes = high + 1
        if high >= num_classes:
            raise ArgumentError(f"Class values must be smaller than num_classes ({num_classes}), got {high}.")
    return _one_hot(tensor, num_classes=num_classes)
