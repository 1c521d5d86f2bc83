"""sigmoid: special values, both tails, around 0."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
def test_sigmoid_of_special_values(dtype: str) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30], dtype)
    np.testing.assert_array_equal(evaluate("sigmoid", x), np.array([0.5, 0.5, 1.0, 0.0, np.nan, 1.0, 0.0], dtype))


@DTYPES
def test_sigmoid_of_very_negative_numbers_down_to_subnormals(dtype: str) -> None:
    low = -103.5 if dtype == "float32" else -745.0
    x = np.random.default_rng(0).uniform(low, low + 40.0, 3000).astype(dtype)
    assert_within("sigmoid", x, ulps=1.0)
    assert evaluate("sigmoid", np.array([low], dtype))[0] > 0.0


@DTYPES
def test_sigmoid_around_zero_and_powers_of_two(dtype: str) -> None:
    assert_within("sigmoid", around(2.0 ** np.arange(-30, 6), dtype), ulps=1.0)
    assert_within("sigmoid", around(-(2.0 ** np.arange(-30, 6)), dtype), ulps=1.0)


@DTYPES
def test_sigmoid_never_falls_across_zero(dtype: str) -> None:
    x = np.unique(np.random.default_rng(1).uniform(-1e-2, 1e-2, 5000).astype(dtype))
    assert np.all(np.diff(evaluate("sigmoid", x[:: 5 if dtype == "float32" else 1])) >= 0.0)
