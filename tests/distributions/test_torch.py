"""Every distribution beside PyTorch's: densities and their derivatives, moments, shapes, and what is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.distributions.cases import ALL, made, numbers

torch = pytest.importorskip("torch", reason="compares with torch itself")
FORMULAS = ("mean", "mode", "variance", "stddev")
# PyTorch's variance of a large concentration is a quotient of polynomials, right to 1e-7.
ROUGH = {"VonMises": 1e-6}


@pytest.fixture
def doubles() -> Any:
    """Some of PyTorch's take numbers in the default dtype."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def outcome(f: Any) -> Any:
    """The numbers that ``f`` gives, or the class of its error."""
    try:
        return numbers(f())
    except NotImplementedError:
        return NotImplementedError


def agree(got: Any, want: Any, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    if want is NotImplementedError or got is NotImplementedError:
        assert got is want
        return
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize("case", ALL)
def test_densities_and_moments_are_pytorchs(case: str) -> None:
    (ours, _, x), (theirs, _, t) = made(case), made(case, torch)
    rtol = ROUGH.get(case, 1e-9)
    for name in ("log_prob", "cdf"):
        agree(outcome(lambda n=name: getattr(ours, n)(x)), outcome(lambda n=name: getattr(theirs, n)(t)), rtol)
    share = np.full(tuple(theirs.batch_shape), 0.3)
    agree(outcome(lambda: ours.icdf(nb.tensor(share))), outcome(lambda: theirs.icdf(torch.tensor(share))))
    for name in FORMULAS:
        if (case, name) == ("Kumaraswamy", "mode"):  # PyTorch's is NaN everywhere
            np.testing.assert_allclose(numbers(ours.mode), [np.nan, 0.2**0.5])
            continue
        agree(outcome(lambda n=name: getattr(ours, n)), outcome(lambda n=name: getattr(theirs, n)), rtol)
    for name in ("entropy", "perplexity", "enumerate_support"):
        agree(outcome(lambda n=name: getattr(ours, n)()), outcome(lambda n=name: getattr(theirs, n)()), rtol)


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize("case", ALL)
def test_derivatives_of_the_density_are_pytorchs(case: str) -> None:
    ours, given, x = made(case, grad=True)
    theirs, others, t = made(case, torch, grad=True)
    wanted = [k for k, v in given.items() if isinstance(v, nb.Tensor)]
    for lib, dist, parameters, value in ((nb, ours, given, x), (torch, theirs, others, t)):
        is_smooth = not dist.support.is_discrete
        value.requires_grad_(is_smooth)
        loss = dist.log_prob(value).sum()
        inputs = [parameters[k] for k in wanted] + [value] * is_smooth
        found = lib.autograd.grad(loss, inputs, allow_unused=True)
        parameters["found"] = [
            np.zeros(tuple(a.shape)) if g is None else numbers(g) for a, g in zip(inputs, found, strict=True)
        ]
    for name, got, want in zip([*wanted, "value"], given["found"], others["found"], strict=False):
        if (case, name) == ("GeneralizedPareto", "concentration"):
            want[1] = 1.25**2 / 2 - 1.25  # of 0, where PyTorch's is 0
        is_lower = name == "scale_tril"  # what is above the diagonal is 0, and has a derivative in some of PyTorch's
        agree(got, np.tril(want) if is_lower else want, ROUGH.get(case, 1e-8))


@pytest.mark.parametrize("case", ALL)
def test_shapes_names_and_texts_are_pytorchs(case: str) -> None:
    (ours, _, x), (theirs, _, t) = made(case, dtype="float32"), made(case, torch, dtype="float32")
    for name in ("batch_shape", "event_shape"):
        assert tuple(getattr(ours, name)) == tuple(getattr(theirs, name))
    for name in ("has_rsample", "has_enumerate_support"):
        assert getattr(ours, name) == getattr(theirs, name)
    if repr(theirs) != f"{type(theirs).__name__}()":  # some of PyTorch's show no parameters
        assert repr(ours) == repr(theirs).replace("torch.", "nbgrad.")
    assert ours.support.is_discrete == theirs.support.is_discrete
    assert ours.support.event_dim == theirs.support.event_dim
    wide, theirs_wide = ours.expand((3, *ours.batch_shape)), theirs.expand((3, *theirs.batch_shape))
    assert type(wide) is type(ours)
    assert wide.log_prob(x).dtype is nb.float32
    agree(numbers(wide.log_prob(x)), numbers(theirs_wide.log_prob(t)), 3e-5, 3e-7)
    agree(outcome(lambda: wide.variance), outcome(lambda: theirs_wide.variance), 3e-5, 3e-7)
    for shape in ((), (4,)):
        for dist, other in ((ours, theirs), (wide, theirs_wide)):
            drawn, drawn_there = dist.sample(shape), other.sample(shape)
            assert tuple(drawn.shape) == tuple(drawn_there.shape)
            assert str(drawn.dtype).split(".")[1] == str(drawn_there.dtype).split(".")[1]
            assert bool(dist.support.check(drawn).all())


def test_the_names_are_pytorchs() -> None:
    assert set(nb.distributions.__all__) == set(torch.distributions.__all__)
    for module in ("constraints", "transforms", "kl", "utils"):
        ours, theirs = getattr(nb.distributions, module), getattr(torch.distributions, module)
        assert set(getattr(theirs, "__all__", ours.__all__)) <= set(ours.__all__)
