"""``ExponentialFamily``: densities exp(natural parameters times statistics - log normalizer)."""

from __future__ import annotations

from typing import Any

from nbgrad.autograd.engine import grad
from nbgrad.distributions.distribution import Distribution
from nbgrad.distributions.utils import sum_rightmost

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions whose density is h(x) exp(<t(x), eta> - F(eta)).

    A class of its own gives ``_natural_params``, the tuple eta, ``_log_normalizer(*eta)``, which is F, and
    ``_mean_carrier_measure``, the mean of log h(x); entropy and divergence follow. Source: Nielsen and Nock 2010,
    "Entropies and cross-entropies of exponential families".
    """

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no natural parameters")

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no log normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no mean carrier measure")

    def entropy(self) -> Any:
        """F(eta) - <eta, F'(eta)> - E[log h(x)]."""
        carrier = self._mean_carrier_measure
        natural, normalizer, slopes = normalized(self, self)
        total = normalizer - carrier
        for eta, slope in zip(natural, slopes, strict=True):
            total = total - _summed(self, eta * slope)
        return total


def normalized(p: Any, q: Any) -> tuple[list[Any], Any, tuple[Any, ...]]:
    """The natural parameters of ``p``, and the log normalizer of ``q`` there with its derivatives."""
    natural = [eta.detach().requires_grad_() for eta in p._natural_params]
    normalizer = q._log_normalizer(*natural)
    return natural, normalizer, grad(normalizer.sum(), natural, create_graph=True)


def divergence(p: Any, q: Any) -> Any:
    """KL(p, q) of two of one family, a Bregman divergence: F(q) - F(p) - <q - p, F'(p)>."""
    natural, normalizer, slopes = normalized(p, p)
    others = q._natural_params
    total = q._log_normalizer(*others) - normalizer
    for eta, other, slope in zip(natural, others, slopes, strict=True):
        total = total - _summed(q, (other - eta) * slope)
    return total


def _summed(p: Any, value: Any) -> Any:
    """The sums over what belongs to one event."""
    return sum_rightmost(value, len(p.event_shape))
