"""erfc, erfcx and erfinv: special values, where their formulas meet, both tails, numbers near 0."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from nbgrad.ops.error_function import FAR_FROM, MIDDLE_FROM, SCALED_FROM, TAIL_FROM
from tests.kernels.elementary.measure import around, assert_within, at_width, evaluate, every_exponent, same_bits
from tests.kernels.harness import TARGETS

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
ERFC, ERFINV = {"float32": 0.51, "float64": 3.5}, {"float32": 0.51, "float64": 2.5}  # ULP
ERFCX = {"float32": 0.51, "float64": 2.5}


def count(dtype: str) -> int:
    return 100_000 if dtype == "float32" else 300


@DTYPES
def test_special_values(dtype: str) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 30.0, -30.0, 1e30], dtype)
    np.testing.assert_array_equal(evaluate("erfc", x), np.array([1, 1, 0, 2, np.nan, 0, 2, 0], dtype))
    y = np.array([1.0, -1.0, 1.25, -np.inf, np.nan], dtype)
    np.testing.assert_array_equal(evaluate("erfinv", y), np.array([np.inf, -np.inf, np.nan, np.nan, np.nan], dtype))
    zeros = evaluate("erfinv", np.array([0.0, -0.0], dtype))
    assert np.signbit(zeros).tolist() == [False, True]


@DTYPES
@pytest.mark.parametrize(("low", "high"), [(-6.0, 0.5), (0.5, 3.0), (3.0, 27.5)])
def test_the_complement_of_erf(dtype: str, low: float, high: float) -> None:
    x = np.random.default_rng(0).uniform(low, high, count(dtype)).astype(dtype)
    assert_within("erfc", x, ulps=ERFC[dtype])


@DTYPES
def test_the_complement_where_its_formulas_meet(dtype: str) -> None:
    assert_within("erfc", around(np.array([TAIL_FROM]), dtype, steps=60), ulps=ERFC[dtype])


@DTYPES
@pytest.mark.parametrize(("low", "high"), [(-9.3, -0.5), (-0.5, 0.5), (0.5, 3.0), (3.0, 60.0)])
def test_the_scaled_complement(dtype: str, low: float, high: float) -> None:
    x = np.random.default_rng(3).uniform(low, high, count(dtype)).astype(dtype)
    assert_within("erfcx", x, ulps=ERFCX[dtype])


@DTYPES
def test_the_scaled_complement_of_small_and_of_large_numbers(dtype: str) -> None:
    sizes = 10.0 ** np.random.default_rng(4).uniform(-30, 2, count(dtype))
    assert_within("erfcx", np.concatenate([sizes, -sizes[sizes < 9]]).astype(dtype), ulps=ERFCX[dtype])
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -30.0, -1e30], dtype)
    np.testing.assert_array_equal(evaluate("erfcx", x), np.array([1, 1, 0, np.inf, np.nan, np.inf, np.inf], dtype))


def test_the_scaled_complement_before_it_overflows() -> None:
    assert_within("erfcx", np.linspace(-26.6287, -26.5, 200), ulps=ERFCX["float64"])
    assert evaluate("erfcx", np.array([-26.6288, SCALED_FROM])).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(("low", "high"), [(-37.4, -5.0), (-5.0, 0.0), (0.0, 9.0)])
def test_the_share_of_a_normal_distribution(low: float, high: float) -> None:
    x = np.random.default_rng(6).uniform(low, high, 400)
    assert_within("ndtr", x, ulps=3.5)
    kept = x[x > -12].astype(np.float32)
    if kept.size:
        exact = [float(mpmath.ncdf(float(v))) for v in kept]
        off = np.abs(evaluate("ndtr", kept) - exact) / np.spacing(np.array(exact, np.float32))
        assert off.max() <= 0.51
    edges = evaluate("ndtr", np.array([-np.inf, np.inf, np.nan, 0.0, -0.0, -39.0, 50.0]))
    np.testing.assert_array_equal(edges, [0, 1, np.nan, 0.5, 0.5, 0, 1])


@DTYPES
def test_the_scaled_complement_has_the_same_bits_everywhere(dtype: str) -> None:
    x = np.concatenate([every_exponent(dtype, 2000), np.random.default_rng(5).uniform(-28, 28, 2000).astype(dtype)])
    for name in ("erfcx", "ndtr"):
        expected = evaluate(name, x)
        for target in [*TARGETS, at_width("sse2"), at_width("avx2")]:
            assert same_bits(evaluate(name, x, target=target), expected), (name, target.cpu, target.level)


@DTYPES
def test_the_inverse(dtype: str) -> None:
    rng = np.random.default_rng(1)
    near_one = 1 - 10.0 ** rng.uniform(-6 if dtype == "float32" else -15.5, 0, count(dtype))
    small = 10.0 ** rng.uniform(-36, 0, count(dtype))
    assert_within("erfinv", np.concatenate([near_one, -small]).astype(dtype), ulps=ERFINV[dtype])


@DTYPES
def test_the_inverse_where_its_formulas_meet(dtype: str) -> None:
    meeting = np.sqrt(-np.expm1(-np.array([MIDDLE_FROM, FAR_FROM])))
    y = around(meeting, dtype, steps=40)
    assert_within("erfinv", y[np.abs(y) < 1], ulps=ERFINV[dtype])


@DTYPES
def test_the_inverse_undoes_erf(dtype: str) -> None:
    x = np.random.default_rng(2).uniform(-2.0, 2.0, 1000).astype(dtype)
    rtol = 2000 * float(np.finfo(dtype).eps)  # erf is flat at 2: a rounding there moves its inverse by 50 of them
    np.testing.assert_allclose(evaluate("erfinv", evaluate("erf", x)), x, rtol=rtol)
