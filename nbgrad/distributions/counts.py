"""Distributions of whole numbers: trials that succeed or not, and events that are counted."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.distribution import Distribution, one_of
from nbgrad.distributions.exponential_family import ExponentialFamily
from nbgrad.distributions.utils import (
    broadcast_all,
    counted,
    derived,
    log_standard_gamma,
    logits_to_probs,
    probs_to_logits,
    random_like,
    softplus,
    uniform,
    where,
)
from nbgrad.functions.ramps import arange
from nbgrad.tensor import Size


class _Trials(Distribution):
    """Those with the probability ``probs`` of a success, or the logarithm of its odds, ``logits``."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    probs: Any = derived(lambda self: logits_to_probs(self.logits, True))
    logits: Any = derived(lambda self: probs_to_logits(self.probs, True))
    param_shape = property(lambda self: self._param.shape)


def _cross_entropy(logits: Any, probs: Any) -> Any:
    """-(p log(s) + (1 - p) log(1 - s)) with s the sigmoid of ``logits``."""
    return softplus(logits) - logits * probs


def _enumerated(self: Any, count: int, expand: bool) -> Any:
    """0 to ``count`` - 1 along a new first dim."""
    values = arange(count, dtype=self._param.dtype, device=self._param.device)
    values = values.reshape((-1, *[1] * len(self._batch_shape)))
    return values.expand((-1, *self._batch_shape)) if expand else values


class Bernoulli(_Trials, ExponentialFamily):
    """1 with the probability ``probs``, else 0; ``logits`` is log(probs / (1 - probs)). ValueError for both or none.

    >>> nbgrad.distributions.Bernoulli(probs=nbgrad.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_either(validate_args, probs, logits)

    mean = derived(lambda self: self.probs)
    mode = derived(lambda self: where(self.probs == 0.5, math.nan, (self.probs >= 0.5).to(self.probs.dtype)))
    variance = derived(lambda self: self.probs * (1 - self.probs))

    def _draw(self, shape: Size) -> Any:
        return (random_like("rand", self._param, shape) < self.probs).to(self._param.dtype)

    def _log_prob(self, value: Any) -> Any:
        return -_cross_entropy(self.logits, value)

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        return _enumerated(self, 2, expand)

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return softplus(natural_params[0])


class Geometric(_Trials):
    """How many trials fail before the first success, of probability ``probs`` above 0."""

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_either(validate_args, probs, logits)
        if self._validate_args and probs is not None:
            self.probs = self._checked_parameter("probs", self.probs, constraints.positive)

    mean = derived(lambda self: 1 / self.probs - 1)
    mode = derived(lambda self: self.probs.new_zeros(self._batch_shape))
    variance = derived(lambda self: (1 / self.probs - 1) / self.probs)

    def _draw(self, shape: Size) -> Any:
        return (uniform(self.probs, shape).log() / (-self.probs).log1p()).floor().to(self._param.dtype)

    def _log_prob(self, value: Any) -> Any:
        value, probs = broadcast_all(value, self.probs)
        fails = where((probs == 1) & (value == 0), 0.0, probs)
        return value * (-fails).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return _cross_entropy(self.logits, self.probs) / self.probs


class Binomial(_Trials):
    """How many of ``total_count`` trials succeed. Samples look at the parameters."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, **_Trials.arg_constraints}
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = one_of(probs, logits)
        param, count = broadcast_all(given, total_count)
        self._set(validate_args, **{"total_count": count.to(param.dtype), name: param})

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    mean = derived(lambda self: self.total_count * self.probs)
    mode = derived(lambda self: ((self.total_count + 1) * self.probs).floor().minimum(self.total_count))
    variance = derived(lambda self: self.total_count * self.probs * (1 - self.probs))

    def _draw(self, shape: Size) -> Any:
        return counted("binomial", shape, "ld", self.total_count, self.probs)

    def _log_prob(self, value: Any) -> Any:
        n = self.total_count
        choices = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return choices + value * self.logits - n * softplus(self.logits)

    def _count(self, of: str) -> int:
        """The number of trials, where it is the same for all."""
        most = self.total_count.max()
        if not bool((self.total_count == most).all()):
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{of}`.")
        return int(most)

    def entropy(self) -> Any:
        self._count("entropy")
        each = self._log_prob(self.enumerate_support(False))
        return -(each.exp() * each).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        return _enumerated(self, 1 + self._count("enumerate_support"), expand)


class Poisson(ExponentialFamily):
    """How many events happen, of which ``rate`` are expected. Samples look at the rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, rate=rate)

    mean = variance = derived(lambda self: self.rate)
    mode = derived(lambda self: self.rate.floor())

    def _draw(self, shape: Size) -> Any:
        return counted("poisson", shape, "d", self.rate)

    def _log_prob(self, value: Any) -> Any:
        value, rate = broadcast_all(value, self.rate)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> Any:
        return (self.rate.log(),)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return natural_params[0].exp()


class NegativeBinomial(_Trials):
    """How many trials succeed before ``total_count``, which need not be whole, have failed.

    Samples are those of Poisson's distribution with a gamma distributed rate; they look at the parameters.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = one_of(probs, logits)
        param, count = broadcast_all(given, total_count)
        self._set(validate_args, **{"total_count": count.to(param.dtype), name: param})

    mean = derived(lambda self: self.total_count * self.logits.exp())
    mode = derived(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(0))
    variance = derived(lambda self: self.mean / (-self.logits).sigmoid())

    def _draw(self, shape: Size) -> Any:
        rate = (log_standard_gamma(self.total_count, shape) + self.logits).exp()
        return counted("poisson", shape, "d", rate).to(self._param.dtype)

    def _log_prob(self, value: Any) -> Any:
        n = self.total_count
        weighed = -n * softplus(self.logits) - value * softplus(-self.logits)
        ways = (n + value).lgamma() - (1 + value).lgamma() - n.lgamma()
        return weighed + where(n + value == 0, 0.0, ways)
