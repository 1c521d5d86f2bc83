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
