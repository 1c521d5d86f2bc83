"""Distributions in compiled functions, on devices, in pickles, and of the user's own classes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.special

import nbgrad as nb
from nbgrad.autograd import gradcheck, gradgradcheck
from nbgrad.func import vmap
from tests.distributions.cases import ALL, made, tensors
from tests.on_devices import cuda

D = nb.distributions
LOOKS = ("Binomial", "NegativeBinomial", "Poisson", "VonMises")  # NumPy draws their samples
COMPILED = [
    "Bernoulli",
    "Categorical",
    "Dirichlet",
    "Gamma",
    "LKJCholesky",
    "LogNormal",
    "MultivariateNormal",
    "Poisson",
]


@pytest.mark.parametrize("case", COMPILED)
def test_compiled_or_not_samples_and_densities_are_the_same(case: str) -> None:
    """Made inside the function, and outside."""
    name, given, value = ALL[case]
    kind, parameters, x = getattr(D, name), tensors(nb, given), nb.tensor(value, dtype=nb.float64)
    outside = kind(**parameters)

    def inside(x: Any) -> Any:
        dist = kind(**parameters)
        return dist.log_prob(x).sum(), dist.sample((2,))

    def captured(x: Any) -> Any:
        return outside.log_prob(x).sum(), outside.sample((2,))

    for function in (inside, captured):
        compiled = nb.compile(function, fullgraph=name not in LOOKS)
        runs = []
        for f in (function, compiled):
            nb.manual_seed(1)
            runs.append([[y.tolist() for y in f(x)] for _ in range(4)])
        assert runs[0] == runs[1]


def test_a_compiled_function_sees_that_a_parameter_is_another() -> None:
    dist = D.Normal(nb.zeros(2), nb.ones(2))
    density = nb.compile(lambda x: dist.log_prob(x).sum(), fullgraph=True)
    for loc in (0.0, 0.0, 0.0, 2.0):
        dist.loc = nb.full((2,), loc)
        assert density(nb.zeros(2)).item() == pytest.approx(-1.8378771 - loc**2)


class Half(D.Distribution):  # type: ignore[name-defined,misc]
    """A uniform distribution up to ``top``, written as one writes it for PyTorch."""

    arg_constraints = {"top": D.constraints.positive}  # noqa: RUF012
    has_rsample = True

    def __init__(self, top: Any, validate_args: Any = None) -> None:
        (self.top,) = D.utils.broadcast_all(top)
        super().__init__(self.top.shape, validate_args=validate_args)

    @D.constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return D.constraints.interval(0.0, self.top)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.top * nb.rand(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return -self.top.log() + 0 * value


def test_a_class_of_ones_own() -> None:
    dist = Half(nb.tensor([1.0, 2.0]))
    assert dist.sample((3,)).shape == (3, 2) and not dist.sample().requires_grad
    assert dist.expand((3, 2)).log_prob(nb.ones(2)).shape == (3, 2)
    assert D.Independent(dist, 1).log_prob(nb.ones(2)).item() == pytest.approx(-np.log(2))
    assert D.TransformedDistribution(dist, D.ExpTransform()).sample((4,)).shape == (4, 2)
    with pytest.raises(ValueError, match="within the support"):
        dist.log_prob(nb.tensor([1.5, 1.5]))
    with pytest.raises(ValueError, match="parameter top"):
        Half(-1.0)
    compiled = nb.compile(lambda x: dist.log_prob(x).sum() + 0 * dist.rsample().sum(), fullgraph=True)
    assert [round(compiled(nb.ones(2)).item(), 4) for _ in range(4)] == [-0.6931] * 4
    with pytest.raises(NotImplementedError, match="Half"):
        dist.entropy()


@pytest.mark.parametrize("case", ALL)
def test_copies_and_pickles(case: str) -> None:
    dist, _, x = made(case)
    for twin in (copy.deepcopy(dist), pickle.loads(pickle.dumps(dist))):
        assert repr(twin) == repr(dist)
        assert twin.log_prob(x).tolist() == dist.log_prob(x).tolist()


OF_GAMMA_NUMBERS = [
    lambda a: D.Gamma(a, a + 1),
    lambda a: D.Beta(a, a + 1),
    lambda a: D.Dirichlet(a),
    lambda a: D.StudentT(a),
    lambda a: D.Wishart(a[1], a[0] * nb.eye(2, dtype=nb.float64)),
]
SMOOTH = [
    lambda a: D.MultivariateNormal(a, scale_tril=a.diag_embed()),
    lambda a: D.LowRankMultivariateNormal(a, a.unsqueeze(-1), a),
    lambda a: D.RelaxedOneHotCategorical(a[0], logits=a),
    lambda a: D.Weibull(a, a + 1),
]


class Quantile(nb.autograd.Function):
    """The logarithm of the number below which the share u of a gamma distribution lies."""

    @staticmethod
    def forward(ctx: Any, a: Any, u: Any) -> Any:
        at, h = a.numpy(), 1e-5
        below, here, above = [np.log(scipy.special.gammaincinv(at + d, u)) for d in (-h, 0.0, h)]
        ctx.slope = nb.tensor((above - below) / (2 * h))
        return nb.tensor(here)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.slope, None


@pytest.mark.parametrize("k", range(len(OF_GAMMA_NUMBERS)))
def test_derivatives_of_what_is_made_of_gamma_numbers(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers drawn by rejection jump where another one is taken, and differences see that: here they are quantiles at
    fixed shares, as whose derivative that of gamma numbers is defined (test_samples.py compares it)."""

    def quantiles(concentration: Any, shape: Any) -> Any:
        return Quantile.apply(concentration.expand(shape), np.random.default_rng(3).random(shape))

    for file in ("bounded", "multivariate", "positive", "real_line"):
        monkeypatch.setattr(f"nbgrad.distributions.{file}.log_standard_gamma", quantiles)

    def drawn(a: Any) -> Any:
        nb.manual_seed(3)
        return OF_GAMMA_NUMBERS[k](a).rsample((3,))

    assert gradcheck(drawn, (nb.tensor([0.7, 3.0], dtype=nb.float64, requires_grad=True),), atol=1e-4)


@pytest.mark.parametrize("k", range(len(SMOOTH)))
def test_derivatives_of_samples_by_finite_differences(k: int) -> None:
    def drawn(a: Any) -> Any:
        nb.manual_seed(3)
        return SMOOTH[k](a).rsample((3,))

    a = nb.tensor([0.7, 3.0], dtype=nb.float64, requires_grad=True)
    assert gradcheck(drawn, (a,))
    if k == 0:
        assert gradgradcheck(drawn, (a,))


def test_inside_vmap() -> None:
    x = nb.tensor([0.5, 2.0])
    got = vmap(lambda a: D.Gamma(a, 1.0).log_prob(a * 2))(x)
    assert got.tolist() == D.Gamma(x, 1.0).log_prob(x * 2).tolist()
    drawn = vmap(lambda a: D.Categorical(a).sample((2,)), randomness="different")(nb.ones(3, 4))
    assert drawn.shape == (3, 2)


def test_samples_and_densities_are_where_the_parameters_are() -> None:
    with cuda():
        on = nb.ones(2, device="cuda")
        for dist in (D.Normal(on, 1.0), D.Gamma(on, 1.0), D.Poisson(on), D.Categorical(on), D.Dirichlet(on)):
            drawn = dist.sample((3,))
            assert drawn.device.type == dist.log_prob(drawn).device.type == "cuda"


def test_they_are_read_when_they_are_asked_for() -> None:
    code = (
        "import sys, nbgrad; assert not any('distributions' in m for m in sys.modules); nbgrad.distributions.Normal; "
        "assert 'nbgrad.distributions.kl' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
