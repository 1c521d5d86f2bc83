"""Functions that draw random numbers: dropout that keeps mean and variance, random slopes, choices of classes."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

from nbgrad.calls.arguments import float_of
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import zeros_like
from nbgrad.functions.random_tensors import rand
from nbgrad.nn import functional
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of

LOWEST: Final = -1.7580993408473766  # what selu goes to: -1.0507... * 1.6732...


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """``dropout`` of whole channels: shapes (N, C, D, H, W) or (C, D, H, W).

    >>> nbgrad.nn.functional.dropout3d(nbgrad.ones(1, 1, 1, 1, 1), training=False).item()
    1.0
    """
    x = tensor_of("dropout3d", "input", input)
    if x.dim() not in (4, 5):
        raise ArgumentError(f"dropout3d: Expected 4D or 5D input, but received a {x.dim()}D input")
    return functional._dropped("dropout3d", x, p, training, inplace, (*x.shape[:-3], 1, 1, 1))


def _alpha(name: str, input: Tensor, p: float, training: bool, inplace: bool, mask: Sequence[int] | None) -> Tensor:
    """Some elements become the lowest value of selu; all are then scaled and moved to mean 0 and variance 1."""
    x: Any = tensor_of(name, "input", input)
    share = float_of(name, "p", p)
    if not 0.0 <= share <= 1.0:
        raise ArgumentError(f"{name}: dropout probability has to be between 0 and 1, but got {share}")
    if not training or share == 0:
        return x  # type: ignore[no-any-return]
    if share == 1:
        return functional._given(x * 0.0, x, inplace)
    scale = 1.0 / sqrt((1.0 + share * LOWEST * LOWEST) * (1.0 - share))
    kept = (rand(x.shape if mask is None else mask, dtype=x.dtype, device=x.device) >= share).to(x.dtype)
    moved = (kept - 1.0) * (-LOWEST * scale) + -LOWEST * scale * share
    return functional._given(x * (kept * scale) + moved, x, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """In training, each element becomes -1.758 (what selu goes to) with probability ``p``; all are then scaled and
    moved so that mean 0 and variance 1 stay. Source: Klambauer et al. 2017, "Self-normalizing neural networks".

    >>> nbgrad.nn.functional.alpha_dropout(nbgrad.ones(2))
    tensor([1., 1.])
    """
    return _alpha("alpha_dropout", input, p, training, inplace, None)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels: shapes (N, C, ...).

    >>> nbgrad.nn.functional.feature_alpha_dropout(nbgrad.ones(1, 2, 1), training=False).tolist()
    [[[1.0], [1.0]]]
    """
    x = tensor_of("feature_alpha_dropout", "input", input)
    if x.dim() < 2 and training and p:
        raise ArgumentError("feature_alpha_dropout: Feature dropout requires at least 2 dimensions in the input")
    return _alpha("feature_alpha_dropout", x, p, training, inplace, (*x.shape[:2], *[1] * (x.dim() - 2)))


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where x > 0, otherwise x times a slope: uniform between ``lower`` and ``upper`` while training, their mean
    otherwise. Source: Xu et al. 2015, "Empirical evaluation of rectified activations".

    >>> nbgrad.nn.functional.rrelu(nbgrad.tensor([-8.0, 1.0]), 0.25, 0.75)
    tensor([-4.,  1.])
    """
    x: Any = tensor_of("rrelu", "input", input)
    low, high = float_of("rrelu", "lower", lower), float_of("rrelu", "upper", upper)
    if low > high:
        raise ArgumentError(f"rrelu: Lower bound should be less than or equal to the upper bound: {low} and {high}")
    slope: Any = (low + high) / 2
    if training:
        slope = rand(x.shape, dtype=x.dtype, device=x.device) * (high - low) + low
    return functional._given(x.where(x > 0, x * slope), x, inplace)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """softmax((logits + g) / tau) with Gumbel noise g: samples of classes that derivatives pass; with ``hard`` they are
    one-hot, and have the derivative of the soft ones. ``eps`` changes nothing.

    Source: Jang, Gu and Poole 2017, "Categorical reparameterization with Gumbel-softmax".

    >>> nbgrad.nn.functional.gumbel_softmax(nbgrad.zeros(2, 3), hard=True).sum(-1)
    tensor([1., 1.])
    """
    x: Any = tensor_of("gumbel_softmax", "logits", logits)
    # -log(u) is exponential; 1 - u is never 0
    noise: Any = -(-(1.0 - rand(x.shape, dtype=x.dtype.computed, device=x.device)).log()).log()
    soft = ((x + noise.to(x.dtype)) / float_of("gumbel_softmax", "tau", tau)).softmax(dim)
    if not hard:
        return soft  # type: ignore[no-any-return]
    one = zeros_like(soft).scatter(dim, soft.detach().argmax(dim, keepdim=True), 1.0)
    return one - soft.detach() + soft  # type: ignore[no-any-return]
