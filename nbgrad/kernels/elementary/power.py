"""pow, by log2 and exp2 with extra digits between them."""

from __future__ import annotations

from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.parts import (
    LAYOUT,
    clamp,
    const_like,
    fast_two_sum,
    horner,
    nearest_multiple,
    power_of_two,
    scale_by_power,
    split_exponent,
    split_normal,
)

# log2(1 + f) / f on [sqrt(1/2) - 1, sqrt(2) - 1], for float32 computed in float64. Remez, error 2^-35.3.
LOG2_P: Final = (
    1.4426950408686967,
    -0.7213475208683937,
    0.4808983613987795,
    -0.36067367486934077,
    0.2885372932361358,
    -0.24045316388728874,
    0.20617536584208868,
    -0.1803006354173994,
    0.15876972836690492,
    -0.14315611023544508,
    0.14474868990703105,
    -0.14284085735954252,
    0.07737127522711663,
)

# (atanh(s) / s - 1) / s^2 = 1/3 + s^2 P(s^2) for s^2 <= (3 - sqrt(8))^2. Remez, error 2^-73.4 relative to atanh.
ATANH_P: Final = (
    0.1999999999999999,
    0.14285714285721932,
    0.11111111108890269,
    0.090909094227328,
    0.07692279155061305,
    0.0666813479984053,
    0.05837834109089298,
    0.059913759687568506,
)
THIRD: Final = (0.3333333333333333, 1.850371707708594e-17)
TWO_OVER_LN2: Final = (2.8853900817779268, 4.0710547481862066e-17)

# (2^r - 1) / r on [-1/2, 1/2]. Remez, errors 2^-28.1 and 2^-57.1 relative to 2^r.
EXP2: Final = {
    float32: (
        0.6931472029819068,
        0.24022637972855929,
        0.05550329641769729,
        0.0096197721621531,
        0.001340018811800648,
        0.00014961465218189923,
    ),
    float64: (
        0.6931471805599453,
        0.24022650695910172,
        0.05550410866482457,
        0.009618129107577164,
        0.001333355814557378,
        0.00015403530478606535,
        1.5252734726491055e-05,
        1.321542467787505e-06,
        1.0177663640124355e-07,
        7.07557052419229e-09,
        4.51770110795453e-10,
    ),
}


def pow_(b: Builder, x: Value, y: Value) -> Value:
    """x^y = +-2^(y log2|x|), with the special cases of C99 (annex F.10.4.4).

    float32 is computed in float64 and rounded once; float64 carries log2 and its product with y as sums of two floats.
    Error below 0.75 ULP in float32 and 1.5 ULP in float64; powers of small integers are exact.
    """
    size = b.abs(x)
    power = _pow_float32(b, size, y) if b.dtype_of(x) is float32 else _pow_float64(b, size, y)
    return _pow_specials(b, x, y, power)


def _pow_specials(b: Builder, x: Value, y: Value, power: Value) -> Value:
    """|x|^y with its sign; NaN for a negative x and a y that is not whole; 1 where x is 1 or y is 0, NaN or not."""
    one, zero = const_like(b, 1.0, x), const_like(b, 0.0, x)
    half = b.mul(y, const_like(b, 0.5, y))
    whole, even = b.eq(b.round(y), y), b.eq(b.round(half), half)  # infinity is whole and even
    odd = b.bit_and(whole, b.bit_not(even))
    power = b.select(odd, b.copysign(power, x), power)
    # -infinity is outside: no root of it is looked for.
    negative = b.bit_and(b.lt(x, zero), b.gt(x, const_like(b, float("-inf"), x)))
    power = b.select(b.bit_and(negative, b.bit_not(whole)), const_like(b, float("nan"), x), power)
    return b.select(b.bit_or(b.eq(x, one), b.eq(y, zero)), one, power)


def _log_at_ends(b: Builder, size: Value, log: Value) -> Value:
    """``log`` of size, made -infinity at 0 and infinity or NaN where size is that."""
    dtype = b.dtype_of(log)
    log = b.select(b.lt(size, const_like(b, float("inf"), size)), log, b.cast(size, dtype))
    return b.select(b.eq(size, const_like(b, 0.0, size)), b.const(float("-inf"), dtype), log)


def _pow_float32(b: Builder, size: Value, y: Value) -> Value:
    """size^y in float64, where no float32 is subnormal or too large, rounded at the end."""
    k, m = split_normal(b, b.cast(size, float64))
    f = b.sub(m, const_like(b, 1.0, m))
    log2 = _log_at_ends(b, size, b.fma(f, horner(b, f, LOG2_P), k))
    # An infinite y times log2(1) = 0 must be 0; any other product is far out of range as well with a finite one.
    exponent = clamp(b, b.mul(clamp(b, b.cast(y, float64), -1e30, 1e30), log2), -300.0, 300.0)
    k, bits = nearest_multiple(b, exponent, 1.0, LAYOUT[float64].bias)
    mantissa = horner(b, b.sub(exponent, k), (1.0, *EXP2[float32]))
    return b.cast(b.mul(mantissa, power_of_two(b, bits, float64)), float32)


def _pow_float64(b: Builder, size: Value, y: Value) -> Value:
    """size^y with log2(size) and its product with y as sums of two floats."""
    log2, log2_low = _log2_float64(b, size)
    y = clamp(b, y, -1e300, 1e300)  # as above
    product = b.mul(y, log2)
    product_low = b.fma(y, log2_low, b.fma(y, log2, b.neg(product)))
    in_range = b.lt(b.abs(product), const_like(b, 1100.0, y))
    product_low = b.select(in_range, product_low, const_like(b, 0.0, y))
    product = clamp(b, product, -1100.0, 1100.0)
    k, bits = nearest_multiple(b, product, 1.0, 2 * LAYOUT[float64].bias)
    r = b.add(b.sub(product, k), product_low)
    return scale_by_power(b, horner(b, r, (1.0, *EXP2[float64])), bits)


def _log2_float64(b: Builder, size: Value) -> tuple[Value, Value]:
    """log2(size) as a sum of two floats, to about 2^-66 of itself; -infinity, infinity, NaN for 0, infinity, NaN.

    size = 2^k (1 + f), s = f / (2 + f), log2(1 + f) = 2 / ln 2 * atanh(s).
    """
    k, m = split_exponent(b, size)
    high, low = _atanh(b, *_ratio(b, b.sub(m, const_like(b, 1.0, m))))
    scale, scale_low = (const_like(b, c, size) for c in TWO_OVER_LN2)
    scaled = b.mul(high, scale)
    scaled_low = b.fma(low, scale, b.fma(high, scale_low, b.fma(high, scale, b.neg(scaled))))
    total, error = fast_two_sum(b, k, scaled)
    return _log_at_ends(b, size, total), b.add(error, scaled_low)


def _ratio(b: Builder, f: Value) -> tuple[Value, Value]:
    """f / (2 + f) as a sum of two floats."""
    below, below_low = fast_two_sum(b, const_like(b, 2.0, f), f)
    inverse = b.div(const_like(b, 1.0, f), below)
    s = b.mul(f, inverse)
    rest = b.fma(b.neg(s), below_low, b.fma(b.neg(s), below, f))
    return s, b.mul(rest, inverse)


def _atanh(b: Builder, s: Value, s_low: Value) -> tuple[Value, Value]:
    """atanh(s + s_low) = s + s z (1/3 + z P(z)), z = s^2, as a sum of two floats; the last term needs only one."""
    z = b.mul(s, s)
    z_low = b.fma(b.add(s, s), s_low, b.fma(s, s, b.neg(z)))
    third, third_low = (const_like(b, c, s) for c in THIRD)
    u, u_low = fast_two_sum(b, third, b.mul(z, horner(b, z, ATANH_P)))
    v, v_low = _product(b, z, z_low, u, b.add(u_low, third_low))
    t, t_low = _product(b, s, s_low, v, v_low)
    high, error = fast_two_sum(b, s, t)
    return high, b.add(error, b.add(s_low, t_low))


def _product(b: Builder, x: Value, x_low: Value, y: Value, y_low: Value) -> tuple[Value, Value]:
    """(x + x_low) (y + y_low) as a sum of two floats."""
    high = b.mul(x, y)
    return high, b.fma(x, y_low, b.fma(x_low, y, b.fma(x, y, b.neg(high))))
