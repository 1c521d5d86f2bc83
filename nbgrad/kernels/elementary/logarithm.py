"""log and log1p, by splitting off the exponent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import DType, float32, float64
from nbgrad.kernels.elementary.parts import (
    LAYOUT,
    LN2,
    const_like,
    fast_two_sum,
    horner,
    split_exponent,
    split_normal,
    two_sum,
)

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

# log(1 + f) / f on the interval of LOG_P, for float32 computed in float64. Remez, error 2^-27.9.
LOG1P_P: Final = (
    0.9999999999592355,
    -0.4999998829516419,
    0.3333332598990454,
    -0.2500158593810023,
    0.2000196824331448,
    -0.16609028657599273,
    0.14181849521535017,
    -0.1324334063775073,
    0.12904528700779444,
    -0.07621259939980918,
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
    Error below 0.95 ULP.
    """
    k, m = split_exponent(b, x)
    f = b.sub(m, const_like(b, 1.0, x))
    return _log_specials(b, x, _log_of_parts(b, k, f, LOG1P_TAIL[b.dtype_of(x)](b, f)))


def log_parts(b: Builder, x: Value) -> tuple[Value, Value]:
    """log x as a sum, exact but for the rounding of the second, which is below 0.09; for finite x > 0 in float64."""
    k, m = split_exponent(b, x)
    f = b.sub(m, const_like(b, 1.0, x))
    high, low = LN2[float64]
    large, error = fast_two_sum(b, b.mul(k, const_like(b, high, f)), f)
    return large, b.add(error, b.fma(k, const_like(b, low, f), _log1p_tail_float64(b, f)))


def _log_of_parts(b: Builder, k: Value, f: Value, tail: Value) -> Value:
    """k ln 2 + f + tail, where f and k ln 2 may cancel in part."""
    high, low = LN2[b.dtype_of(f)]
    large, error = fast_two_sum(b, b.mul(k, const_like(b, high, f)), f)
    return b.add(large, b.add(error, b.fma(k, const_like(b, low, f), tail)))


def _log_specials(b: Builder, x: Value, y: Value) -> Value:
    """y = log x where that is finite; infinity for infinity, -infinity for +-0, NaN for x < 0 and NaN."""
    zero, infinity = const_like(b, 0.0, x), const_like(b, float("inf"), x)
    outside = b.select(b.eq(x, zero), const_like(b, float("-inf"), x), const_like(b, float("nan"), x))
    y = b.select(b.lt(x, infinity), y, x)
    return b.select(b.gt(x, zero), y, outside)


def log1p(b: Builder, x: Value) -> Value:
    """log(1 + x) without cancellation: keeps -0, -infinity at -1, NaN below.

    float32 is computed in float64, rounded once: below 0.75 ULP. Below 1.5 ULP in float64.
    """
    compute = _log1p_float32 if b.dtype_of(x) is float32 else _log1p_float64
    # Next to -1 the sum is exact, so that it tells -1 from what is above and below.
    return _log_specials(b, b.add(x, const_like(b, 1.0, x)), compute(b, x))


def _log1p_float32(b: Builder, x: Value) -> Value:
    """In float64 1 + x is as good as exact; where it is not, log(1 + x) rounds to x."""
    wide = b.cast(x, float64)
    k, m = split_normal(b, b.add(wide, const_like(b, 1.0, wide)))
    f = b.sub(m, const_like(b, 1.0, m))
    y = b.fma(k, const_like(b, sum(LN2[float64]), k), b.mul(f, horner(b, f, LOG1P_P)))
    tiny = b.lt(b.abs(x), const_like(b, 2.0**-25, x))
    return b.select(tiny, x, b.cast(y, float32))


def _log1p_float64(b: Builder, x: Value) -> Value:
    """log u + c / u for u + c = 1 + x, u rounded; with u = 2^k (1 + f), c 2^-k (1 - f) is close enough to c / u."""
    one = const_like(b, 1.0, x)
    u, c = two_sum(b, one, x)
    k, m = split_normal(b, u)
    f = b.sub(m, one)
    # The bits of u and m differ by k in the exponent field. Beyond 2^54 c doesn't count and 2^-k may not exist.
    bits = LAYOUT[float64].bits
    inverse_power = b.bitcast(
        b.add(b.sub(b.bitcast(m, bits), b.bitcast(u, bits)), b.const(LAYOUT[float64].one, bits)), float64
    )
    counts = b.lt(x, const_like(b, 2.0**54, x))
    c = b.select(counts, b.mul(c, inverse_power), const_like(b, 0.0, x))
    tail = b.add(_log1p_tail_float64(b, f), b.fma(b.neg(c), f, c))
    return b.copysign(_log_of_parts(b, k, f, tail), x)
