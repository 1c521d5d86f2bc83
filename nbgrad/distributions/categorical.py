"""Distributions over categories: which one, as a one-hot vector, and how often each."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.counts import Binomial
from nbgrad.distributions.distribution import Distribution, one_of
from nbgrad.distributions.utils import (
    broadcast_shape,
    derived,
    finfo,
    logits_to_probs,
    probs_to_logits,
    random_like,
    where,
)
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import eye
from nbgrad.functions.ramps import arange
from nbgrad.graph.dtypes import float64, int64
from nbgrad.tensor import Size


class _Unnormalised(constraints.Constraint):
    """What is in ``base`` once it is divided by its sum."""

    event_dim = 1

    def __init__(self, base: Any) -> None:
        self.base = base

    def check(self, value: Any) -> Any:
        return self.base.check(value / value.sum(-1)[..., None])

    def __repr__(self) -> str:
        return repr(self.base)


class _Categories(Distribution):
    """Those with the last dim of ``probs``, which are divided by their sum, or of ``logits``."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    probs: Any = derived(lambda self: logits_to_probs(self.logits))
    logits: Any = derived(lambda self: probs_to_logits(self.probs))
    param_shape = property(lambda self: self._param.shape)
    _checked_before = ("probs", "logits")
    _num_events = property(lambda self: self._param.shape[-1])

    def _take(self, probs: Any, logits: Any, validate_args: bool | None, *, is_vector: bool) -> None:
        name, given = one_of(probs, logits)
        if given.dim() < 1:
            raise ArgumentError(f"`{name}` parameter must be at least one-dimensional.")
        is_checked = self._validate_args if validate_args is None else validate_args
        constraint = _Unnormalised(self.arg_constraints[name]) if logits is None else self.arg_constraints[name]
        if is_checked:
            given = self._checked_parameter(name, given, constraint)
        setattr(self, name, given / given.sum(-1, True) if logits is None else given - given.logsumexp(-1, True))
        Distribution.__init__(self, given.shape[:-1], given.shape[-1:] if is_vector else (), validate_args)

    def _places(self, shape: Any) -> Any:
        """Places of ``shape``, which ends with the batch's: as many shares of the sum as lie below a random number."""
        sums = self.probs.detach().to(float64).cumsum(-1)
        total = sums[..., -1:]
        aim = random_like("rand", sums, (*shape, 1), float64) * total
        last = (sums < total).sum(-1)  # rounding may bring the aim up to the total
        return (sums <= aim).sum(-1).minimum(last)


class Categorical(_Categories):
    """A place 0 to n - 1 with the probabilities ``probs`` (..., n), or softmax(``logits``); ValueError for both.

    >>> nbgrad.distributions.Categorical(probs=nbgrad.tensor([0.0, 1.0, 0.0])).sample((3,))
    tensor([1, 1, 1])
    """

    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits, validate_args, is_vector=False)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    mean = variance = derived(lambda self: self.probs.new_full(self._batch_shape, math.nan))
    mode = derived(lambda self: self.probs.argmax(-1))

    def _draw(self, shape: Size) -> Any:
        return self._places(shape)

    def _log_prob(self, value: Any) -> Any:
        shape = broadcast_shape(value.shape, self._batch_shape)
        places = value.to(int64).expand(shape).unsqueeze(-1)
        return self.logits.expand((*shape, self._num_events)).gather(-1, places).squeeze(-1)

    def entropy(self) -> Any:
        return -(self.logits.clamp(float(finfo(self.logits).min)) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = arange(self._num_events, device=self._param.device).reshape((-1, *[1] * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values


class OneHotCategorical(_Categories):
    """A vector of zeros and one 1, at a place that ``Categorical`` draws."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits, validate_args, is_vector=True)

    _categorical = derived(lambda self: _inner(self))
    mean = derived(lambda self: self.probs)
    mode = derived(lambda self: self._hot(self.probs.argmax(-1)))
    variance = derived(lambda self: self.probs * (1 - self.probs))

    def _hot(self, places: Any) -> Any:
        ramp = arange(self._num_events, device=self._param.device)
        return (places.unsqueeze(-1) == ramp).to(self._param.dtype)

    def _draw(self, shape: Size) -> Any:
        return self._hot(self._places(shape[:-1]))

    def _log_prob(self, value: Any) -> Any:
        return self._categorical._log_prob(value.argmax(-1))

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n = self._num_events
        values = eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.reshape((n, *[1] * len(self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """``OneHotCategorical``, whose samples have the derivative of the probabilities. Source: Bengio, Leonard, Courville
    2013, "Estimating or propagating gradients through stochastic neurons"."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


def _inner(self: Any) -> Categorical:
    """The same categories as places."""
    name = "probs" if "probs" in vars(self) else "logits"
    return Categorical(**{name: getattr(self, name)}, validate_args=False)


class Multinomial(_Categories):
    """How often each category comes up in ``total_count`` draws, one number for the whole batch (a tensor is a
    NotImplementedError)."""

    total_count: int

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._take(probs, logits, validate_args, is_vector=True)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    mean = derived(lambda self: self.probs * self.total_count)
    variance = derived(lambda self: self.total_count * self.probs * (1 - self.probs))

    def _draw(self, shape: Size) -> Any:
        places = self._places((self.total_count, *shape[:-1])).movedim(0, -1)
        ones = self._param.new_ones(places.shape)
        return self._param.new_zeros(shape).scatter_add(-1, places, ones)

    def _log_prob(self, value: Any) -> Any:
        logits = self.logits
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (where((value == 0) & (logits == -math.inf), 0.0, logits) * value).sum(-1)

    def entropy(self) -> Any:
        n = self.total_count
        each = Binomial(n, probs=self.probs, validate_args=False)
        counts = each.enumerate_support(False)[1:]
        spread = (each._log_prob(counts).exp() * (counts + 1).lgamma()).sum((0, -1))
        return n * _inner(self).entropy() - math.lgamma(n + 1) + spread
