"""Divergences of all pairs beside PyTorch's, and which formula a pair of classes gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.distributions.cases import numbers

torch = pytest.importorskip("torch", reason="compares with torch itself")
D = nb.distributions
# Name: (parameters of p, those of q).
PAIRS: dict[str, tuple[list[Any], list[Any]]] = {
    "Bernoulli": ([[0.3, 0.6, 1.0]], [[0.5, 0.2, 0.7]]),
    "Beta": ([[1.5, 0.7, 2.0], [2.0, 0.4, 1.0]], [[0.8, 2.0, 1.0], [3.0, 1.0, 1.0]]),
    "Binomial": ([5, [0.3, 0.6, 0.5]], [5, [0.5, 0.2, 0.5]]),
    "Categorical": ([[[0.3, 0.7], [1.0, 0.0]]], [[[0.1, 0.9], [0.0, 1.0]]]),
    "Cauchy": ([[0.5, -2.0, 0.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 0.0], [2.0, 2.0, 1.0]]),
    "Chi2": ([[0.5, 2.0, 3.0]], [[1.5, 0.3, 4.0]]),
    "ContinuousBernoulli": ([[0.3, 0.5, 0.9]], [[0.7, 0.9, 0.5]]),
    "Dirichlet": ([[[0.3, 0.7], [1.5, 2.5]]], [[[1.0, 0.9], [0.6, 4.0]]]),
    "Exponential": ([[0.5, 2.0, 1.0]], [[1.5, 0.3, 1.0]]),
    "Gamma": ([[0.5, 2.0, 1.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 1.0], [2.0, 2.0, 1.0]]),
    "Geometric": ([[0.3, 0.6, 0.5]], [[0.5, 0.2, 0.5]]),
    "Gumbel": ([[0.5, -2.0, 0.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 0.0], [2.0, 2.0, 1.0]]),
    "HalfNormal": ([[0.5, 2.0, 1.0]], [[1.5, 0.3, 1.0]]),
    "Laplace": ([[0.5, -2.0, 0.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 0.0], [2.0, 2.0, 1.0]]),
    "LogNormal": ([[0.5, -2.0, 0.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 0.0], [2.0, 2.0, 1.0]]),
    "LowRankMultivariateNormal": (
        [[0.5, 1.0], [[1.0], [0.5]], [0.5, 1.5]],
        [[0.1, -1.0], [[1.0, 0.5], [0.5, -0.3]], [1.5, 1.5]],
    ),
    "MultivariateNormal": (
        [[[0.5, 1.0], [0.2, 0.0]], [[1.0, 0.2], [0.2, 0.5]]],
        [[0.1, -1.0], [[2.0, 0.5], [0.5, 0.5]]],
    ),
    "Normal": ([[0.5, -2.0, 0.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 0.0], [2.0, 2.0, 1.0]]),
    "OneHotCategorical": ([[[0.3, 0.7], [0.5, 0.5]]], [[[0.1, 0.9], [0.6, 0.4]]]),
    "Pareto": ([[0.5, 2.0, 0.5], [2.5, 3.0, 0.9]], [[0.4, 1.0, 1.0], [2.0, 2.0, 1.5]]),
    "Poisson": ([[0.5, 2.0, 1.0]], [[1.5, 0.3, 1.0]]),
    "Uniform": ([[0.1, 0.5, 1.0], [0.5, 0.9, 3.0]], [[0.0, 0.4, 0.0], [0.7, 2.0, 1.0]]),
    "Weibull": ([[0.5, 2.0, 1.0], [1.0, 3.0, 1.0]], [[1.5, 0.3, 1.0], [2.0, 2.0, 1.0]]),
    "Wishart": ([3.0, [[1.0, 0.2], [0.2, 0.5]]], [2.5, [[2.0, 0.5], [0.5, 0.5]]]),
}


def build(lib: Any, name: str, place: int) -> Any:
    """p (place 0) or q (1) of a name."""
    given = [v if isinstance(v, int) else lib.tensor(v, dtype=lib.float64) for v in PAIRS[name][place]]
    return getattr(lib.distributions, name)(*given)


def divergence(lib: Any, p: Any, q: Any) -> Any:
    try:
        return numbers(lib.distributions.kl_divergence(p, q))
    except NotImplementedError:
        return None


@pytest.mark.parametrize("name", PAIRS)
def test_divergences_from_all_others_are_pytorchs(name: str) -> None:
    p, there = build(nb, name, 0), build(torch, name, 0)
    for other in PAIRS:
        try:
            want = divergence(torch, there, build(torch, other, 1))
        except RuntimeError:  # of shapes that do not fit
            continue
        got = divergence(nb, p, build(nb, other, 1))
        if want is None:
            assert got is None, other
            continue
        if (name, other) == ("ContinuousBernoulli", "Uniform"):  # of [0, 1], too, which PyTorch takes for narrower
            want[2] = -numbers(p.entropy())[2]
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12, err_msg=other)


def test_every_pair_of_pytorchs_is_there() -> None:
    ours = {(p.__name__, q.__name__) for p, q in D.kl._KL_REGISTRY}
    assert {(p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY} <= ours


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Beta", "Dirichlet", "Wishart", "Categorical"])
def test_derivatives_are_pytorchs(name: str) -> None:
    found = []
    for lib in (nb, torch):
        tensors = [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in PAIRS[name][1]]
        lib.distributions.kl_divergence(
            build(lib, name, 1), getattr(lib.distributions, name)(*tensors)
        ).sum().backward()
        fresh = [lib.tensor(v, dtype=lib.float64, requires_grad=True) for v in PAIRS[name][1]]
        kind = getattr(lib.distributions, name)
        half = kind(*[0.9 * t if name == "Categorical" else 1.1 * t for t in fresh])
        lib.distributions.kl_divergence(half, kind(*tensors)).sum().backward()
        found.append([None if t.grad is None else numbers(t.grad) for t in (*tensors, *fresh)])
    for got, want in zip(*found, strict=True):
        if want is None:  # PyTorch loses those of p where it takes a Bregman divergence
            continue
        known = np.isfinite(want)
        np.testing.assert_allclose(got[known], want[known], rtol=1e-8, atol=1e-9)


def test_independent_and_transformed() -> None:
    p, q = [D.Normal(nb.tensor([[0.0, 1.0]]), nb.tensor([[1.0, s]])) for s in (1.0, 3.0)]
    whole = D.kl_divergence(p, q)
    assert whole.shape == (1, 2)
    inner = D.kl_divergence(D.Independent(p, 1), D.Independent(q, 1))
    assert inner.tolist() == whole.sum(-1).tolist()
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Independent(p, 1), D.Independent(q, 2))
    a, b = [D.TransformedDistribution(x, [D.ExpTransform(), D.AffineTransform(0.0, 2.0)]) for x in (p, q)]
    assert D.kl_divergence(a, b).tolist() == whole.tolist()
    with pytest.raises(NotImplementedError):
        D.kl_divergence(a, D.TransformedDistribution(q, D.ExpTransform()))


def test_the_nearest_classes_decide() -> None:
    class P(D.Normal):  # type: ignore[name-defined,misc]
        pass

    class Q(P):
        pass

    zero = nb.zeros(())
    assert D.kl_divergence(Q(0.0, 1.0), Q(1.0, 1.0)).item() == 0.5
    D.register_kl(P, D.Normal)(lambda p, q: zero + 1)
    D.register_kl(D.Normal, Q)(lambda p, q: zero + 2)
    assert D.kl_divergence(Q(0.0, 1.0), P(1.0, 1.0)).item() == 1
    assert D.kl_divergence(D.Normal(0.0, 1.0), Q(1.0, 1.0)).item() == 2
    with pytest.warns(RuntimeWarning, match="Ambiguous"):
        assert D.kl_divergence(P(0.0, 1.0), Q(1.0, 1.0)).item() == 1
    with pytest.raises(TypeError, match="Distribution subclass"):
        D.register_kl(int, D.Normal)
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Poisson(1.0), D.Normal(0.0, 1.0))


def test_a_compiled_function_notices_what_is_registered() -> None:
    class Own(D.Normal):
        pass

    p, factor = Own(nb.zeros(1), nb.ones(1)), [2.0]
    run = nb.compile(lambda z: D.kl_divergence(p, p) + z)
    assert [run(nb.ones(1)).item() for _ in range(3)] == [1.0, 1.0, 1.0]
    D.register_kl(Own, Own)(lambda p, q: p.loc + factor[0])
    assert run(nb.ones(1)).item() == 3.0
    factor[0] = 5.0
    assert run(nb.ones(1)).item() == 6.0
