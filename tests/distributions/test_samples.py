"""Samples: their distribution by SciPy, their moments, their derivatives, and that a seed gives them again."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

import nbgrad as nb
from tests.distributions.cases import ALL, made, numbers

D = nb.distributions
COUNT = 2000
# SciPy's names for the two of each case: frozen distributions.
CONTINUOUS: dict[str, list[Any]] = {
    "Beta": [stats.beta(0.5, 1.5), stats.beta(2, 3)],
    "Cauchy": [stats.cauchy(0, 1), stats.cauchy(1, 2.5)],
    "Chi2": [stats.chi2(1.5), stats.chi2(6)],
    "Exponential": [stats.expon(0, 2), stats.expon(0, 1 / 3)],
    "FisherSnedecor": [stats.f(3, 1.5), stats.f(5, 7)],
    "Gamma": [stats.gamma(0.5, 0, 0.5), stats.gamma(4, 0, 2)],
    "GeneralizedPareto": [stats.genpareto(0.2, 0.5, 1), stats.genpareto(0, 0, 2), stats.genpareto(-0.4, 0, 1.5)],
    "Gumbel": [stats.gumbel_r(0, 1), stats.gumbel_r(1, 2.5)],
    "HalfCauchy": [stats.halfcauchy(0, 1), stats.halfcauchy(0, 2.5)],
    "HalfNormal": [stats.halfnorm(0, 1), stats.halfnorm(0, 2.5)],
    "InverseGamma": [stats.invgamma(1.5, 0, 2), stats.invgamma(4, 0, 0.5)],
    "Laplace": [stats.laplace(0, 1), stats.laplace(1, 2.5)],
    "LogNormal": [stats.lognorm(1, 0, 1), stats.lognorm(0.5, 0, np.e)],
    "Normal": [stats.norm(0, 1), stats.norm(1, 2.5)],
    "Pareto": [stats.pareto(1.5, 0, 1), stats.pareto(3, 0, 2.5)],
    "StudentT": [stats.t(2.5), stats.t(7, 1, 2.5)],
    "Uniform": [stats.uniform(0, 1), stats.uniform(-1, 3.5)],
    "VonMises": [stats.vonmises(0.5), stats.vonmises(4, 1)],
    "Weibull": [stats.weibull_min(1.5, 0, 1), stats.weibull_min(3, 0, 2.5)],
}
DISCRETE: dict[str, list[Any]] = {
    "Bernoulli": [stats.bernoulli(0.3), stats.bernoulli(0.8)],
    "Binomial": [stats.binom(5, 0.3), stats.binom(5, 0.8)],
    "Geometric": [stats.geom(0.3, -1), stats.geom(0.8, -1)],
    "NegativeBinomial": [stats.nbinom(2.5, 0.7), stats.nbinom(5, 0.2)],
    "Poisson": [stats.poisson(0.5), stats.poisson(6)],
}


def moments(frozen: list[Any]) -> tuple[Any, Any]:
    return np.array([f.mean() for f in frozen]), np.array([f.var() for f in frozen])


@pytest.mark.parametrize("case", CONTINUOUS)
def test_a_continuous_distribution_is_scipys(case: str) -> None:
    dist, _, x = made(case)
    frozen = CONTINUOUS[case]
    nb.manual_seed(2)
    drawn = dist.sample((COUNT,)).numpy()
    for k, there in enumerate(frozen):
        turned = np.angle(np.exp(1j * drawn[:, k])) if case == "VonMises" else drawn[:, k]
        if case == "VonMises":  # SciPy's cdf counts turns about the middle
            turned = there.mean() + np.angle(np.exp(1j * (turned - there.mean())))
        assert stats.kstest(turned, there.cdf).pvalue > 1e-3
    want = [there.logpdf(v) for there, v in zip(frozen, x.numpy(), strict=True)]
    np.testing.assert_allclose(dist.log_prob(x).numpy(), want, rtol=1e-10)
    for name, formula in (("cdf", "cdf"), ("icdf", "ppf")):
        given = x if name == "cdf" else nb.full(x.shape, 0.3, dtype=nb.float64)
        try:
            got = getattr(dist, name)(given).numpy()
        except NotImplementedError:
            continue
        want = [getattr(f, formula)(v) for f, v in zip(frozen, given.numpy(), strict=True)]
        np.testing.assert_allclose(got, want, rtol=1e-10)
    if case == "VonMises":
        return
    if case not in ("FisherSnedecor", "StudentT"):  # these are integrated numerically there
        np.testing.assert_allclose(dist.entropy().numpy(), [f.entropy() for f in frozen], rtol=1e-8)
        mean, variance = moments(frozen)
        for got, want in ((dist.mean.numpy(), mean), (dist.variance.numpy(), variance)):
            known = np.isfinite(want)
            np.testing.assert_allclose(got[known], want[known], rtol=1e-10)


@pytest.mark.parametrize("case", DISCRETE)
def test_a_discrete_distribution_is_scipys(case: str) -> None:
    dist, _, _ = made(case)
    nb.manual_seed(3)
    drawn = dist.sample((COUNT,)).numpy()
    values = np.arange(0.0, 2.0 if case == "Bernoulli" else 6.0)
    for k, there in enumerate(DISCRETE[case]):
        share = there.pmf(values)
        log_prob = dist.log_prob(nb.tensor(np.repeat(values[:, None], 2, 1))).numpy()[:, k]
        np.testing.assert_allclose(log_prob, there.logpmf(values), rtol=1e-10)
        found = (drawn[:, k, None] == values).mean(0)
        assert (np.abs(found - share) <= 4.5 * np.sqrt(share * (1 - share) / COUNT) + 1e-12).all()
    mean, variance = moments(DISCRETE[case])
    np.testing.assert_allclose(dist.mean.numpy(), mean, rtol=1e-10)
    np.testing.assert_allclose(dist.variance.numpy(), variance, rtol=1e-10)


NO_MOMENTS = ("Cauchy", "FisherSnedecor", "HalfCauchy", "InverseGamma", "Pareto", "StudentT", "Categorical")
CIRCULAR = ("VonMises",)


@pytest.mark.parametrize("case", [c for c in ALL if c.split()[0] not in NO_MOMENTS + CIRCULAR])
def test_the_mean_of_samples_is_the_mean(case: str) -> None:
    dist, _, _ = made(case)
    nb.manual_seed(4)
    drawn = dist.sample((COUNT,)).numpy()
    spread = drawn.std(0) / np.sqrt(COUNT) + 1e-12
    try:
        mean, variance = numbers(dist.mean), numbers(dist.variance)
    except NotImplementedError:  # it is the density that is known: its mean over samples is the entropy
        return
    assert (np.abs(drawn.mean(0) - mean) < 5 * spread).all()
    np.testing.assert_allclose(drawn.var(0), variance, rtol=0.25)


def test_categories_and_mixtures_are_drawn_by_weight() -> None:
    nb.manual_seed(5)
    drawn = D.Categorical(nb.tensor([0.2, 0.0, 0.5, 0.3, 0.0])).sample((COUNT,)).numpy()
    share = np.bincount(drawn, minlength=5) / COUNT
    np.testing.assert_allclose(share, [0.2, 0, 0.5, 0.3, 0], atol=0.035)
    assert share[1] == share[4] == 0
    mix = D.MixtureSameFamily(
        D.Categorical(nb.tensor([0.25, 0.75])), D.Normal(nb.tensor([-3.0, 1.0]), nb.tensor([0.5, 2.0]))
    )
    drawn = mix.sample((COUNT,)).numpy()
    assert stats.kstest(drawn, lambda x: mix.cdf(nb.tensor(x)).numpy()).pvalue > 1e-3
    vectors = D.MixtureSameFamily(
        D.Categorical(nb.ones(3, 2)), D.Independent(D.Normal(nb.zeros(3, 2, 4), nb.ones(3, 2, 4)), 1)
    )
    assert vectors.sample((5,)).shape == (5, 3, 4)
    assert vectors.log_prob(vectors.sample()).shape == (3,)


# Those of numbers, whose mean has a derivative of finite variance.
RSAMPLED = [c for c in (*CONTINUOUS, "ContinuousBernoulli", "Kumaraswamy") if c not in (*NO_MOMENTS, *CIRCULAR)]


@pytest.mark.parametrize("case", RSAMPLED)
def test_the_mean_of_derivatives_of_samples_is_the_derivative_of_the_mean(case: str) -> None:
    name, given, _ = ALL[case]
    dist = getattr(D, name)
    made_of = {k: np.max(v) for k, v in given.items()}
    one = {k: nb.tensor(float(v), dtype=nb.float64, requires_grad=True) for k, v in made_of.items()}
    many = {k: nb.full((COUNT,), float(v), dtype=nb.float64, requires_grad=True) for k, v in made_of.items()}
    dist(**one).mean.backward()
    nb.manual_seed(6)
    dist(**many).rsample().sum().backward()
    for k, x in many.items():
        each, want = x.grad.numpy(), 0.0 if one[k].grad is None else one[k].grad.item()
        assert abs(each.mean() - want) <= 5 * each.std() / np.sqrt(COUNT) + 1e-9, k


def test_derivatives_of_vectors_of_samples() -> None:
    """By Stein's identity, or the derivatives of second moments: E[d(x^2)] = d E[x^2]."""
    nb.manual_seed(7)
    shape = nb.tensor([0.5, 1.0, 2.0], dtype=nb.float64)
    many = shape.expand(COUNT, 3).clone().requires_grad_()
    (D.Dirichlet(many).rsample()[:, 0] ** 2).sum().backward()
    one = shape.clone().requires_grad_()
    dist = D.Dirichlet(one)
    (dist.variance[0] + dist.mean[0] ** 2).backward()
    error = many.grad.numpy().std(0) / np.sqrt(COUNT)
    assert (np.abs(many.grad.numpy().mean(0) - one.grad.numpy()) < 5 * error).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gamma_sample_changes_as_its_quantile_does(dtype: str) -> None:
    """To 10 digits in float64: the exact derivative is -(dP/da) / (dP/dx), of 40 digits."""
    shapes = [1e-2, 0.3, 1.0, 2.5, 30.0, 400.0]
    a = nb.tensor(shapes * 20, dtype=getattr(nb, dtype), requires_grad=True)
    nb.manual_seed(8)
    x = D.Gamma(a, nb.ones_like(a.detach())).rsample()
    x.sum().backward()
    with mpmath.workdps(30):
        for shape, value, got in zip(a.tolist(), x.tolist(), a.grad.tolist(), strict=True):
            if value < 1e-30:
                continue
            s, v = mpmath.mpf(shape), mpmath.mpf(value)
            slope = mpmath.diff(lambda t, v=v: mpmath.gammainc(t, 0, v, regularized=True), s, h=s * mpmath.mpf("1e-10"))
            want = -slope / mpmath.exp((s - 1) * mpmath.log(v) - v - mpmath.loggamma(s))
            assert got == pytest.approx(float(want), rel=1e-10 if dtype == "float64" else 2e-4)


def test_tiny_concentrations_give_no_nan() -> None:
    nb.manual_seed(9)
    small = nb.tensor([1e-3, 1e-2, 0.1], requires_grad=True)
    for drawn in (
        D.Dirichlet(small).rsample((1000,)),
        D.Gamma(small, 1.0).rsample((1000,)),
        D.Beta(small, small).rsample((99,)),
    ):
        assert bool(drawn.isfinite().all())
        (grad,) = nb.autograd.grad(drawn.sum() + (drawn**2).sum(), small)
        assert bool(grad.isfinite().all())


@pytest.mark.parametrize("case", ALL)
def test_a_seed_gives_the_same_samples_again(case: str) -> None:
    dist, _, _ = made(case, dtype="float32")
    nb.manual_seed(10)
    first, second = dist.sample((3,)), dist.sample((3,))
    nb.manual_seed(10)
    again = dist.sample((3,))
    assert bool((first == again).all())
    if dist.has_rsample:
        assert not bool((first == second).all())
        nb.manual_seed(10)
        assert bool((dist.rsample((3,)) == first).all())


@pytest.mark.parametrize("concentration", [9e6, 1.1e7, 1e12, 1e20])
def test_gamma_samples_of_large_concentrations_have_a_derivative(concentration: float) -> None:
    nb.manual_seed(0)
    a = nb.full((20,), concentration, dtype=nb.float64, requires_grad=True)
    x = D.Gamma(a, nb.ones(20, dtype=nb.float64)).rsample()
    (g,) = nb.autograd.grad(x.sum(), a)
    z = (x.detach().numpy() - concentration) / concentration**0.5
    np.testing.assert_allclose(
        g.numpy(), 1 + z / (2 * concentration**0.5) - (z * z - 1) / (6 * concentration), rtol=1e-9
    )
