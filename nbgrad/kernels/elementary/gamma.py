"""digamma and the logarithm of the gamma function: near their zeros by one series, above by another, which are one
polynomial whose coefficients are chosen by lane; below 0 by reflection.

Both are computed in float64, of float32 with as many terms as that needs, and rounded once.
"""

from __future__ import annotations

from itertools import zip_longest
from math import inf, nan
from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import DType, float64
from nbgrad.kernels.elementary.gamma_table import (
    COTANGENT,
    DIGAMMA_FAR,
    DIGAMMA_NEAR,
    LGAMMA_FAR,
    LGAMMA_NEAR,
    OFFSET,
    ROOT,
    SINE,
)
from nbgrad.kernels.elementary.logarithm import log_parts
from nbgrad.kernels.elementary.parts import const_like, fast_two_sum, horner, two_sum
from nbgrad.ops.chebyshev import powers

Row = tuple[float, ...]
MOST: Final = 2.5599833278516383e305  # beyond it lgamma is infinite


def _either(b: Builder, is_near: Value, near: Value, far: Value, series: tuple[Row, Row], dtype: DType) -> Value:
    """The first series in ``near`` or the second in ``far``."""
    t, total = b.select(is_near, near, far), b.const(0.0, float64)
    pairs = [*zip_longest(*[powers(each, dtype) for each in series], fillvalue=0.0)]
    for low, high in reversed(pairs):
        total = b.fma(t, total, b.select(is_near, b.const(low, float64), b.const(high, float64)))
    return total


def _beside_whole(b: Builder, x: Value) -> tuple[Value, Value]:
    """How far x is from a whole number, f, and 8 f^2 - 1."""
    f = b.sub(x, b.round(x))
    return f, b.fma(b.mul(f, f), const_like(b, 8.0, x), const_like(b, -1.0, x))


def digamma(b: Builder, x: Value) -> Value:
    """Infinite at +-0, NaN at negative whole numbers and at -infinity. Of a positive x within 2 ULP in float64."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    one = b.const(1.0, float64)
    is_low, is_near = b.lt(wide, one), b.lt(wide, b.const(2.0, float64))
    v, w = b.select(is_low, wide, b.sub(wide, one)), b.sub(wide, b.const(0.5, float64))
    share = b.div(b.select(is_low, b.sub(one, wide), one), b.select(is_near, wide, w))
    y = _digamma(b, is_near, v, w, b.mul(share, share), dtype)
    y = b.cast(b.select(is_low, b.sub(b.sub(y, one), share), y), dtype)  # 1 / x = 1 + (1 - x) / x
    return b.rare(b.lt(x, const_like(b, 0.0, x)), y, "digamma_below", x)


def digamma_below(b: Builder, x: Value) -> Value:
    """digamma(1 - x) + pi cot(-pi x), for x below 0; the error is that of the larger term, also next to a zero.

    So is that of float32, which takes as many terms.
    """
    a = b.neg(b.cast(x, float64))
    one, w = b.const(1.0, float64), b.add(a, b.const(0.5, float64))
    y = _digamma(b, b.lt(a, one), a, w, b.div(one, b.mul(w, w)), float64)
    f, t = _beside_whole(b, a)
    beside_zeros = b.fma(f, b.neg(f), b.const(0.25, float64))
    y = b.add(y, b.div(b.mul(beside_zeros, horner(b, t, powers(COTANGENT, float64))), f))
    return b.cast(b.select(b.eq(f, b.const(0.0, float64)), b.const(nan, float64), y), b.dtype_of(x))


def _digamma(b: Builder, is_near: Value, v: Value, w: Value, u: Value, dtype: DType) -> Value:
    """digamma(1 + v), v up to 1, by its distance from a zero; or digamma(w + 1/2) = log(w) + u F(u), u = w^-2."""
    minus = b.const(-1.0, float64)
    near, far = b.fma(v, b.const(2.0, float64), minus), b.fma(u, b.const(4.5, float64), minus)
    series = _either(b, is_near, near, far, (DIGAMMA_NEAR, DIGAMMA_FAR), dtype)
    beside, rest = b.sub(v, b.const(ROOT[0], float64)), b.mul(series, b.const(-ROOT[1], float64))
    return b.select(is_near, b.fma(beside, series, rest), b.fma(u, series, b.function("log", w)))


def lgamma(b: Builder, x: Value) -> Value:
    """log |gamma(x)|: infinite at 0, negative whole numbers and infinities. Of a positive x within 2 ULP in float64."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    one, infinity = b.const(1.0, float64), b.const(inf, float64)
    is_low = b.lt(wide, one)
    high, low = log_parts(b, wide)
    v = b.select(is_low, wide, b.sub(wide, one))
    y = _lgamma(b, b.lt(wide, b.const(2.25, float64)), v, wide, (high, low), dtype)
    large, error = fast_two_sum(b, b.neg(high), y)
    y = b.select(is_low, b.add(large, b.sub(error, low)), y)
    is_infinite = b.bit_or(b.eq(wide, b.const(0.0, float64)), b.gt(wide, b.const(MOST, float64)))
    y = b.cast(b.select(is_infinite, infinity, y), dtype)
    return b.rare(b.lt(x, const_like(b, 0.0, x)), y, "lgamma_below", x)


def lgamma_below(b: Builder, x: Value) -> Value:
    """-log |sin(pi x) / pi| - lgamma(1 - x), for x below 0; the error is that of the larger term, also next to a zero.

    So is that of float32, which takes as many terms.
    """
    a = b.neg(b.cast(x, float64))
    after = b.add(a, b.const(1.0, float64))
    y = _lgamma(b, b.lt(a, b.const(1.25, float64)), a, after, log_parts(b, after), float64)
    f, t = _beside_whole(b, a)
    size = b.abs(f)
    sine = b.mul(size, horner(b, t, powers(SINE, float64)))
    high, low = log_parts(b, sine)
    total, error = two_sum(b, high, y)
    y = b.neg(b.add(total, b.add(error, low)))
    return b.cast(b.select(b.gt(size, b.const(0.0, float64)), y, b.const(inf, float64)), b.dtype_of(x))


def _lgamma(b: Builder, is_near: Value, v: Value, x: Value, log: tuple[Value, Value], dtype: DType) -> Value:
    """lgamma(1 + v), v up to 5/4, by its distances from the zeros 0 and 1; or Stirling's formula for x from 9/4 on.

    The two large terms of that, (x - 1/2) (log(x) - 1) and a constant, are added with their rounding errors.
    """
    one, inverse = b.const(1.0, float64), b.div(b.const(1.0, float64), x)
    near = b.fma(v, b.const(1.6, float64), b.const(-1.0, float64))
    far = b.fma(b.mul(inverse, inverse), b.const(10.125, float64), b.const(-1.0, float64))
    series = _either(b, is_near, near, far, (LGAMMA_NEAR, LGAMMA_FAR), dtype)
    factor, rest = two_sum(b, b.sub(log[0], one), log[1])
    base, offset = b.sub(x, b.const(0.5, float64)), b.const(OFFSET[0], float64)
    product = b.mul(base, factor)
    total, error = two_sum(b, product, offset)
    small = b.add(b.fma(base, factor, b.neg(product)), b.add(error, b.const(OFFSET[1], float64)))
    small = b.fma(inverse, series, b.fma(base, rest, small))
    less = b.sub(v, one)
    both = b.mul(v, less)
    lost = b.mul(b.fma(v, less, b.neg(both)), series)
    return b.select(is_near, b.fma(both, series, lost), b.add(total, small))
