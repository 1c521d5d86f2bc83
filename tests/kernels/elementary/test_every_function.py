"""What holds for all elementary functions: their error over the whole range, and the same bits everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.kernels.elementary import ELEMENTARY
from tests.kernels.elementary.measure import NAMES, assert_within, at_width, evaluate, every_exponent, same_bits
from tests.kernels.harness import TARGETS

UNARY = [name for name in NAMES if name not in ("pow", "atan2")]
# Where the function is defined, finite and neither 0 nor saturated everywhere: the bits of a float rarely fall there.
BUSY = {
    "exp": (-745.2, 709.8),
    "expm1": (-40.0, 709.8),
    "log": (0.0, 3.0),
    "log1p": (-1.0, 3.0),
    "sin": (-30.0, 30.0),
    "cos": (-30.0, 30.0),
    "tanh": (-20.0, 20.0),
    "erf": (-6.2, 6.2),
    "digamma": (0.0, 30.0),
    "lgamma": (0.0, 30.0),
    "sigmoid": (-745.2, 40.0),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "atan": (-30.0, 30.0),
    "sinh": (-710.4, 710.4),
    "cosh": (-710.4, 710.4),
    "asinh": (-30.0, 30.0),
    "acosh": (1.0, 30.0),
    "atanh": (-1.0, 1.0),
}
POSITIVE = {"log": 0.0, "log1p": -1.0, "acosh": 1.0, "digamma": 0.0, "lgamma": 0.0}  # not defined, or less exact, below
TOP = {"asin": 1.0, "acos": 1.0, "atanh": 1.0, "sinh": 709.0, "cosh": 709.0}  # nor above, or infinite


def test_every_name_of_the_builder_has_a_body() -> None:
    assert sorted(ELEMENTARY) == sorted(NAMES)


@pytest.mark.parametrize("name", UNARY)
def test_float32_is_within_one_ulp_at_all_exponents(name: str) -> None:
    assert_within(name, every_exponent("float32", 1_500_000))


@pytest.mark.parametrize("name", UNARY)
def test_float32_is_within_one_ulp_where_the_function_bends(name: str) -> None:
    low, high = np.clip(BUSY[name], -104.0, 89.0)
    rng = np.random.default_rng(1)
    assert_within(name, rng.uniform(low, high, 600_000).astype(np.float32))
    assert_within(name, rng.uniform(max(low, -1.5), 1.5, 600_000).astype(np.float32))


@pytest.mark.parametrize("name", UNARY)
def test_float64_is_within_two_ulp_at_all_exponents(name: str) -> None:
    x = every_exponent("float64", 1500)
    x = x[np.isfinite(x) & (x > POSITIVE.get(name, -np.inf)) & (x != 0.0)]
    # Nor huge ones where mpmath would work out all the digits of e^(10^300).
    x = x if name in ("sin", "cos", "log", "log1p") else x[np.abs(x) < TOP.get(name, 800.0)]
    assert_within(name, x)


@pytest.mark.parametrize("name", UNARY)
def test_float64_is_within_two_ulp_where_the_function_bends(name: str) -> None:
    low, high = BUSY[name]
    rng = np.random.default_rng(2)
    assert_within(name, rng.uniform(low, high, 1500))
    assert_within(name, rng.uniform(max(low, -1.6), min(high, 1.6), 1500))


def _inputs(name: str, dtype: str) -> list[np.ndarray]:
    x = every_exponent(dtype, 4000, seed=3)
    near = np.random.default_rng(4).uniform(-20.0, 20.0, x.size).astype(dtype)
    return [x, near] if name in ("pow", "atan2") else [np.concatenate([x, near])]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_every_width_and_cpu_gives_the_same_bits(name: str, dtype: str) -> None:
    inputs = _inputs(name, dtype)
    expected = evaluate(name, *inputs)
    for target in [*TARGETS, at_width("sse2"), at_width("avx2")]:
        assert same_bits(evaluate(name, *inputs, target=target), expected), (target.cpu, target.level)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_a_lane_does_not_see_its_neighbours(name: str, dtype: str) -> None:
    inputs = _inputs(name, dtype)
    order = np.random.default_rng(5).permutation(inputs[0].size)
    shuffled = evaluate(name, *[x[order] for x in inputs])
    assert same_bits(shuffled, evaluate(name, *inputs)[order])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["expm1", "log1p", "sin", "tanh"])
def test_the_smallest_numbers_are_kept_as_they_are(name: str, dtype: str) -> None:
    info = np.finfo(dtype)
    sizes = [0.0, info.smallest_subnormal, 3 * info.smallest_subnormal, 0.7 * info.tiny, info.tiny, 1e-25]
    x = np.array([*sizes, *[-v for v in sizes]], dtype)
    assert same_bits(evaluate(name, x), x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erf_keeps_minus_zero_and_its_slope(dtype: str) -> None:
    info = np.finfo(dtype)
    assert same_bits(evaluate("erf", np.array([0.0, -0.0], dtype)), np.array([0.0, -0.0], dtype))
    x = np.array([info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny, 1e-25], dtype)
    assert_within("erf", np.concatenate([x, -x]))
