"""digamma and lgamma: special values, next to zeros, where their formulas meet, and below 0."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from nbgrad.kernels.elementary.gamma import MOST
from tests.kernels.elementary.measure import EXACT, around, assert_within, evaluate

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
NAMES = pytest.mark.parametrize("name", ["digamma", "lgamma"])
INF, NAN = math.inf, math.nan


def bound(dtype: str) -> float:
    return 0.51 if dtype == "float32" else 2.0


@DTYPES
def test_special_values(dtype: str) -> None:
    x = np.array([0.0, -0.0, INF, -INF, NAN, -1.0, -2.0, -7.0, -1e30], dtype)
    digamma = np.array([-INF, INF, INF, NAN, NAN, NAN, NAN, NAN, NAN], dtype)
    lgamma = np.array([INF, INF, INF, INF, NAN, INF, INF, INF, INF], dtype)
    np.testing.assert_array_equal(evaluate("digamma", x), digamma)
    np.testing.assert_array_equal(evaluate("lgamma", x), lgamma)
    np.testing.assert_array_equal(evaluate("lgamma", np.array([1.0, 2.0], dtype)), np.zeros(2, dtype))


@DTYPES
@NAMES
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1.0, 2.5), (2.5, 40.0)])
def test_positive_numbers(name: str, dtype: str, low: float, high: float) -> None:
    x = np.random.default_rng(0).uniform(low, high, 600).astype(dtype)
    assert_within(name, x[x > 0], ulps=bound(dtype))


@DTYPES
@NAMES
def test_where_formulas_meet_and_zeros_are(name: str, dtype: str) -> None:
    root = 1.4616321449683623
    x = around(np.array([0.5, 1.0, root, 2.0, 2.25, 3.0]), dtype, steps=20)
    x = x[(x != 1.0) & (x != 2.0)] if name == "lgamma" else x
    spread = np.random.default_rng(1).normal(0, 1e-3, 100)
    near = np.concatenate([c + spread for c in (1.0, root, 2.0, 2.25)]).astype(dtype)
    # Of float64 both: SciPy's float64 is no oracle next to a zero.
    assert_within(name, np.concatenate([x, near]).astype("float64"), ulps=2.0)


@NAMES
def test_small_and_large_numbers(name: str) -> None:
    exponents = np.random.default_rng(2).uniform(-300, 2.8, 400)
    assert_within(name, 10.0**exponents, ulps=2.0)
    assert_within(name, -(10.0 ** exponents[exponents < -1]), ulps=3.0)
    huge = 10.0 ** np.random.default_rng(3).uniform(3, 300, 100)
    exact = [float(mpmath.digamma(x) if name == "digamma" else mpmath.loggamma(x)) for x in huge.tolist()]
    np.testing.assert_allclose(evaluate(name, huge), exact, rtol=5e-16)


def test_the_last_finite_logarithm() -> None:
    x = np.array([2.556e305, MOST, math.nextafter(MOST, INF)])
    exact = [float(mpmath.loggamma(v)) for v in x[:2].tolist()]
    np.testing.assert_allclose(evaluate("lgamma", x), [*exact, INF], rtol=5e-16)


@NAMES
@pytest.mark.parametrize("low", [-1.0, -3.0, -40.0])
def test_below_0_the_error_is_that_of_the_larger_term(name: str, low: float) -> None:
    x = np.random.default_rng(4).uniform(low, 0.0, 500)
    y = evaluate(name, x)

    def off(v: Any, found: float) -> float:
        with mpmath.workprec(140):
            exact, term = EXACT[name](v), EXACT[name](1 - v)
            largest = max(abs(term), abs(exact), abs(exact + term) if name == "lgamma" else abs(exact - term))
            return float(abs(exact - found)) / float(np.spacing(float(largest)))

    assert max(off(mpmath.mpf(float(v)), float(found)) for v, found in zip(x, y, strict=True)) < 6


@DTYPES
@NAMES
def test_negative_numbers_do_not_change_their_neighbours(name: str, dtype: str) -> None:
    x = np.random.default_rng(5).uniform(0.0, 20.0, 64).astype(dtype)
    mixed = np.stack([x, -x], 1).ravel()
    np.testing.assert_array_equal(evaluate(name, mixed)[::2], evaluate(name, x))
