"""Relaxations of Bernoulli's and categorical distributions: continuous samples, with derivatives, that a small
``temperature`` brings close to 0 and 1.

Sources: Maddison, Mnih, Teh 2017, "The concrete distribution"; Jang, Gu, Poole 2017, "Categorical reparameterization
with Gumbel-softmax".
"""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.categorical import _Categories
from nbgrad.distributions.composite import TransformedDistribution
from nbgrad.distributions.counts import _Trials
from nbgrad.distributions.elementwise import ExpTransform, SigmoidTransform
from nbgrad.distributions.utils import broadcast_all, derived, inner, softplus, uniform
from nbgrad.tensor import Size


class LogitRelaxedBernoulli(_Trials):
    """The logit of a relaxed Bernoulli number."""

    support = constraints.real
    has_rsample: Any = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._set_either(validate_args, probs, logits)

    def _draw(self, shape: Size) -> Any:
        u = uniform(self._param, shape)
        noise = (u.log() - (-u).log1p()).to(self._param.dtype)
        return (noise + self.logits) / self.temperature

    def _log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        away = logits - value * self.temperature
        return self.temperature.log() + away - 2 * softplus(away)


class ExpRelaxedCategorical(_Categories):
    """The logarithms of a relaxed one-hot vector."""

    support = constraints.real_vector
    has_rsample: Any = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits, validate_args, is_vector=True)

    def _draw(self, shape: Size) -> Any:
        gumbel = -(-uniform(self._param, shape).log()).log()
        return ((self.logits + gumbel.to(self._param.dtype)) / self.temperature).log_softmax(-1)

    def _log_prob(self, value: Any) -> Any:
        n = self._num_events
        logits, value = broadcast_all(self.logits, value)
        scores = (logits - value * self.temperature).log_softmax(-1)
        return scores.sum(-1) + math.lgamma(n) + (n - 1) * self.temperature.log()


class _Relaxed(TransformedDistribution):
    """What the two relaxed distributions share."""

    has_rsample: Any = True
    _base: Any
    _turn: Any

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(inner(self._base(temperature, probs, logits, validate_args)), self._turn(), validate_args)

    temperature = derived(lambda self: self.base_dist.temperature)
    probs = derived(lambda self: self.base_dist.probs)
    logits = derived(lambda self: self.base_dist.logits)


class RelaxedBernoulli(_Relaxed):
    """A number in (0, 1), near 0 or 1 for a small ``temperature``, a tensor; else as ``Bernoulli``."""

    arg_constraints = _Trials.arg_constraints
    support = constraints.unit_interval
    _base, _turn = LogitRelaxedBernoulli, SigmoidTransform


class RelaxedOneHotCategorical(_Relaxed):
    """A vector of the simplex, near a one-hot one for a small ``temperature``, a tensor; ``probs`` or ``logits`` as of
    ``OneHotCategorical``."""

    arg_constraints = _Categories.arg_constraints
    support = constraints.simplex
    _base, _turn = ExpRelaxedCategorical, ExpTransform
