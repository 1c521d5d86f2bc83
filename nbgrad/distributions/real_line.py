"""Distributions of all real numbers, by their place and scale; the uniform one; von Mises' of angles."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.composite import TransformedDistribution
from nbgrad.distributions.distribution import Distribution
from nbgrad.distributions.elementwise import AffineTransform, ExpTransform
from nbgrad.distributions.exponential_family import ExponentialFamily
from nbgrad.distributions.utils import (
    EULER,
    broadcast_all,
    counted,
    derived,
    finfo,
    log_standard_gamma,
    random_like,
    uniform,
    where,
)
from nbgrad.special import i0e, i1e
from nbgrad.tensor import Size

_LOCATED = {"loc": constraints.real, "scale": constraints.positive}


class Normal(ExponentialFamily):
    """The normal distribution with mean ``loc`` and standard deviation ``scale``.

    >>> nbgrad.distributions.Normal(0.0, 1.0).log_prob(nbgrad.tensor(0.0))
    tensor(-0.9189)
    """

    arg_constraints = _LOCATED
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean = mode = derived(lambda self: self.loc)
    stddev = derived(lambda self: self.scale)
    variance = derived(lambda self: self.scale**2)

    def _draw(self, shape: Size) -> Any:
        return self.loc + random_like("randn", self.loc, shape) * self.scale

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return -0.5 * z * z - self.scale.log() - 0.5 * math.log(2 * math.pi)

    def _cdf(self, value: Any) -> Any:
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())

    def _icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> Any:
        variance = self.scale**2
        return self.loc / variance, -0.5 / variance

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return -0.25 * x * x / y + 0.5 * (-math.pi / y).log()


class Laplace(Distribution):
    """The Laplace distribution: exponential on both sides of ``loc``, with mean distance ``scale``."""

    arg_constraints = _LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean = mode = derived(lambda self: self.loc)
    variance = derived(lambda self: 2 * self.scale**2)
    stddev = derived(lambda self: math.sqrt(2) * self.scale)

    def _draw(self, shape: Size) -> Any:
        return self._icdf(uniform(self.loc, shape)).to(self.loc.dtype)

    def _log_prob(self, value: Any) -> Any:
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def _cdf(self, value: Any) -> Any:
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def _icdf(self, value: Any) -> Any:
        share = value - 0.5
        return self.loc - self.scale * share.sign() * (-2 * share.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(Distribution):
    """Cauchy's distribution about ``loc``, with half its width at half maximum ``scale``; it has no mean."""

    arg_constraints = _LOCATED
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean = derived(lambda self: self.loc.new_full(self._batch_shape, math.nan))
    mode = derived(lambda self: self.loc)
    variance = derived(lambda self: self.loc.new_full(self._batch_shape, math.inf))

    def _draw(self, shape: Size) -> Any:
        return self._icdf(uniform(self.loc, shape)).to(self.loc.dtype)

    def _log_prob(self, value: Any) -> Any:
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def _cdf(self, value: Any) -> Any:
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def _icdf(self, value: Any) -> Any:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class StudentT(Distribution):
    """Student's t-distribution of ``df`` degrees of freedom, about ``loc``, stretched by ``scale``."""

    arg_constraints = {"df": constraints.positive, **_LOCATED}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self._set(validate_args, df=df, loc=loc, scale=scale)

    mean = derived(lambda self: where(self.df > 1, self.loc, math.nan))
    mode = derived(lambda self: self.loc)

    @derived
    def variance(self) -> Any:
        df = self.df
        finite = self.scale**2 * df / where(df > 2, df - 2, 1.0)
        return where(df > 2, finite, where(df > 1, math.inf, df.new_full((), math.nan)))

    def _draw(self, shape: Size) -> Any:
        """A normal number over the root of a chi-squared one divided by ``df``."""
        half = 0.5 * self.df
        chi2_over_df = log_standard_gamma(half, shape) - half.log()
        return self.loc + self.scale * random_like("randn", self.loc, shape) * (-0.5 * chi2_over_df).exp().to(
            half.dtype
        )

    def _log_normalizer(self) -> Any:
        """log of the beta function of df / 2 and 1 / 2, and what goes with it."""
        half = 0.5 * self.df
        return 0.5 * self.df.log() + 0.5 * math.log(math.pi) + half.lgamma() - (half + 0.5).lgamma()

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return -0.5 * (self.df + 1) * (z * z / self.df).log1p() - self.scale.log() - self._log_normalizer()

    def entropy(self) -> Any:
        half = 0.5 * self.df
        spread = (half + 0.5) * ((half + 0.5).digamma() - half.digamma())
        return self.scale.log() + spread + self._log_normalizer()


class Uniform(Distribution):
    """The uniform distribution in [low, high). ValueError where ``low`` is not below ``high``."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, low=low, high=high)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def arg_constraints(self) -> Any:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    mean = derived(lambda self: (self.high + self.low) / 2)
    mode = derived(lambda self: math.nan * self.high)
    stddev = derived(lambda self: (self.high - self.low) / math.sqrt(12))
    variance = derived(lambda self: (self.high - self.low) ** 2 / 12)

    def _draw(self, shape: Size) -> Any:
        return self._icdf(random_like("rand", self.low, shape))

    def _log_prob(self, value: Any) -> Any:
        inside = (value >= self.low) & (value < self.high)
        return where(inside, -(self.high - self.low).log(), -math.inf)

    def _cdf(self, value: Any) -> Any:
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def _icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return (self.high - self.low).log()


class Gumbel(TransformedDistribution):
    """Gumbel's distribution of the largest of many numbers, with mode ``loc`` and ``scale``."""

    arg_constraints = _LOCATED
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc)
        low, high = [self.loc.new_full(self.loc.shape, x) for x in (float(limits.tiny), 1 - float(limits.eps))]
        turns = [
            ExpTransform().inv,
            AffineTransform(0, -1.0),
            ExpTransform().inv,
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=False), turns, validate_args)

    mean = derived(lambda self: self.loc + self.scale * EULER)
    mode = derived(lambda self: self.loc)
    stddev = derived(lambda self: math.pi / math.sqrt(6) * self.scale)
    variance = derived(lambda self: self.stddev**2)

    def _log_prob(self, value: Any) -> Any:
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + EULER)


class VonMises(Distribution):
    """Von Mises' distribution of angles in [-pi, pi) about ``loc``; ``concentration`` is 1 / variance of narrow ones.

    Samples, which look at the parameters, have no derivatives. ``variance`` is the circular one.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, concentration=concentration)

    mean = mode = derived(lambda self: self.loc)
    variance = derived(lambda self: 1 - i1e(self.concentration) / i0e(self.concentration))

    def _draw(self, shape: Size) -> Any:
        return counted("vonmises", shape, "dd", self.loc, self.concentration)

    def _log_prob(self, value: Any) -> Any:
        width = self.concentration
        return width * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - i0e(width).log()
