"""The closed forms of ``kl_divergence``. Most are -(entropy of p) - E_p[log q], with the moments that log q takes.

Sources: each follows from the two densities; Gil, Alajaji, Linder 2013, "Renyi divergence measures for commonly used
univariate continuous distributions", has most in one place; Cauchy: Chyzak and Nielsen 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nbgrad.distributions.bounded import Beta, ContinuousBernoulli, Dirichlet
from nbgrad.distributions.categorical import Categorical, OneHotCategorical
from nbgrad.distributions.composite import Independent, TransformedDistribution
from nbgrad.distributions.counts import Bernoulli, Binomial, Geometric, Poisson
from nbgrad.distributions.exponential_family import ExponentialFamily, divergence
from nbgrad.distributions.kl import kl_divergence, register_kl
from nbgrad.distributions.multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    Wishart,
    half_log_det,
    mahalanobis,
    solved,
)
from nbgrad.distributions.positive import Exponential, Gamma, HalfNormal, Pareto
from nbgrad.distributions.real_line import Cauchy, Gumbel, Laplace, Normal, Uniform
from nbgrad.distributions.utils import EULER, softplus, sum_rightmost, where
from nbgrad.errors import ArgumentError

Formula = Callable[[Any, Any], Any]


def _infinite(like: Any) -> Any:
    return like.new_full(like.shape, math.inf)


def _below(condition: Any, value: Any) -> Any:
    """``value``, and infinity where ``condition``: p has samples where q has none."""
    return where(condition, math.inf, value)


# --- those of one family


@register_kl(Bernoulli, Bernoulli)
def _(p: Any, q: Any) -> Any:
    same = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    other = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    hit, miss = (q.probs == 0) & (p.probs > 0), (q.probs == 1) & (p.probs < 1)
    return _below(hit | miss, where(p.probs == 0, 0.0, same) + where(p.probs == 1, 0.0, other))


@register_kl(Binomial, Binomial)
def _(p: Any, q: Any) -> Any:
    """The same of each trial."""
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return _below(p.total_count > q.total_count, p.total_count * each)


@register_kl(Beta, Beta)
def _(p: Any, q: Any) -> Any:
    return kl_divergence(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    spread = ((a - b) * (a.digamma() - a.sum(-1, True).digamma())).sum(-1)
    return q._log_beta() - p._log_beta() + spread


@register_kl(Categorical, Categorical)
def _(p: Any, q: Any) -> Any:
    each = where(p.probs == 0, 0.0, p.probs * (p.logits - q.logits))
    return _below((q.probs == 0) & (p.probs > 0), each).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _(p: Any, q: Any) -> Any:
    return kl_divergence(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _(p: Any, q: Any) -> Any:
    return -p.entropy() - _log_continuous(p.mean, q)


@register_kl(Exponential, Exponential)
def _(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(ExponentialFamily, ExponentialFamily)
def _(p: Any, q: Any) -> Any:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            "divergences"
        )
    return divergence(p, q)


@register_kl(Gamma, Gamma)
def _(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    ratio = q.rate / p.rate
    return b * -ratio.log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + a * (ratio - 1)


@register_kl(Gumbel, Gumbel)
def _(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    bent = (-away + (1 + ratio).lgamma()).exp()
    return -ratio.log() + away + ratio * EULER + bent - (1 + EULER)


@register_kl(Geometric, Geometric)
def _(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _(p: Any, q: Any) -> Any:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * (-away / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _(p: Any, q: Any) -> Any:
    ratio, away = (p.scale / q.scale) ** 2, ((p.loc - q.loc) / q.scale) ** 2
    return 0.5 * (ratio + away - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    return _below(p.scale < q.scale, q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1)


@register_kl(Poisson, Poisson)
def _(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Cauchy, Cauchy)
def _(p: Any, q: Any) -> Any:
    return (((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2) / (4 * p.scale * q.scale)).log()


@register_kl(Uniform, Uniform)
def _(p: Any, q: Any) -> Any:
    return _below((q.low > p.low) | (q.high < p.high), ((q.high - q.low) / (p.high - p.low)).log())


@register_kl(TransformedDistribution, TransformedDistribution)
def _(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL of transformed distributions is known where their transforms are equal")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL of Independent is known where as many dims are reinterpreted")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Wishart, Wishart)
def _(p: Any, q: Any) -> Any:
    n, both = p._n, 0.5 * (p.df - q.df)
    trace = (solved(q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril) ** 2).sum((-2, -1))
    return q._log_whole - p._log_whole + both * p.log_determinant_mean() + 0.5 * p.df * (trace - n)


# --- normal vectors


def _far(q: Any, x: Any) -> Any:
    """x^T C^-1 x, with q's covariance C."""
    return q.mahalanobis(x) if isinstance(q, LowRankMultivariateNormal) else mahalanobis(q._unbroadcasted_scale_tril, x)


def _half_log_det(q: Any) -> Any:
    return q.half_log_det if isinstance(q, LowRankMultivariateNormal) else half_log_det(q._unbroadcasted_scale_tril)


def _squares(q: Any, columns: Any) -> Any:
    """x^T Q^-1 x for each column x of matrices (..., n, m), with q's covariance Q."""
    if not isinstance(q, LowRankMultivariateNormal):
        return (solved(q._unbroadcasted_scale_tril, columns) ** 2).sum(-2)
    inner = solved(q._capacitance_tril, q._weighted @ columns)
    return (columns**2 / q.cov_diag.unsqueeze(-1)).sum(-2) - (inner**2).sum(-2)


def _trace(p: Any, q: Any) -> Any:
    """The trace of Q^-1 P, with the covariances Q and P = S S^T, or W W^T + diag(D)."""
    if not isinstance(p, LowRankMultivariateNormal):
        return _squares(q, p._unbroadcasted_scale_tril).sum(-1)
    return _squares(q, p.cov_factor).sum(-1) + _squares(q, p.cov_diag.sqrt().diag_embed()).sum(-1)


def _normal_vectors(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ArgumentError(f"KL-divergence of events that differ in shape: {p.event_shape} and {q.event_shape}")
    n = p.event_shape[0]
    return _half_log_det(q) - _half_log_det(p) + 0.5 * (_trace(p, q) + _far(q, q.loc - p.loc) - n)


_p: Any
_q: Any
for _p in (MultivariateNormal, LowRankMultivariateNormal):
    for _q in (MultivariateNormal, LowRankMultivariateNormal):
        register_kl(_p, _q)(_normal_vectors)


# --- those of two families: -(entropy of p) - E_p[log q]


def _log_normal(p: Any, q: Any) -> Any:
    """E_p[log q] of a normal q."""
    away = p.variance + (p.mean - q.loc) ** 2
    return -0.5 * (2 * math.pi * q.scale**2).log() - 0.5 * away / q.scale**2


def _log_exponential(p: Any, q: Any) -> Any:
    return q.rate.log() - q.rate * p.mean


def _log_continuous(mean: Any, q: Any) -> Any:
    """E_p[log q] of a continuous Bernoulli q."""
    return mean * q.logits - softplus(q.logits) + q._log_normalizing()


def _log_gamma(p: Any, q: Any, mean_log: Any) -> Any:
    """E_p[log q] of a gamma q, given E_p[log x]."""
    a, rate = q.concentration, q.rate
    return a * rate.log() - a.lgamma() + (a - 1) * mean_log - rate * p.mean


def _log_gumbel(q: Any, mean: Any, mean_exp: Any) -> Any:
    """E_p[log q] of a Gumbel q, given E_p[x] and E_p[exp(-x / scale)]."""
    place = q.loc / q.scale
    return place - mean / q.scale - place.exp() * mean_exp - q.scale.log()


def _crossed(mean_log_q: Formula) -> Formula:
    return lambda p, q: -p.entropy() - mean_log_q(p, q)


for _p in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform):
    register_kl(_p, Normal)(_crossed(_log_normal))
for _p in (Beta, ContinuousBernoulli, Gamma):
    register_kl(_p, Exponential)(_crossed(_log_exponential))
register_kl(Uniform, Exponential)(lambda p, q: _below(p.low < 0, _crossed(_log_exponential)(p, q)))
register_kl(Pareto, Exponential)(lambda p, q: _below(p.alpha <= 1, _crossed(_log_exponential)(p, q)))
register_kl(Pareto, Normal)(lambda p, q: _below(p.alpha <= 2, _crossed(_log_normal)(p, q)))


@register_kl(Bernoulli, Poisson)
def _(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _(p: Any, q: Any) -> Any:
    return -p.entropy() - _log_continuous(p.mean, q)


@register_kl(Beta, Gamma)
def _(p: Any, q: Any) -> Any:
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() - _log_gamma(p, q, mean_log)


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _(p: Any, q: Any) -> Any:
    return _below((q.low > 0) | (q.high < 1), -p.entropy() + (q.high - q.low).log())


@register_kl(Exponential, Gamma)
def _(p: Any, q: Any) -> Any:
    return -p.entropy() - _log_gamma(p, q, -EULER - p.rate.log())


@register_kl(Exponential, Gumbel)
def _(p: Any, q: Any) -> Any:
    scaled = p.rate * q.scale
    return -p.entropy() - _log_gumbel(q, p.mean, scaled / (scaled + 1))


@register_kl(Gamma, Gumbel)
def _(p: Any, q: Any) -> Any:
    bent = (-p.concentration * (1 / (p.rate * q.scale)).log1p()).exp()
    return -p.entropy() - _log_gumbel(q, p.mean, bent)


@register_kl(Normal, Gumbel)
def _(p: Any, q: Any) -> Any:
    bent = (-p.loc / q.scale + 0.5 * (p.scale / q.scale) ** 2).exp()
    return -p.entropy() - _log_gumbel(q, p.loc, bent)


@register_kl(Normal, Laplace)
def _(p: Any, q: Any) -> Any:
    """With E|x - loc| of a folded normal number."""
    away = p.loc - q.loc
    z = away / p.scale
    folded = math.sqrt(2 / math.pi) * p.scale * (-0.5 * z * z).exp() + away * (z / math.sqrt(2)).erf()
    return -p.entropy() + (2 * q.scale).log() + folded / q.scale


@register_kl(Poisson, Binomial)
@register_kl(Poisson, Bernoulli)
def _(p: Any, q: Any) -> Any:
    return _infinite(p.rate)


@register_kl(Uniform, Beta)
def _(p: Any, q: Any) -> Any:
    """With E[log x] and E[log(1 - x)], which are integrals of log."""
    width = p.high - p.low
    mean_log = (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / width - 1
    top, rest = 1 - p.low, 1 - p.high
    mean_rest = (top.xlogy(top) - rest.xlogy(rest)) / width - 1
    a, b = q.concentration1, q.concentration0
    log_q = (a - 1) * mean_log + (b - 1) * mean_rest - q._dirichlet._log_beta()
    return _below((p.low < 0) | (p.high > 1), -p.entropy() - log_q)


@register_kl(Uniform, ContinuousBernoulli)
def _(p: Any, q: Any) -> Any:
    return _below((p.low < 0) | (p.high > 1), -p.entropy() - _log_continuous(p.mean, q))


@register_kl(Uniform, Gamma)
def _(p: Any, q: Any) -> Any:
    mean_log = (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1
    return _below(p.low < 0, -p.entropy() - _log_gamma(p, q, mean_log))


@register_kl(Uniform, Gumbel)
def _(p: Any, q: Any) -> Any:
    width = (p.high - p.low) / q.scale
    bent = ((-p.low / q.scale).exp() - (-p.high / q.scale).exp()) / width
    return -p.entropy() - _log_gumbel(q, p.mean, bent)


@register_kl(Uniform, Pareto)
def _(p: Any, q: Any) -> Any:
    mean_log = (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1
    log_q = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * mean_log
    return _below(p.low < q.scale, -p.entropy() - log_q)


@register_kl(Pareto, Gamma)
def _(p: Any, q: Any) -> Any:
    value = -p.entropy() - _log_gamma(p, q, p.scale.log() + 1 / p.alpha)
    return _below(p.alpha <= 1, value)


# p has samples where q has none.
for _q, _ps in {
    Beta: (Exponential, Gamma, Gumbel, Laplace, Normal, Pareto),
    ContinuousBernoulli: (Exponential, Gamma, Gumbel, Laplace, Normal, Pareto),
    Pareto: (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Normal),
    Uniform: (Exponential, Gamma, Gumbel, Laplace, Normal, Pareto),
    Gamma: (Gumbel, Laplace, Normal),
    Exponential: (Gumbel, Laplace, Normal),
}.items():
    for _p in _ps:
        register_kl(_p, _q)(lambda p, q: _infinite(p.mean))
