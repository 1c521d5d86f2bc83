"""A value that one instruction writes into and reads at another place is not overwritten while it is read."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
def test_a_value_scattered_into_itself(name: str) -> None:
    values = np.linspace(-2.0, 2.0, 64)
    places = np.arange(64)[::-1].copy()

    @nb.compile
    def f(x: nb.Tensor, index: nb.Tensor) -> nb.Tensor:
        h = nb.tanh(x)
        return getattr(h, name)(0, index, h) * 1.5

    h = np.tanh(values)
    want = (h[::-1] if name == "scatter" else h + h[::-1]) * 1.5
    for _ in range(3):
        np.testing.assert_allclose(f(nb.tensor(values), nb.tensor(places)).numpy(), want, rtol=1e-12, atol=1e-12)
