"""Inverse trigonometric and hyperbolic functions: special values, where their formulas meet, all quadrants."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.elementary.measure import WIDE, around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
# Where each goes from one formula to the next, or its error is largest.
MEETING = {
    "asin": (0.5, -0.5, 1.0, -1.0),
    "acos": (0.5, -0.5, 1.0, -1.0, 0.0),
    "atan": (7 / 16, 11 / 16, 19 / 16, 39 / 16, -39 / 16),
    "sinh": (1.0, -1.0, 709.78, 710.4),
    "cosh": (0.0, 709.78, 710.4),
    "asinh": (0.1, 2.0**28, -(2.0**28)),
    "acosh": (1.0, 1.02, 2.0, 2.0**28),
    "atanh": (0.5, -0.5, 0.12, 1.0, -1.0),
}
SPECIAL = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 1e-310, -1e-310, 1e300, float("inf"), float("-inf"), float("nan"))


def same(got: np.ndarray, want: np.ndarray, dtype: str) -> None:
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps, atol=0)
    known = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(want[known]))


@DTYPES
@pytest.mark.parametrize("name", MEETING)
def test_special_values_are_numpys(name: str, dtype: str) -> None:
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL).astype(dtype)
        same(evaluate(name, x), WIDE[name](x), dtype)


@DTYPES
def test_atan2_of_special_values_is_numpys(dtype: str) -> None:
    with np.errstate(all="ignore"):
        y, x = (a.ravel() for a in np.meshgrid(*[np.array(SPECIAL).astype(dtype)] * 2))
        same(evaluate("atan2", y, x), np.arctan2(y, x), dtype)


@DTYPES
@pytest.mark.parametrize("name", MEETING)
def test_the_formulas_meet(name: str, dtype: str) -> None:
    x = around(np.array([v for v in MEETING[name] if dtype == "float64" or abs(v) < 80]), dtype, steps=60)
    with np.errstate(all="ignore"):
        x = x[np.isfinite(WIDE[name](x))]
    assert_within(name, x)


@DTYPES
def test_atan2_is_right_in_all_directions(dtype: str) -> None:
    rng = np.random.default_rng(0)
    y, x = (rng.uniform(-3.0, 3.0, 1500).astype(dtype) for _ in range(2))
    assert_within("atan2", y, x)
    assert_within("atan2", y, (x * 1e-30).astype(dtype))
    assert_within("atan2", (y * 1e-30).astype(dtype), x)


@DTYPES
@pytest.mark.parametrize("name", ["asin", "atan", "sinh", "asinh", "atanh"])
def test_they_are_odd(name: str, dtype: str) -> None:
    x = np.random.default_rng(1).uniform(0.0, 1.0, 2000).astype(dtype)
    np.testing.assert_array_equal(evaluate(name, -x), -evaluate(name, x))
