"""Mistakes raise what PyTorch raises; of values that are computed, the read raises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.func import vmap

torch = pytest.importorskip("torch", reason="compares with torch itself")
D = nb.distributions


def _normal(d: Any, t: Any) -> Any:
    return d.Normal(t([0.0, 1.0]), 1.0)


# Functions of the distributions and the tensors of a library.
MISTAKES: list[Callable[[Any, Any], Any]] = [
    lambda d, t: d.Normal(0.0, -1.0),
    lambda d, t: d.Normal(t([0.0, 0.0]), -1.0),
    lambda d, t: d.Normal(t([float("nan")]), 1.0),
    lambda d, t: d.Normal([0.0], 1.0),
    lambda d, t: d.Normal("a", 1.0),
    lambda d, t: d.Normal(t([1.0, 2.0]), t([1.0, 2.0, 3.0])),
    lambda d, t: d.Gamma(0.0, 1.0),
    lambda d, t: d.Uniform(1.0, 0.0),
    lambda d, t: d.LogNormal(0.0, 0.0),
    lambda d, t: d.HalfNormal(-1.0),
    lambda d, t: d.StudentT(-1.0),
    lambda d, t: d.Bernoulli(),
    lambda d, t: d.Bernoulli(0.3, 0.4),
    lambda d, t: d.Bernoulli(1.3),
    lambda d, t: d.Geometric(0.0),
    lambda d, t: d.Binomial(-1, t([0.5])),
    lambda d, t: d.NegativeBinomial(1.0, t(1.0)),
    lambda d, t: d.Binomial(t([2.0, 3.0]), t(0.5)).enumerate_support(),
    lambda d, t: d.Categorical(t(1.0)),
    lambda d, t: d.Categorical(t([-1.0, 2.0])),
    lambda d, t: d.Categorical(t([0.5, 0.5])).log_prob(t(2.0)),
    lambda d, t: d.OneHotCategorical(t([0.5, 0.5])).log_prob(t([1.0, 1.0])),
    lambda d, t: d.Multinomial(2.5, t([0.5, 0.5])),
    lambda d, t: d.Multinomial(2, t([0.5, 0.5])).log_prob(t([3.0, 1.0])),
    lambda d, t: d.Dirichlet(t(1.0)),
    lambda d, t: d.Dirichlet(t([1.0, 1.0])).log_prob(t([0.5, 0.6])),
    lambda d, t: d.MultivariateNormal(t([0.0, 0.0])),
    lambda d, t: d.MultivariateNormal(t(0.0), t([[1.0]])),
    lambda d, t: d.MultivariateNormal(t([0.0]), t([1.0])),
    lambda d, t: d.MultivariateNormal(t([0.0, 0.0]), t([[1.0, 2.0], [2.0, 1.0]])),
    lambda d, t: d.MultivariateNormal(t([0.0, 0.0]), t([[1.0, 0.0], [2.0, 1.0]])),
    lambda d, t: d.MultivariateNormal(t([0.0, 0.0]), scale_tril=t([[1.0, 1.0], [2.0, 1.0]])),
    lambda d, t: d.LowRankMultivariateNormal(t([0.0, 0.0]), t([[1.0]]), t([1.0, 1.0])),
    lambda d, t: d.LowRankMultivariateNormal(t([0.0, 0.0]), t([[1.0], [1.0]]), t([1.0])),
    lambda d, t: d.LowRankMultivariateNormal(t([0.0, 0.0]), t([[1.0], [1.0]]), t([1.0, -1.0])),
    lambda d, t: d.Wishart(t(1.0), t([[1.0, 0.0], [0.0, 1.0]])),
    lambda d, t: d.LKJCholesky(1),
    lambda d, t: d.Independent(_normal(d, t), 2),
    lambda d, t: d.TransformedDistribution(_normal(d, t), 3),
    lambda d, t: d.TransformedDistribution(d.Normal(0.0, 1.0), d.StickBreakingTransform()),
    lambda d, t: d.MixtureSameFamily(_normal(d, t), _normal(d, t)),
    lambda d, t: d.MixtureSameFamily(d.Categorical(t([1.0, 1.0, 1.0])), _normal(d, t)),
    lambda d, t: _normal(d, t).log_prob(1.0),
    lambda d, t: _normal(d, t).log_prob(t([1.0, 2.0, 3.0])),
    lambda d, t: d.MultivariateNormal(t([0.0, 0.0]), t([[1.0, 0.0], [0.0, 1.0]])).log_prob(t([0.0])),
    lambda d, t: d.Exponential(1.0).log_prob(t(-1.0)),
    lambda d, t: d.Poisson(1.0).log_prob(t(0.5)),
    lambda d, t: d.Uniform(0.0, 1.0).log_prob(t(1.5)),
    lambda d, t: d.Beta(1.0, 1.0).log_prob(t(1.5)),
    lambda d, t: _normal(d, t).expand((3,)),
    lambda d, t: _normal(d, t).sample(3),
    lambda d, t: d.Poisson(1.0).rsample(),
    lambda d, t: d.Poisson(1.0).cdf(t(1.0)),
    lambda d, t: d.Poisson(1.0).enumerate_support(),
    lambda d, t: d.Poisson(1.0).entropy(),
    lambda d, t: d.Gamma(1.0, 1.0).icdf(t(0.3)),
    lambda d, t: d.Distribution().sample(),
    lambda d, t: d.Distribution().arg_constraints,
    lambda d, t: d.Distribution.set_default_validate_args(3),
    lambda d, t: d.transforms.ReshapeTransform((2, 3), (4,)),
    lambda d, t: d.transforms.SoftmaxTransform().forward_shape(()),
    lambda d, t: d.transforms.CorrCholeskyTransform().forward_shape((4,)),
    lambda d, t: d.constraints.independent(d.constraints.real, 1).check(t(1.0)),
    lambda d, t: d.constraints.integer_interval(0, 1, 2),
    lambda d, t: d.utils.tril_matrix_to_vec(t([[1.0]]), 3),
]


@pytest.mark.parametrize("k", range(len(MISTAKES)))
def test_a_mistake_raises_what_pytorch_raises(k: int) -> None:
    with pytest.raises(Exception) as there:  # noqa: PT011  whatever it is
        MISTAKES[k](torch.distributions, torch.tensor)
    with pytest.raises(there.type) as caught:
        MISTAKES[k](D, nb.tensor)
    assert type(caught.value).__module__ in ("nbgrad.errors", "builtins")
    assert len(str(caught.value)) > 15, "the message must say what is wrong"


def test_the_message_names_parameter_constraint_and_line() -> None:
    with pytest.raises(ValueError, match=r"parameter scale .* GreaterThan.*\n.*\n.*test_mistakes.py"):
        D.Normal(nb.zeros(2), -1.0)
    with pytest.raises(ValueError, match=r"within the support .Interval"):
        D.Beta(1.0, 2.0).log_prob(nb.tensor(2.0))


def test_what_is_computed_is_checked_by_the_read() -> None:
    scale = nb.tensor([1.0, -1.0]) * 2
    dist = D.Normal(0.0, scale)
    with pytest.raises(ValueError, match=r"parameter scale of distribution Normal .*\n.*test_mistakes.py"):
        dist.log_prob(nb.zeros(2)).sum().item()
    fine = D.Normal(0.0, nb.tensor([1.0, 3.0]) * 2, validate_args=True)
    assert fine.log_prob(nb.zeros(2)).shape == (2,)
    value = nb.tensor([0.5, 1.0]) * 2
    with pytest.raises(ValueError, match="within the support"):
        D.Uniform(0.0, nb.ones(2)).log_prob(value + 1).tolist()
    with pytest.raises(ValueError, match=r"parameter rate"):
        vmap(lambda x: D.Exponential(x).log_prob(x * x))(nb.tensor([1.0, -1.0])).tolist()
    assert D.Normal(0.0, nb.tensor([1.0, -1.0]) * 2, validate_args=False).log_prob(nb.zeros(2)).isnan().tolist() == [
        False,
        True,
    ]


def test_compiled_functions_are_checked_at_each_call() -> None:
    step = nb.compile(lambda s, x: D.Normal(0.0, s).log_prob(x).sum(), fullgraph=True)
    for _ in range(4):
        assert step(nb.ones(2), nb.zeros(2)).item() == pytest.approx(-1.8378771)
    with pytest.raises(ValueError, match=r"parameter scale of distribution Normal"):
        step(nb.tensor([1.0, -1.0]), nb.zeros(2)).item()
    assert step(nb.ones(2), nb.zeros(2)).item() == pytest.approx(-1.8378771)


def test_checks_can_be_left_out() -> None:
    D.Distribution.set_default_validate_args(False)
    try:
        assert D.Normal(0.0, -1.0).scale.item() == -1
        with pytest.raises(ValueError, match="scale"):
            D.Normal(0.0, -1.0, validate_args=True)
    finally:
        D.Distribution.set_default_validate_args(True)


def test_names_of_pytorchs_modules() -> None:
    from nbgrad.distributions.normal import Normal
    from nbgrad.distributions.relaxed_bernoulli import LogitRelaxedBernoulli, RelaxedBernoulli

    from nbgrad.distributions.kl import kl_divergence

    assert Normal is D.Normal is D.normal.Normal
    assert RelaxedBernoulli is D.RelaxedBernoulli
    assert LogitRelaxedBernoulli.__name__ == "LogitRelaxedBernoulli"
    assert kl_divergence is D.kl_divergence
    with pytest.raises(AttributeError, match="did you mean 'Normal'"):
        D.Norml  # noqa: B018
    with pytest.raises(AttributeError, match="Norml"):
        D.normal.Norml  # noqa: B018
