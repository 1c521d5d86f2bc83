"""Distributions of numbers between 0 and 1, and of vectors of such with the sum 1."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.composite import TransformedDistribution
from nbgrad.distributions.elementwise import AffineTransform, PowerTransform
from nbgrad.distributions.exponential_family import ExponentialFamily
from nbgrad.distributions.real_line import Normal, Uniform
from nbgrad.distributions.utils import (
    EULER,
    broadcast_all,
    clamp_probs,
    derived,
    inner,
    log_standard_gamma,
    logits_to_probs,
    probs_to_logits,
    softplus,
    stack,
    uniform,
    where,
)
from nbgrad.distributions.vectors import StickBreakingTransform
from nbgrad.errors import ArgumentError
from nbgrad.tensor import Size


class Dirichlet(ExponentialFamily):
    """Dirichlet's distribution of n probabilities, with positive numbers ``concentration`` (..., n).

    A sample is the softmax of the logarithms of gamma samples, which has no underflow where concentrations are small.
    ValueError for a number.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ArgumentError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    _total = derived(lambda self: self.concentration.sum(-1, True))
    mean = derived(lambda self: self.concentration / self._total)

    @derived
    def mode(self) -> Any:
        over = (self.concentration - 1).clamp(0)
        first = over.new_zeros(over.shape[-1:])
        first[0] = 1
        return where((self.concentration < 1).all(-1, True), first, over / over.sum(-1, True))

    @derived
    def variance(self) -> Any:
        total = self._total
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def _draw(self, shape: Size) -> Any:
        return log_standard_gamma(self.concentration, shape).softmax(-1).to(self.concentration.dtype)

    def _log_prob(self, value: Any) -> Any:
        return (self.concentration - 1).xlogy(value).sum(-1) - self._log_beta()

    def _log_beta(self) -> Any:
        return self.concentration.lgamma().sum(-1) - self.concentration.sum(-1).lgamma()

    def entropy(self) -> Any:
        shape, total = self.concentration, self.concentration.sum(-1)
        spread = (total - shape.shape[-1]) * total.digamma() - ((shape - 1) * shape.digamma()).sum(-1)
        return self._log_beta() + spread


class Beta(ExponentialFamily):
    """The beta distribution, of density x^(concentration1 - 1) (1 - x)^(concentration0 - 1)."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, concentration1=concentration1, concentration0=concentration0)

    _dirichlet = derived(
        lambda self: Dirichlet(stack([self.concentration1, self.concentration0], -1), validate_args=False)
    )
    mean = derived(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = derived(lambda self: self._dirichlet.mode[..., 0])
    variance = derived(lambda self: self._dirichlet.variance[..., 0])

    def _draw(self, shape: Size) -> Any:
        return self._dirichlet._draw(Size((*shape, 2)))[..., 0]

    def _log_prob(self, value: Any) -> Any:
        return self._dirichlet._log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._dirichlet.entropy()


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution, whose cdf is 1 - (1 - x^concentration1)^concentration0."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        one = self.concentration0.new_ones(self.concentration0.shape)
        turns = [
            PowerTransform(1 / self.concentration0),
            AffineTransform(1.0, -1.0),
            PowerTransform(1 / self.concentration1),
        ]
        super().__init__(Uniform(one * 0, one, validate_args=False), turns, validate_args)

    def _moment(self, n: int) -> Any:
        """The mean of x^n: b B(1 + n / a, b)."""
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()

    mean = derived(lambda self: self._moment(1))
    variance = derived(lambda self: self._moment(2) - self._moment(1) ** 2)

    @derived
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return where((a < 1) | (b < 1), math.nan, ((a - 1) / (a * b - 1)) ** (1 / a))

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return 1 - 1 / b + (1 - 1 / a) * ((b + 1).digamma() + EULER) - a.log() - b.log()


class ContinuousBernoulli(ExponentialFamily):
    """Numbers in [0, 1] of density proportional to probs^x (1 - probs)^(1 - x).

    For ``probs`` within ``lims``, where the formulas are 0 / 0, Taylor's series about 1/2 stand. Source: Loaiza-Ganem
    and Cunningham 2019, "The continuous Bernoulli".
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._set_either(validate_args, probs, logits)
        self._lims = lims
        if probs is not None:
            self.probs = clamp_probs(self.probs)

    probs: Any = derived(lambda self: clamp_probs(logits_to_probs(self.logits, True)))
    logits: Any = derived(lambda self: probs_to_logits(self.probs, True))
    param_shape = property(lambda self: self._param.shape)

    @property
    def _apart(self) -> tuple[Any, Any]:
        """Whether probs are outside the limits, and probs that are."""
        low, high = self._lims
        is_far = (self.probs <= low) | (self.probs > high)
        return is_far, where(is_far, self.probs, low)

    def _log_normalizing(self) -> Any:
        """log of the constant 2 atanh(1 - 2 p) / (1 - 2 p)."""
        is_far, p = self._apart
        x = (self.probs - 0.5) ** 2
        odds = ((-p).log1p() - p.log()).abs().log() - (1 - 2 * p).abs().log()
        return where(is_far, odds, math.log(2) + (4 / 3 + 104 / 45 * x) * x)

    @derived
    def mean(self) -> Any:
        is_far, p = self._apart
        x = self.probs - 0.5
        exact = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        return where(is_far, exact, 0.5 + (1 / 3 + 16 / 45 * x**2) * x)

    @derived
    def variance(self) -> Any:
        is_far, p = self._apart
        x = (self.probs - 0.5) ** 2
        exact = p * (p - 1) / (1 - 2 * p) ** 2 + 1 / ((-p).log1p() - p.log()) ** 2
        return where(is_far, exact, 1 / 12 - (1 / 15 - 128 / 945 * x) * x)

    def _draw(self, shape: Size) -> Any:
        return self._icdf(uniform(self.probs, shape)).to(self.probs.dtype)

    def _log_prob(self, value: Any) -> Any:
        return value * self.logits - softplus(self.logits) + self._log_normalizing()

    def _cdf(self, value: Any) -> Any:
        is_far, p = self._apart
        exact = (p**value * (1 - p) ** (1 - value) + p - 1) / (2 * p - 1)
        inside = where(is_far, exact, value - (2 * self.probs - 1) * value * (1 - value))
        return where(value <= 0, 0.0, where(value >= 1, 1.0, inside))

    def _icdf(self, value: Any) -> Any:
        is_far, p = self._apart
        rest = (-p).log1p()
        near = value + (2 * self.probs - 1) * value * (1 - value)
        return where(is_far, ((-p + value * (2 * p - 1)).log1p() - rest) / (p.log() - rest), near)

    def entropy(self) -> Any:
        low, high = (-self.probs).log1p(), self.probs.log()
        return self.mean * (low - high) - self._log_normalizing() - low

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """log((exp(x) - 1) / x)."""
        low, high = self._lims
        x = natural_params[0]
        is_far = (x <= low - 0.5) | (x > high - 0.5)
        far = where(is_far, x, low - 0.5)
        return where(is_far, far.expm1().abs().log() - far.abs().log(), 0.5 * x + x**2 / 24 - x**4 / 2880)


class LogisticNormal(TransformedDistribution):
    """Probabilities that a stick breaks into at normal numbers: n of them to n + 1 pieces."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand((1,))
        super().__init__(inner(base), StickBreakingTransform(), validate_args)
        inner(self.base_dist)

    loc = derived(lambda self: self.base_dist.base_dist.loc)
    scale = derived(lambda self: self.base_dist.base_dist.scale)
