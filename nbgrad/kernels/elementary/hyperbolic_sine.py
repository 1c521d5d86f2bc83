"""sinh and cosh, by exp; sinh near 0 by its series. Their inverses, by log1p."""

from __future__ import annotations

import math
from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float64
from nbgrad.kernels.elementary.exponential import exp_polynomial, reduce_exp
from nbgrad.kernels.elementary.logarithm import log, log1p
from nbgrad.kernels.elementary.parts import LAYOUT, LN2, const_like, horner, in_float64, scale_by_power, two_sum

# (sinh(x) - x) / x^3 in x^2: the series; what is left out is below 2^-59 up to 1.
SINH_P: Final = tuple([1.0 / math.factorial(2 * k + 3) for k in range(9)])
INFINITE: Final = 712.0  # e^712 / 2 is beyond float64
LARGE: Final = 2.0**28  # x^2 + 1 rounds to x^2


@in_float64
def sinh(b: Builder, x: Value) -> Value:
    """(e^x - e^-x) / 2. Keeps -0. Error below 2 ULP in float64."""
    size = b.abs(x)
    z = b.mul(x, x)
    near = b.fma(b.mul(size, z), horner(b, z, SINH_P), size)
    half, inverse = _half_exp(b, size)
    far = b.sub(half, inverse)
    return b.copysign(b.select(b.lt(size, const_like(b, 1.0, x)), near, far), x)


@in_float64
def cosh(b: Builder, x: Value) -> Value:
    """(e^x + e^-x) / 2. Error below 2 ULP in float64."""
    half, inverse = _half_exp(b, b.abs(x))
    return b.add(half, inverse)


def _half_exp(b: Builder, size: Value) -> tuple[Value, Value]:
    """e^size / 2, which e^size itself may be too large for, and e^-size / 2."""
    top = const_like(b, INFINITE, size)
    held = b.select(b.gt(size, top), top, size)  # NaN stays
    r, bits = reduce_exp(b, held, 2 * LAYOUT[float64].bias - 1)
    half = scale_by_power(b, exp_polynomial(b, r), bits)
    return half, b.div(const_like(b, 0.25, size), half)


@in_float64
def asinh(b: Builder, x: Value) -> Value:
    """log(x + sqrt(x^2 + 1)) = log1p(x + x^2 / (1 + sqrt(x^2 + 1))). Keeps -0. Error below 2 ULP in float64."""
    size, one = b.abs(x), const_like(b, 1.0, x)
    z = b.mul(size, size)
    near = log1p(b, b.add(size, b.div(z, b.add(one, b.sqrt(b.add(z, one))))))
    return b.copysign(_or_log_of_twice(b, size, near), x)


@in_float64
def acosh(b: Builder, x: Value) -> Value:
    """log(x + sqrt(x^2 - 1)) = log1p(u) with u = t + sqrt(t (t + 2)), t = x - 1; NaN below 1.

    Next to 1 the rounding errors of u count in full; they are known, and what they change is added. Error below 2 ULP
    in float64.
    """
    one = const_like(b, 1.0, x)
    t = b.sub(x, one)
    z = b.fma(t, t, b.add(t, t))
    root = b.sqrt(z)
    u, error = two_sum(b, root, t)
    double = b.add(root, root)
    missing = b.fma(double, error, b.fma(b.neg(root), root, z))
    slope = b.fma(double, u, double)
    missing = b.div(missing, b.select(b.eq(slope, const_like(b, 0.0, x)), one, slope))
    near = b.add(log1p(b, u), missing)
    return b.select(b.lt(x, one), const_like(b, float("nan"), x), _or_log_of_twice(b, x, near))


@in_float64
def atanh(b: Builder, x: Value) -> Value:
    """log((1 + x) / (1 - x)) / 2, by log1p; infinity at 1, NaN beyond. Keeps -0. Error below 2 ULP in float64."""
    size, one, half = b.abs(x), const_like(b, 1.0, x), const_like(b, 0.5, x)
    double = b.add(size, size)
    ratio = b.div(double, b.sub(one, size))
    ratio = b.select(b.lt(size, half), b.fma(size, ratio, double), ratio)
    return b.copysign(b.mul(half, log1p(b, ratio)), x)


def _or_log_of_twice(b: Builder, size: Value, near: Value) -> Value:
    """``near``, or log(2 size) where the square of ``size`` loses the 1, or is too large."""
    far = b.add(log(b, size), const_like(b, sum(LN2[float64]), size))
    return b.select(b.gt(size, const_like(b, LARGE, size)), far, near)
