"""asin and acos, by a rational function up to 1/2 and by the root of what lacks to 1 beyond."""

from __future__ import annotations

from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.kernels.elementary.parts import const_like, fast_two_sum, horner, in_float64

# (asin(x) - x) / x^3 = P(x^2) / Q(x^2) for |x| <= 1/2. Source: fdlibm's e_asin.c. Error 2^-59.9 relative to asin.
ASIN_P: Final = (
    0.16666666666666666,
    -0.3255658186224009,
    0.20121253213486293,
    -0.04005553450067941,
    0.0007915349942898145,
    3.479331075960212e-05,
)
ASIN_Q: Final = (1.0, -2.403394911734414, 2.0209457602335057, -0.6882839716054533, 0.07703815055590194)
HALF_PI: Final = (1.5707963267948966, 6.123233995736766e-17)


@in_float64
def asin(b: Builder, x: Value) -> Value:
    """The angle between -pi/2 and pi/2 whose sine is x; NaN beyond 1. Keeps -0. Error below 1 ULP in float64."""
    size = b.abs(x)
    high, low = _asin_of_less(b, size)
    double, double_low = b.add(high, high), b.add(low, low)
    far = _angle_less(b, 1.0, double, double_low)
    return b.copysign(b.select(_is_near(b, size), b.add(high, low), far), x)


@in_float64
def acos(b: Builder, x: Value) -> Value:
    """The angle between 0 and pi whose cosine is x; NaN beyond 1. Error below 1 ULP in float64."""
    size = b.abs(x)
    high, low = _asin_of_less(b, size)
    near = _angle_less(b, 1.0, b.copysign(high, x), b.mul(low, b.copysign(const_like(b, 1.0, x), x)))
    double, double_low = b.add(high, high), b.add(low, low)
    backward = _angle_less(b, 2.0, double, double_low)
    far = b.select(b.lt(x, const_like(b, 0.0, x)), backward, b.add(double, double_low))
    return b.select(_is_near(b, size), near, far)


def _is_near(b: Builder, size: Value) -> Value:
    return b.lt(size, const_like(b, 0.5, size))


def _asin_of_less(b: Builder, size: Value) -> tuple[Value, Value]:
    """asin(size) for size < 1/2, else asin(sqrt((1 - size) / 2)), as a sum of two floats."""
    near, half = _is_near(b, size), const_like(b, 0.5, size)
    z = b.select(near, b.mul(size, size), b.mul(b.sub(const_like(b, 1.0, size), size), half))
    root = b.sqrt(z)
    w = b.select(near, size, root)
    ratio = b.div(b.mul(z, horner(b, z, ASIN_P)), horner(b, z, ASIN_Q))
    # The rounding error of the root, by one step of Newton's method.
    missing = b.div(b.mul(b.fma(b.neg(root), root, z), half), root)
    exact = b.bit_or(near, b.eq(root, const_like(b, 0.0, size)))
    missing = b.select(exact, const_like(b, 0.0, size), missing)
    return w, b.fma(w, ratio, missing)


def _angle_less(b: Builder, right_angles: float, high: Value, low: Value) -> Value:
    """``right_angles`` * pi / 2 - (high + low)."""
    angle, rest = (const_like(b, right_angles * part, high) for part in HALF_PI)
    total, error = fast_two_sum(b, angle, b.neg(high))
    return b.add(total, b.add(error, b.sub(rest, low)))
