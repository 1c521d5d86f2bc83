"""exp and expm1: special values, the ends of the range, exact cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
def test_exp_of_special_values(dtype: str) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    np.testing.assert_array_equal(evaluate("exp", x), np.array([1.0, 1.0, np.inf, 0.0, np.nan], dtype))


@DTYPES
def test_expm1_of_special_values(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, -1e30], dtype)
    np.testing.assert_array_equal(evaluate("expm1", x), np.array([np.inf, -1.0, np.nan, -1.0], dtype))


@DTYPES
def test_exp_overflows_and_vanishes_where_it_must(dtype: str) -> None:
    info = np.finfo(dtype)
    largest, smallest = np.log(np.float64(info.max)), np.log(np.float64(info.smallest_subnormal))
    x = np.array([largest - 0.01, largest + 0.01, smallest, smallest - 0.7, -1e30, 1e30], dtype)
    y = evaluate("exp", x)
    assert np.isfinite(y[0])
    assert y[1] == np.inf
    np.testing.assert_array_equal(y[2:], np.array([info.smallest_subnormal, 0.0, 0.0, np.inf], dtype))


@DTYPES
def test_exp_is_rounded_once_where_it_is_subnormal(dtype: str) -> None:
    low, high = (-103.9, -94.0) if dtype == "float32" else (-745.1, -718.0)
    x = np.random.default_rng(0).uniform(low, high, 3000).astype(dtype)
    assert_within("exp", x, ulps=0.51)  # the error before rounding is of a digit that isn't there


@DTYPES
@pytest.mark.parametrize("name", ["exp", "expm1"])
def test_next_to_where_the_power_of_two_changes(name: str, dtype: str) -> None:
    assert_within(name, around((np.arange(-40, 41) + 0.5) * np.log(2.0), dtype))


@DTYPES
def test_expm1_where_its_terms_cancel(dtype: str) -> None:
    x = np.random.default_rng(1).uniform(-1.1, 1.1, 4000).astype(dtype)
    assert_within("expm1", x, ulps=1.0 if dtype == "float32" else 1.5)


@DTYPES
def test_exp_never_falls(dtype: str) -> None:
    y = evaluate("exp", np.unique(np.random.default_rng(2).uniform(-110.0, 95.0, 20_000).astype(dtype)))
    assert np.all(y[1:] >= y[:-1])
