"""Distributions made of others: a batch as one event, a function of a sample, a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.autograd.grad_mode import no_grad
from nbgrad.distributions import constraints
from nbgrad.distributions.categorical import Categorical
from nbgrad.distributions.distribution import Distribution
from nbgrad.distributions.transforms import ComposeTransform, Transform
from nbgrad.distributions.utils import derived, sum_rightmost
from nbgrad.errors import ArgumentError
from nbgrad.tensor import Size

__all__ = ["Independent", "MixtureSameFamily", "TransformedDistribution"]


class Independent(Distribution):
    """``base_distribution`` with its last ``reinterpreted_batch_ndims`` batch dims as parts of one event, whose
    logarithms of densities are added. ValueError for more dims than there are.

    >>> normal = nbgrad.distributions.Normal(nbgrad.zeros(3), 1.0)
    >>> nbgrad.distributions.Independent(normal, 1).log_prob(nbgrad.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch, count = base_distribution.batch_shape, reinterpreted_batch_ndims
        if count > len(batch):
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        whole = batch + base_distribution.event_shape
        event = count + len(base_distribution.event_shape)
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        super().__init__(whole[: len(whole) - event], whole[len(whole) - event :], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    mean = derived(lambda self: self.base_dist.mean)
    mode = derived(lambda self: self.base_dist.mode)
    variance = derived(lambda self: self.base_dist.variance)

    @property
    def has_enumerate_support(self) -> Any:
        return self.base_dist.has_enumerate_support and not self.reinterpreted_batch_ndims

    @constraints.dependent_property
    def support(self) -> Any:
        found = self.base_dist.support
        return (
            constraints.independent(found, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else found
        )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        made = super().expand(batch_shape, _instance)
        inner = self._event_shape[: self.reinterpreted_batch_ndims]
        made.base_dist = self.base_dist.expand(Size(batch_shape) + inner)
        return made

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What ``transforms``, one or several, make of a sample of ``base_distribution``. ValueError for what is no
    transform, and where the base's shape does not fit.

    The logarithm of the density is that of the base less the logarithm of the Jacobian. ``cdf`` and ``icdf`` need
    transforms of numbers that rise or fall.
    """

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(self.transforms, list) or not all(isinstance(t, Transform) for t in self.transforms):
            raise ArgumentError(f"transforms must be a Transform or list, but was {transforms}")
        transform = ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        need = transform.domain.event_dim
        if len(shape) < need:
            raise ArgumentError(
                f"base_distribution needs to have shape with size at least {need}, but got {base_distribution}."
            )
        out = transform.forward_shape(shape)
        base = base_distribution.expand(transform.inverse_shape(out)[: len(base_distribution.batch_shape)])
        more = need - len(base.event_shape)
        self.base_dist = Independent(base, more) if more > 0 else base
        event = transform.codomain.event_dim + max(len(base.event_shape) - need, 0)
        super().__init__(out[: len(out) - event], out[len(out) - event :], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self._event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        made = super().expand(batch_shape, _instance)
        transform = ComposeTransform(self.transforms)
        shape = transform.inverse_shape(Size(batch_shape) + self._event_shape)
        made.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return made

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _log_prob(self, value: Any) -> Any:
        event, total, y = len(self._event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event += transform.domain.event_dim - transform.codomain.event_dim
            total = total - sum_rightmost(transform.log_abs_det_jacobian(x, y), event - transform.domain.event_dim)
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), event - len(self.base_dist.event_shape))

    def _turned(self, value: Any) -> Any:
        """A probability ``value`` as that of what is above, where the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def _cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        return self._turned(self.base_dist.cdf(value))

    def _icdf(self, value: Any) -> Any:
        return self._forward(self.base_dist.icdf(self._turned(value)))


class MixtureSameFamily(Distribution):
    """One of the distributions along the last batch dim of ``component_distribution``, chosen by a ``Categorical``.

    ValueError where the two do not fit each other. Samples have no derivatives.
    """

    arg_constraints: Any = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        mix, parts = mixture_distribution, component_distribution
        if not isinstance(mix, Categorical):
            raise ArgumentError("The Mixture distribution needs to be an instance of nbgrad.distributions.Categorical")
        if not isinstance(parts, Distribution):
            raise ArgumentError(
                "The Component distribution needs to be an instance of nbgrad.distributions.Distribution"
            )
        _must_fit(mix, parts)
        self._mixture_distribution, self._component_distribution = mix, parts
        self._num_component = parts.batch_shape[-1]
        self._event_ndims = len(parts.event_shape)
        super().__init__(parts.batch_shape[:-1], parts.event_shape, validate_args)

    mixture_distribution = property(lambda self: self._mixture_distribution)
    component_distribution = property(lambda self: self._component_distribution)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        made = super().expand(batch_shape, _instance)
        made._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        made._mixture_distribution = self._mixture_distribution.expand(Size(batch_shape))
        return made

    def _weighted(self, value: Any) -> Any:
        """The mean over components, of which ``value`` has one for each."""
        probs = self._mixture_distribution.probs
        return (probs.reshape((*probs.shape, *[1] * self._event_ndims)) * value).sum(-1 - self._event_ndims)

    mean = derived(lambda self: self._weighted(self._component_distribution.mean))

    @derived
    def variance(self) -> Any:
        """The mean of the variances, and the variance of the means."""
        parts = self._component_distribution
        centre = self.mean.unsqueeze(-1 - self._event_ndims)
        return self._weighted(parts.variance) + self._weighted((parts.mean - centre) ** 2)

    def _beside(self, value: Any) -> Any:
        """``value`` once for all components."""
        return value.unsqueeze(-1 - self._event_ndims)

    def _cdf(self, value: Any) -> Any:
        return (self._component_distribution.cdf(self._beside(value)) * self._mixture_distribution.probs).sum(-1)

    def _log_prob(self, value: Any) -> Any:
        inner = self._component_distribution.log_prob(self._beside(value))
        return (inner + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def _draw(self, shape: Size) -> Any:
        count = len(shape) - len(self._batch_shape) - self._event_ndims
        chosen = self._mixture_distribution.expand(self._batch_shape).sample(shape[:count])
        drawn = self._component_distribution.sample(shape[:count])
        places = chosen.reshape((*chosen.shape, *[1] * (self._event_ndims + 1)))
        dim = drawn.dim() - 1 - self._event_ndims
        return drawn.gather(dim, places.expand((*drawn.shape[:dim], 1, *drawn.shape[dim + 1 :]))).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution!r},\n  {self._component_distribution!r})"


def _must_fit(mix: Any, parts: Any) -> None:
    batch, own = mix.batch_shape, parts.batch_shape[:-1]
    for a, b in zip(reversed(batch), reversed(own), strict=False):
        if a != 1 and b != 1 and a != b:
            raise ArgumentError(
                f"`mixture_distribution.batch_shape` ({batch}) is not compatible with "
                f"`component_distribution.batch_shape` ({own})"
            )
    if not parts.batch_shape or mix.param_shape[-1] != parts.batch_shape[-1]:
        raise ArgumentError(
            f"`mixture_distribution component` ({mix.param_shape[-1]}) does not equal "
            f"`component_distribution.batch_shape[-1]` ({parts.batch_shape[-1:]})"
        )
