"""log, by splitting off the exponent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import DType, float32, float64
from nbgrad.kernels.elementary.parts import LN2, const_like, fast_two_sum, horner, split_exponent

# (log(1 + f) - f + f^2 / 2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]. Remez, error 2^-27.3 relative to log.
LOG_P: Final = (0.3333333, -0.25000823, 0.20001261, -0.16623332, 0.14200932, -0.13159509, 0.12767118, -0.076433636)

# (2 atanh(s) - 2 s) / s^3 as a polynomial in s^2, for s^2 <= (3 - sqrt(8))^2. Remez, error 2^-59.5 relative to log.
LOG_R: Final = (
    0.6666666666666735,
    0.3999999999940933,
    0.28571428743694866,
    0.22222198427811393,
    0.18183572430238293,
    0.15313829877933205,
    0.14798285252452126,
)


def _log1p_tail_float32(b: Builder, f: Value) -> Value:
    """log(1 + f) - f by a polynomial: -f^2 / 2 + f^3 P(f)."""
    return b.mul(b.mul(f, f), b.fma(f, horner(b, f, LOG_P), const_like(b, -0.5, f)))


def _log1p_tail_float64(b: Builder, f: Value) -> Value:
    """log(1 + f) - f by s = f / (2 + f): log(1 + f) = 2 s + s^3 R(s^2), and 2 s = f - s f.

    Of half as many coefficients as a polynomial in f. Source of the form: fdlibm's e_log.c.
    """
    s = b.div(f, b.add(f, const_like(b, 2.0, f)))
    z = b.mul(s, s)
    return b.mul(s, b.sub(b.mul(z, horner(b, z, LOG_R)), f))


LOG1P_TAIL: Final[dict[DType, Callable[[Builder, Value], Value]]] = {
    float32: _log1p_tail_float32,
    float64: _log1p_tail_float64,
}


def log(b: Builder, x: Value) -> Value:
    """log x = k ln 2 + log(1 + f) with x = 2^k (1 + f) and 1 + f in [sqrt(1/2), sqrt(2)).

    The two large terms, k ln 2 and f, are added with their rounding error kept. -infinity for +-0, NaN for x < 0.
    Error below 0.9 ULP.
    """
    high, low = LN2[b.dtype_of(x)]
    k, m = split_exponent(b, x)
    f = b.sub(m, const_like(b, 1.0, x))
    tail = b.fma(k, const_like(b, low, x), LOG1P_TAIL[b.dtype_of(x)](b, f))
    large, error = fast_two_sum(b, b.mul(k, const_like(b, high, x)), f)
    return log_specials(b, x, b.add(large, b.add(error, tail)))


def log_specials(b: Builder, x: Value, y: Value) -> Value:
    """y = log x where that is finite; infinity for infinity, -infinity for +-0, NaN for x < 0 and NaN."""
    zero, infinity = const_like(b, 0.0, x), const_like(b, float("inf"), x)
    outside = b.select(b.eq(x, zero), const_like(b, float("-inf"), x), const_like(b, float("nan"), x))
    y = b.select(b.lt(x, infinity), y, x)
    return b.select(b.gt(x, zero), y, outside)
