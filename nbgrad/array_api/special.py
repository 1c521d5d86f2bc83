"""Special functions with derivatives. The standard has none yet, but SciPy looks for them here."""

from __future__ import annotations

from math import inf, log, pi, sqrt
from typing import Any, Final

from nbgrad.array_api.promotion import together
from nbgrad.calls.base import CALLS
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

__all__ = ["entr", "erf", "erfc", "erfinv", "expit", "logit", "ndtr", "ndtri", "xlogy"]

erf, erfc, erfinv, expit, logit = (function_of(CALLS[name]) for name in ("erf", "erfc", "erfinv", "sigmoid", "logit"))
_xlogy = function_of(CALLS["xlogy"])
_SMALL: Final = 0.15


def entr(x: Tensor, /) -> Any:
    """-x log(x); 0 of 0, and minus infinity below."""
    return record(CALLS["where"], (tensor_of("entr", "x", x) < 0, -inf, -_xlogy(x, x)))


def ndtr(x: Tensor, /) -> Any:
    """The share of a normal distribution below ``x``."""
    return 0.5 * erfc(tensor_of("ndtr", "x", x) * -sqrt(0.5))


def ndtri(y: Tensor, /) -> Any:
    """What a share ``y`` of a normal distribution is below."""
    y = tensor_of("ndtri", "y", y)
    is_small = (y > 0) & (y < _SMALL)  # there 2 y - 1 loses digits of y
    share = record(CALLS["where"], (is_small, y, _SMALL))
    t = (-2 * share.log()).sqrt()
    x = (log(2 * pi) + 2 * t.log()) / (2 * t) - t  # what it tends to
    for _ in range(4):  # Newton's steps towards log(ndtr(x)) = log(share)
        below = ndtr(x)
        x = x - (below / share).log() * below * (x * x / 2).exp() * sqrt(2 * pi)
    return record(CALLS["where"], (is_small, x, sqrt(2) * erfinv(2 * record(CALLS["where"], (is_small, 0.5, y)) - 1)))


def xlogy(x1: Any, x2: Any, /) -> Any:
    """x1 log(x2); 0 where ``x1`` is 0."""
    return _xlogy(*together(x1, x2))
