"""sin and cos of large arguments."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from nbgrad.kernels.elementary.sine_large import DIGITS, PIECE, TWO_OVER_PI_DIGITS
from tests.kernels.elementary.measure import assert_within

NAMES = pytest.mark.parametrize("name", ["sin", "cos"])

# The float64 that comes closest to a multiple of pi/2 (2^-61 of it), and other close ones.
CLOSEST = [6381956970095103.0 * 2.0**797, 5.706674932067741e15, 6411027962775774.0 * 2.0**-45, 1e22, 2.0**1000]


def test_the_digits_of_two_over_pi() -> None:
    with mpmath.workprec(DIGITS + 64):
        assert int(mpmath.floor(2 / mpmath.pi * mpmath.mpf(2) ** DIGITS)) == TWO_OVER_PI_DIGITS


def test_the_division_by_53_is_exact() -> None:
    assert all((n * 1237) >> 16 == n // PIECE for n in range(1024))


@NAMES
def test_float64_at_every_exponent(name: str) -> None:
    rng = np.random.default_rng(0)
    x = np.ldexp(rng.uniform(1.0, 2.0, 4000), rng.integers(29, 1024, 4000))
    assert_within(name, x, ulps=1.0)


@NAMES
def test_float64_next_to_multiples_of_half_pi(name: str) -> None:
    x = np.array([*CLOSEST, np.finfo(np.float64).max])
    assert_within(name, np.concatenate([x, -x]), ulps=1.0)


@NAMES
def test_float64_rounded_from_multiples_of_half_pi(name: str) -> None:
    rng = np.random.default_rng(1)
    with mpmath.workprec(1200):
        x = [float(int(rng.integers(1, 2**40)) * mpmath.mpf(2) ** int(e) * mpmath.pi / 2) for e in range(0, 980, 2)]
    assert_within(name, np.array(x), ulps=1.0)


@NAMES
def test_float32_at_every_exponent(name: str) -> None:
    rng = np.random.default_rng(2)
    x = np.ldexp(rng.uniform(1.0, 2.0, 400_000), rng.integers(16, 128, 400_000)).astype(np.float32)
    assert_within(name, np.concatenate([x, -x]))


@NAMES
def test_float32_next_to_multiples_of_half_pi(name: str) -> None:
    with mpmath.workprec(400):
        x = [float(k * mpmath.mpf(2) ** e * mpmath.pi / 2) for e in range(16, 120) for k in range(1, 60, 2)]
    assert_within(name, np.array(x, np.float32))
