"""Distributions of positive numbers: the gamma family, folded and exponentiated ones, and those with heavy tails."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.composite import TransformedDistribution
from nbgrad.distributions.distribution import Distribution
from nbgrad.distributions.elementwise import AbsTransform, AffineTransform, ExpTransform, PowerTransform
from nbgrad.distributions.exponential_family import ExponentialFamily
from nbgrad.distributions.real_line import Cauchy, Normal
from nbgrad.distributions.utils import (
    EULER,
    broadcast_all,
    derived,
    finfo,
    inner,
    log_standard_gamma,
    random_like,
    uniform,
    where,
)
from nbgrad.special import gammainc
from nbgrad.tensor import Size


def _of_base(name: str) -> Any:
    """A parameter that the base distribution has."""
    return derived(lambda self: getattr(self.base_dist, name))


class Exponential(ExponentialFamily):
    """The exponential distribution of waiting times, with ``rate`` events in a unit of time."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, rate=rate)

    mean = stddev = derived(lambda self: 1 / self.rate)
    mode = derived(lambda self: self.rate.new_zeros(self.rate.shape))
    variance = derived(lambda self: self.rate**-2)

    def _draw(self, shape: Size) -> Any:
        return self._icdf(random_like("rand", self.rate, shape))

    def _log_prob(self, value: Any) -> Any:
        return self.rate.log() - self.rate * value

    def _cdf(self, value: Any) -> Any:
        return -(-self.rate * value).expm1()

    def _icdf(self, value: Any) -> Any:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1 - self.rate.log()

    @property
    def _natural_params(self) -> Any:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return -(-natural_params[0]).log()


class Gamma(ExponentialFamily):
    """The gamma distribution with the shape ``concentration`` and ``rate`` (1 / scale).

    The derivative of a sample by the concentration is that of the quantile that it is, to 10 digits.

    >>> gamma = nbgrad.distributions.Gamma(nbgrad.tensor([2.0]), nbgrad.tensor([4.0]))
    >>> gamma.mean, gamma.variance
    (tensor([0.5000]), tensor([0.1250]))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, concentration=concentration, rate=rate)

    mean = derived(lambda self: self.concentration / self.rate)
    mode = derived(lambda self: ((self.concentration - 1) / self.rate).clamp(0))
    variance = derived(lambda self: self.concentration / self.rate**2)

    def _draw(self, shape: Size) -> Any:
        numbers = log_standard_gamma(self.concentration, shape).exp().to(self.concentration.dtype) / self.rate
        return numbers.clamp(float(finfo(numbers).tiny))

    def _log_prob(self, value: Any) -> Any:
        shape, rate = self.concentration, self.rate
        return shape.xlogy(rate) + (shape - 1).xlogy(value) - rate * value - shape.lgamma()

    def _cdf(self, value: Any) -> Any:
        return gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Any:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> Any:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return (x + 1).lgamma() - (x + 1) * (-y).log()


class Chi2(Gamma):
    """The chi-squared distribution: the sum of the squares of ``df`` standard normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, df=df)

    concentration: Any = derived(lambda self: 0.5 * self.df)
    rate: Any = derived(lambda self: self.df.new_full(self.df.shape, 0.5))


class InverseGamma(TransformedDistribution):
    """1 / x with x of ``Gamma(concentration, rate)``."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = inner(Gamma(concentration, rate, validate_args=validate_args))
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args)

    concentration = _of_base("concentration")
    rate = _of_base("rate")
    mean = derived(lambda self: where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf))
    mode = derived(lambda self: self.rate / (self.concentration + 1))

    @derived
    def variance(self) -> Any:
        shape = self.concentration
        return where(shape > 2, self.rate**2 / ((shape - 1) ** 2 * (shape - 2)), math.inf)

    def entropy(self) -> Any:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


class FisherSnedecor(Distribution):
    """The F-distribution: the quotient of two chi-squared numbers, each divided by its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, df1=df1, df2=df2)

    mean = derived(lambda self: where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan))

    @derived
    def mode(self) -> Any:
        return where(self.df1 > 2, (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2), math.nan)

    @derived
    def variance(self) -> Any:
        a, b = self.df1, self.df2
        return where(b > 4, 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4)), math.nan)

    def _draw(self, shape: Size) -> Any:
        above, below = [log_standard_gamma(0.5 * df, shape) - df.log() for df in (self.df1, self.df2)]
        numbers = (above - below).exp().to(self.df1.dtype)
        return numbers.clamp(float(finfo(numbers).tiny))

    def _log_prob(self, value: Any) -> Any:
        a, b, ratio = 0.5 * self.df1, 0.5 * self.df2, self.df1 / self.df2
        whole = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return whole + a * ratio.log() + (a - 1) * value.log() - (a + b) * (ratio * value).log1p()


class _Folded(TransformedDistribution):
    """|x| with x of a distribution about 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _base: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = inner(self._base(0, scale, validate_args=False))
        self.scale = base.scale
        super().__init__(base, AbsTransform(), validate_args)

    mode = derived(lambda self: self.scale.new_zeros(self.scale.shape))

    def _log_prob(self, value: Any) -> Any:
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def _cdf(self, value: Any) -> Any:
        return 2 * self.base_dist.cdf(value) - 1

    def _icdf(self, value: Any) -> Any:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Folded):
    """|x| with x of ``Normal(0, scale)``."""

    _base = Normal
    mean = derived(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = derived(lambda self: self.scale**2 * (1 - 2 / math.pi))


class HalfCauchy(_Folded):
    """|x| with x of ``Cauchy(0, scale)``."""

    _base = Cauchy
    mean = derived(lambda self: self.scale.new_full(self._batch_shape, math.inf))
    variance = derived(lambda self: self.base_dist.variance)


class LogNormal(TransformedDistribution):
    """exp(x) with x of ``Normal(loc, scale)``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(inner(Normal(loc, scale, validate_args=validate_args)), ExpTransform(), validate_args)

    loc = _of_base("loc")
    scale = _of_base("scale")
    mean = derived(lambda self: (self.loc + self.scale**2 / 2).exp())
    mode = derived(lambda self: (self.loc - self.scale**2).exp())
    variance = derived(lambda self: (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp())

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class Pareto(TransformedDistribution):
    """Pareto's distribution of numbers from ``scale`` on, which are above x with the probability (scale / x)^alpha."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        turns = [ExpTransform(), AffineTransform(0, self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=False), turns, validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    mode = derived(lambda self: self.scale)

    @derived
    def mean(self) -> Any:
        alpha = self.alpha.clamp(1)
        return alpha * self.scale / (alpha - 1)

    @derived
    def variance(self) -> Any:
        alpha = self.alpha.clamp(2)
        return self.scale**2 * alpha / ((alpha - 1) ** 2 * (alpha - 2))

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + 1 + 1 / self.alpha


class Weibull(TransformedDistribution):
    """Weibull's distribution of life times, of which exp(-(x / scale)^concentration) are longer than x."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        turns = [PowerTransform(1 / self.concentration), AffineTransform(0, self.scale)]
        base = Exponential(self.scale.new_ones(self.scale.shape), validate_args=False)
        super().__init__(base, turns, validate_args)

    def _moment(self, n: int) -> Any:
        """log of the mean of (x / scale)^n."""
        return (1 + n / self.concentration).lgamma()

    mean = derived(lambda self: self.scale * self._moment(1).exp())
    variance = derived(lambda self: self.scale**2 * (self._moment(2).exp() - (2 * self._moment(1)).exp()))

    @derived
    def mode(self) -> Any:
        shape = self.concentration
        return self.scale * ((shape - 1) / shape) ** (1 / shape)

    def entropy(self) -> Any:
        return EULER * (1 - 1 / self.concentration) + (self.scale / self.concentration).log() + 1


class GeneralizedPareto(Distribution):
    """What is above a threshold ``loc``, with ``scale``: exponential for a ``concentration`` of 0, with a heavy tail
    for one above, and an end at loc - scale / concentration for one below."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        bent = where(self.concentration < 0, self.concentration, -1.0)
        return constraints.interval(self.loc, where(self.concentration < 0, self.loc - self.scale / bent, math.inf))

    @property
    def _shape(self) -> tuple[Any, Any]:
        """Whether the concentration is 0, where series stand, and one that is not."""
        is_zero = self.concentration.isclose(self.concentration.new_zeros(()))
        return is_zero, where(is_zero, 1.0, self.concentration)

    mode = derived(lambda self: self.loc)

    @derived
    def mean(self) -> Any:
        bent = self.concentration
        return where(bent < 1, self.loc + self.scale / where(bent < 1, 1 - bent, 1.0), math.inf)

    @derived
    def variance(self) -> Any:
        bent = where(self.concentration < 0.5, self.concentration, 0.0)
        return where(self.concentration < 0.5, self.scale**2 / ((1 - bent) ** 2 * (1 - 2 * bent)), math.inf)

    def _draw(self, shape: Size) -> Any:
        return self._icdf(uniform(self.loc, shape)).to(self.loc.dtype)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of what is above ``value``."""
        is_zero, bent = self._shape
        z = (value - self.loc) / self.scale
        return where(is_zero, -z * (1 - 0.5 * self.concentration * z), -(bent * z).log1p() / bent)

    def _log_prob(self, value: Any) -> Any:
        return (1 + self.concentration) * self.log_survival_function(value) - self.scale.log()

    def _cdf(self, value: Any) -> Any:
        return -self.log_survival_function(value).expm1()

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of ``cdf``."""
        return self._cdf(value).log()

    def _icdf(self, value: Any) -> Any:
        is_zero, bent = self._shape
        left = (-value).log1p()
        near = (0.5 * self.concentration * left - 1) * left
        return self.loc + self.scale * where(is_zero, near, (-bent * left).expm1() / bent)

    def entropy(self) -> Any:
        return self.scale.log() + self.concentration + 1
