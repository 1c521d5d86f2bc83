"""tanh: special values, where its two formulas meet, saturation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
def test_tanh_of_special_values(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 30.0, -30.0, 1e30], dtype)
    np.testing.assert_array_equal(evaluate("tanh", x), np.array([1.0, -1.0, np.nan, 1.0, -1.0, 1.0], dtype))


@DTYPES
def test_tanh_where_the_formulas_meet(dtype: str) -> None:
    meeting = 1.0 if dtype == "float32" else 0.625
    assert_within("tanh", around(np.array([meeting, -meeting]), dtype, steps=500))
    width = np.random.default_rng(0).uniform(0.9, 1.1, 3000)
    assert_within("tanh", (meeting * width).astype(dtype))


@DTYPES
def test_tanh_never_leaves_its_range_nor_falls(dtype: str) -> None:
    x = np.unique(np.random.default_rng(1).uniform(-25.0, 25.0, 20_000).astype(dtype))
    y = evaluate("tanh", x)
    assert np.all(np.abs(y) <= 1.0)
    assert np.all(np.diff(y[np.abs(x) > 2.0]) >= 0.0)


@DTYPES
def test_tanh_is_odd(dtype: str) -> None:
    x = np.random.default_rng(2).uniform(0.0, 12.0, 5000).astype(dtype)
    np.testing.assert_array_equal(evaluate("tanh", -x), -evaluate("tanh", x))
