"""sin and cos, by quadrants."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.parts import LAYOUT, const_like, fast_two_sum, horner, nearest_multiple

TWO_OVER_PI: Final = 0.6366197723675814


class SineTable(NamedTuple):
    """What sin and cos need to know of a dtype, for |r| <= pi/4."""

    largest: float  # beyond it the reduction below is not exact enough: see sine_large.py
    half_pi: tuple[float, float, float]  # pi/2 in three parts, each the rounded rest
    sin: tuple[float, ...]  # (sin(r) / r - 1) / r^2 in r^2
    cos: tuple[float, ...]  # (cos(r) - 1) / r^2 in r^2


# Remez fits, errors relative to sin and cos: 2^-27.9 and 2^-33 in float32, 2^-57.9 and 2^-63.9 in float64.
SINE: Final = {
    float32: SineTable(
        largest=1e5,
        half_pi=(1.5707964, -4.371139e-08, -1.7151245e-15),
        sin=(-0.16666655, 0.008332188, -0.0001951807),
        cos=(-0.5, 0.041666646, -0.001388731, 2.4432342e-05),
    ),
    float64: SineTable(
        largest=1e9,
        half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
        sin=(
            -0.1666666666666663,
            0.00833333333332184,
            -0.0001984126982935854,
            2.7557313538519197e-06,
            -2.5050734389692646e-08,
            1.5895433263227062e-10,
        ),
        cos=(
            -0.5,
            0.041666666666666595,
            -0.0013888888888873307,
            2.4801587288965288e-05,
            -2.7557314203114105e-07,
            2.0875703146169127e-09,
            -1.1358617397439033e-11,
        ),
    ),
}


def sin(b: Builder, x: Value) -> Value:
    """sin x: odd, keeps -0, NaN for infinities. Error below 1 ULP, also next to multiples of pi and for huge x."""
    y = _sine_of_size(b, x, turn=0)
    return flip_sign(b, y, b.bitcast(x, LAYOUT[b.dtype_of(x)].bits))


def cos(b: Builder, x: Value) -> Value:
    """cos x = sin(|x| + pi/2): even, NaN for infinities. Error below 1 ULP, also next to its zeros and for huge x."""
    return _sine_of_size(b, x, turn=1)


def _sine_of_size(b: Builder, x: Value, turn: int) -> Value:
    """sin(|x| + turn * pi/2)."""
    size = b.abs(x)
    quadrant, r, low = reduce_to_quadrant(b, size)
    quadrant = b.add(quadrant, const_like(b, turn, quadrant)) if turn else quadrant
    y = sin_of_quadrant(b, quadrant, r, low)
    large = b.gt(size, const_like(b, SINE[b.dtype_of(x)].largest, x))
    return b.rare(large, y, "sine_large", size, const_like(b, turn, x))


def reduce_to_quadrant(b: Builder, size: Value) -> tuple[Value, Value, Value]:
    """(k, r, low): size = k pi/2 + r + low with |r| <= pi/4; k's low bits as an integer, low is r's rounding error.

    Cody and Waite's reduction by three parts of pi/2. The first fma is exact. The product with the second part and
    its difference round, and both errors are found exactly and go to ``low``, for next to a multiple of pi/2 little
    more than errors is left.
    """
    p1, p2, p3 = (const_like(b, -p, size) for p in SINE[b.dtype_of(size)].half_pi)
    k, bits = nearest_multiple(b, size, TWO_OVER_PI)
    r1 = b.fma(k, p1, size)
    second = b.mul(k, p2)
    r, error = fast_two_sum(b, r1, second)
    second_error = b.fma(k, p2, b.neg(second))
    return bits, r, b.fma(k, p3, b.add(error, second_error))


def sin_of_quadrant(b: Builder, quadrant: Value, r: Value, low: Value) -> Value:
    """sin(quadrant * pi/2 + r + low): +-sin or +-cos of r + low by the two lowest bits of ``quadrant``."""
    table = SINE[b.dtype_of(r)]
    one = const_like(b, 1, quadrant)
    z = b.fma(r, r, b.mul(b.add(r, r), low))
    sine = b.add(r, b.fma(b.mul(r, z), horner(b, z, table.sin), low))
    cosine = b.fma(z, horner(b, z, table.cos), const_like(b, 1.0, r))
    y = b.select(b.eq(b.bit_and(quadrant, one), const_like(b, 0, quadrant)), sine, cosine)
    top_bit = 8 * b.dtype_of(r).itemsize - 1
    return flip_sign(b, y, b.shl(quadrant, top_bit - 1))


def flip_sign(b: Builder, y: Value, bits: Value) -> Value:
    """y, negated where the top bit of ``bits`` is set."""
    layout = LAYOUT[b.dtype_of(y)]
    sign = b.bit_and(bits, b.const(layout.sign_mask, layout.bits))
    return b.bitcast(b.bit_xor(b.bitcast(y, layout.bits), sign), b.dtype_of(y))
