"""pow: C99's special cases, exact results, error over the range."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.elementary.measure import assert_within, evaluate, same_bits

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])

INF, NAN = math.inf, math.nan
ODD = (1.0, -1.0, 3.0, -3.0, 2.0**23 + 1.0)
EVEN = (2.0, -2.0, 4.0, 2.0**24, -(2.0**60))
NOT_WHOLE = (0.5, -0.5, 1.5, 0.1, -3.25)
BASES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 1e-40, -1e-40, 1e30, INF, -INF, NAN)


def pow_c99(x: float, y: float) -> float:
    """C99's F.9.4.4 on top of math.pow, which raises where C gives an infinity or NaN."""
    if x == 0.0 and y < 0.0:
        return math.copysign(INF, x) if y in ODD else INF
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0.0 and y in ODD else INF
    except ValueError:
        return NAN


@DTYPES
def test_special_cases_are_those_of_c99(dtype: str) -> None:
    exponents = (0.0, -0.0, INF, -INF, NAN, *ODD, *EVEN, *NOT_WHOLE)
    x, y = (grid.ravel().astype(dtype) for grid in np.meshgrid(BASES, exponents))
    expected = np.array([pow_c99(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    with np.errstate(over="ignore", under="ignore"):
        expected = expected.astype(dtype)
    result = evaluate("pow", x, y)
    exact = (np.isinf(expected) | (expected == 0.0) | (np.abs(expected) == 1.0)) | np.isnan(expected)
    assert same_bits(result[exact], expected[exact])
    np.testing.assert_allclose(result[~exact], expected[~exact], rtol=2 * np.finfo(dtype).eps, atol=0.0)


@DTYPES
def test_integer_powers_that_fit_are_exact(dtype: str) -> None:
    limit = 2 ** (np.finfo(dtype).nmant + 1)
    cases = [(a, b) for a in range(-60, 61) for b in range(20) if abs(a**b) < limit]
    x, y = (np.array(column, dtype) for column in zip(*cases, strict=True))
    np.testing.assert_array_equal(evaluate("pow", x, y), np.array([a**b for a, b in cases], dtype))


@DTYPES
def test_squares_and_roots(dtype: str) -> None:
    x = np.abs(np.random.default_rng(0).standard_normal(2000)).astype(dtype)
    for exponent in (2.0, 0.5, -1.0, -0.5, 1.0):
        assert_within("pow", x, np.full_like(x, exponent))


def test_float32_over_the_range() -> None:
    rng = np.random.default_rng(1)
    n = 300_000
    samples = [
        (rng.uniform(0.0, 4.0, n), rng.uniform(-60.0, 60.0, n)),
        (np.exp(rng.uniform(-87.0, 87.0, n)), rng.uniform(-1.7, 1.7, n)),
        (1.0 + rng.uniform(-1e-3, 1e-3, n), rng.uniform(-1e5, 1e5, n)),
        (np.ldexp(rng.uniform(1.0, 2.0, n), -140), rng.uniform(-0.9, 1.1, n)),
        (-rng.uniform(0.0, 50.0, n), rng.integers(-30, 30, n)),
    ]
    for x, y in samples:
        x, y = x.astype(np.float32), y.astype(np.float32)
        assert_within("pow", x[x != 0.0], y[x != 0.0])


def test_float64_over_the_range() -> None:
    rng = np.random.default_rng(2)
    n = 1200
    samples = [
        (rng.uniform(0.0, 4.0, n), rng.uniform(-600.0, 600.0, n)),
        (np.exp(rng.uniform(-708.0, 708.0, n)), rng.uniform(-1.7, 1.7, n)),
        (1.0 + rng.uniform(-1e-9, 1e-9, n), rng.uniform(-9e11, 9e11, n)),
        (np.sqrt(2.0) * (1.0 + rng.uniform(-1e-8, 1e-8, n)), rng.uniform(-2040.0, 2040.0, n)),
        (np.ldexp(rng.uniform(1.0, 2.0, n), -1070), rng.uniform(-0.9, 1.01, n)),
        (-rng.uniform(0.0, 50.0, n), rng.integers(-300, 300, n).astype(np.float64)),
    ]
    for x, y in samples:
        assert_within("pow", x, y, ulps=1.5)
