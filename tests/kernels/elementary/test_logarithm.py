"""log and log1p: special values, next to 1, next to powers of two."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.elementary.measure import around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@DTYPES
def test_log_of_special_values(dtype: str) -> None:
    x = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -1e-30], dtype)
    y = np.array([-np.inf, -np.inf, 0.0, np.nan, np.inf, np.nan, np.nan, np.nan], dtype)
    np.testing.assert_array_equal(evaluate("log", x), y)


@DTYPES
def test_log1p_of_special_values(dtype: str) -> None:
    below = np.nextafter(np.asarray(-1.0, dtype), np.asarray(-2.0, dtype))
    x = np.array([-1.0, below, np.inf, -np.inf, np.nan, -5.0], dtype)
    y = np.array([-np.inf, np.nan, np.inf, np.nan, np.nan, np.nan], dtype)
    np.testing.assert_array_equal(evaluate("log1p", x), y)


@DTYPES
def test_log_next_to_one_and_to_powers_of_two(dtype: str) -> None:
    powers = 2.0 ** np.arange(-60, 61)
    assert_within("log", around(powers, dtype))
    assert_within("log", around(powers * np.sqrt(0.5), dtype))  # where the exponent split off changes
    steps = 2.0 ** -np.arange(1, 50, dtype=np.float64)
    x = np.concatenate([1.0 + steps, 1.0 - steps]).astype(dtype)
    assert_within("log", x[x != 1.0])


@DTYPES
def test_log_of_subnormals(dtype: str) -> None:
    x = np.random.default_rng(0).integers(1, 2**20, 2000).astype(dtype) * np.finfo(dtype).smallest_subnormal
    assert_within("log", x)


@DTYPES
def test_log1p_is_accurate_where_one_plus_x_is_not(dtype: str) -> None:
    rng = np.random.default_rng(1)
    sizes = np.ldexp(rng.uniform(1.0, 2.0, 3000), rng.integers(-70, 70, 3000))
    x = np.where((rng.integers(0, 2, 3000) == 1) & (sizes < 1.0), -sizes, sizes).astype(dtype)
    assert_within("log1p", x, ulps=1.0 if dtype == "float32" else 1.5)


@DTYPES
def test_log1p_at_both_ends(dtype: str) -> None:
    info = np.finfo(dtype)
    from_minus_one = (-1.0 + 2.0 ** -np.arange(1, info.nmant + 1, dtype=np.float64)).astype(dtype)
    huge = np.ldexp(1.0, np.arange(info.nmant - 3, info.maxexp - 1)).astype(dtype)
    assert_within("log1p", np.concatenate([from_minus_one, huge, 1.4142136 * huge, np.array([info.max], dtype)]))
