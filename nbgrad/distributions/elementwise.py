"""Transforms of numbers, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.transforms import Transform, with_dims
from nbgrad.distributions.utils import broadcast_shape, finfo, softplus, sum_rightmost
from nbgrad.tensor import Tensor


class _Elementwise(Transform):
    """A bijective function of numbers, which is equal to others of its class."""

    bijective = True
    sign: Any = 1
    domain = constraints.real

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__


class ExpTransform(_Elementwise):
    """y = exp(x)."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(_Elementwise):
    """y = x^exponent, of positive numbers."""

    domain = codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size)

    sign = property(lambda self: _sign_of(self.exponent))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _same(self.exponent, other.exponent)

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return x**self.exponent

    def _inverse(self, y: Any) -> Any:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return broadcast_shape(shape, getattr(self.exponent, "shape", ()))

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


class SigmoidTransform(_Elementwise):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval

    def _call(self, x: Any) -> Any:
        limits = finfo(x)
        return x.sigmoid().clamp(float(limits.tiny), 1.0 - float(limits.eps))

    def _inverse(self, y: Any) -> Any:
        limits = finfo(y)
        p = y.clamp(float(limits.tiny), 1.0 - float(limits.eps))
        return p.log() - (-p).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Elementwise):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x)


class TanhTransform(_Elementwise):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|, which is not bijective: its inverse is y."""

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(_Elementwise):
    """y = loc + scale x, numbers or tensors; ``event_dim`` dims at the right are one value."""

    event_dim: Any = 0

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    domain = codomain = property(lambda self: with_dims(constraints.real, self.event_dim))
    sign = property(lambda self: _sign_of(self.scale))

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, AffineTransform)
        return same and _same(self.loc, other.loc) and _same(self.scale, other.scale)  # type: ignore[attr-defined]

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        scale = self.scale
        each = scale.abs().log() if isinstance(scale, Tensor) else x.new_tensor(math.log(abs(scale)))
        each = each.expand(broadcast_shape(x.shape, each.shape))
        return sum_rightmost(each, self.event_dim)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return broadcast_shape(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


def _sign_of(x: Any) -> Any:
    return x.sign() if isinstance(x, Tensor) else (x > 0) - (x < 0)


def _same(a: Any, b: Any) -> bool:
    """Whether two parameters are equal; at tensors that are not the same one it looks."""
    if a is b:
        return True
    found = a == b
    return bool(found.all()) if isinstance(found, Tensor) else bool(found)
