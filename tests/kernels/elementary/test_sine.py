"""sin and cos: special values, next to their zeros, where the reductions meet."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.elementary.sine import SINE
from tests.kernels.elementary.measure import around, assert_within, evaluate

BOTH = pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in ("sin", "cos") for d in ("float32", "float64")])


@BOTH
def test_special_values(name: str, dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], dtype)
    at_zero = [0.0, -0.0] if name == "sin" else [1.0, 1.0]
    np.testing.assert_array_equal(evaluate(name, x), np.array([np.nan] * 3 + at_zero, dtype))


@BOTH
def test_next_to_multiples_of_half_pi(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    k = np.concatenate([np.arange(1, 40), rng.integers(40, 60_000, 60)])
    assert_within(name, around(k * (np.pi / 2), dtype, steps=3))


@BOTH
def test_next_to_odd_multiples_of_quarter_pi(name: str, dtype: str) -> None:
    k = np.concatenate([np.arange(20), np.random.default_rng(1).integers(20, 60_000, 60)])
    assert_within(name, around((k + 0.5) * (np.pi / 2), dtype, steps=3))


@BOTH
def test_where_the_reductions_meet(name: str, dtype: str) -> None:
    limit = SINE[by_name(dtype)].largest
    assert_within(name, around(np.array([limit, -limit]), dtype, steps=200))
    assert_within(name, (limit * np.random.default_rng(2).uniform(0.5, 2.0, 2000)).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sin_is_odd_and_cos_is_even(dtype: str) -> None:
    x = np.random.default_rng(3).uniform(0.0, 1e6, 5000).astype(dtype)
    np.testing.assert_array_equal(evaluate("sin", -x), -evaluate("sin", x))
    np.testing.assert_array_equal(evaluate("cos", -x), evaluate("cos", x))
