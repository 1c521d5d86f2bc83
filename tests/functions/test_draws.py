"""Tensors that are filled with random numbers, beside SciPy's distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import nbgrad as nb

DRAWS = {
    "cauchy_": ((2.0, 3.0), stats.cauchy(2.0, 3.0)),
    "exponential_": ((0.5,), stats.expon(scale=2.0)),
    "log_normal_": ((0.5, 0.25), stats.lognorm(0.25, scale=np.exp(0.5))),
    "geometric_": ((0.3,), stats.geom(0.3)),
}
WRONG = {"cauchy_": (0, 0), "exponential_": (0,), "log_normal_": (0, 0), "geometric_": (1.0,)}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_have_the_distribution(name: str) -> None:
    given, known = DRAWS[name]
    generator = nb.Generator().manual_seed(3)
    x = nb.empty(20_000, dtype=nb.float64)
    assert getattr(x, name)(*given, generator=generator) is x
    values = np.sort(x.numpy())
    places = known.cdf(values)
    if name == "geometric_":
        shares: Any = [float((values <= k).mean()) for k in range(1, 12)]
        np.testing.assert_allclose(shares, known.cdf(range(1, 12)), atol=0.02)
    else:
        np.testing.assert_allclose(places, (np.arange(20_000) + 0.5) / 20_000, atol=0.015)
    with pytest.raises(RuntimeError, match=f"{name} expects"):
        getattr(x, name)(*WRONG[name])


def test_whole_numbers_can_be_geometric_only() -> None:
    assert int(nb.empty(9, dtype=nb.int64).geometric_(0.5).min()) >= 1
    for name in ("cauchy_", "exponential_", "log_normal_"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(nb.empty(9, dtype=nb.int64), name)()


HOLDING = (nb.float32, nb.bfloat16, nb.float16, nb.float64, nb.int8, nb.int64, nb.uint8, nb.bool)


@pytest.mark.parametrize("dtype", HOLDING)
def test_integers_that_the_dtype_holds(dtype: Any) -> None:
    nb.manual_seed(1)
    x = nb.zeros(2000, dtype=dtype)
    assert x.random_() is x
    most = 1 if dtype is nb.bool else nb.iinfo(dtype).max if not dtype.is_floating_point else 2 / nb.finfo(dtype).eps
    assert x.double().min() >= 0 and 0.9 * most <= x.double().max() <= most
    if dtype is not nb.bool:
        assert sorted({*x.random_(3, 6).tolist()}) == [3, 4, 5] and sorted({*x.random_(2).tolist()}) == [0, 1]
    with pytest.raises(RuntimeError, match="expects 'from' to be less than 'to'"):
        x.random_(1, 1)
    with pytest.raises(RuntimeError, match="out of bounds"):
        nb.zeros(2, dtype=nb.int8).random_(0, 200)


def test_poisson_numbers_have_the_mean_and_variance_of_their_rates() -> None:
    nb.manual_seed(2)
    x = nb.poisson(nb.tensor([0.5, 4.0, 30.0]).expand(20000, 3))
    for k, rate in enumerate((0.5, 4.0, 30.0)):
        assert abs(x[:, k].mean() - rate) < 5 * (rate / 20000) ** 0.5
        assert abs(x[:, k].var() / rate - 1) < 0.1
    own = [nb.poisson(nb.full((5,), 9.0), nb.Generator().manual_seed(3)).tolist() for _ in range(2)]
    assert own[0] == own[1]
    with pytest.raises(RuntimeError, match="expected rate to be non-negative"):
        nb.poisson(nb.tensor([-1.0]))
    with pytest.raises(NotImplementedError, match="not implemented for int64"):
        nb.poisson(nb.tensor([1]))


@pytest.mark.parametrize("dtype", [nb.float16, nb.bfloat16])
def test_numbers_of_halves_are_drawn_in_float32(dtype: Any) -> None:
    """Uniform halves have too few numbers near 0, and so near 1 - u."""
    nb.manual_seed(0)
    few = nb.bernoulli(nb.full((100_000,), 0.001, dtype=dtype)).float().mean().item()
    assert 0.0005 < few < 0.0015
    waits = nb.zeros(100_000, dtype=dtype).exponential_()
    assert waits.dtype is dtype and waits.max().item() > 8.0 and not bool((waits == 0).any())
    assert not bool(nb.nn.functional.gumbel_softmax(nb.zeros(10_000, 10, dtype=dtype)).isnan().any())
    for made in (
        nb.distributions.VonMises(nb.zeros(50, dtype=dtype), nb.ones(50, dtype=dtype)),
        nb.distributions.Gumbel(nb.zeros(50, dtype=dtype), nb.ones(50, dtype=dtype)),
    ):
        sample = made.sample()
        assert sample.dtype is dtype and 0.0 < sample.abs().max().item() < 20.0
