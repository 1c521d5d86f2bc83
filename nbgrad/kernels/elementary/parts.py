"""Pieces that the elementary functions share: the layout of floats, polynomials, rounding and scaling by bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import DType, float32, float64, int32, int64


class Layout(NamedTuple):
    """How a float is stored: sign, exponent with ``bias``, ``fraction`` bits; ``bits`` is the integer of its size."""

    bits: DType
    fraction: int
    bias: int

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.fraction

    @property
    def shifter(self) -> float:
        """1.5 * 2^fraction: in the float ``shifter + k`` the low bits are those of the integer k, also of k < 0."""
        return 1.5 * 2.0**self.fraction

    @property
    def min_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def sign_mask(self) -> int:
        return -1 << (8 * self.bits.itemsize - 1)


LAYOUT: Final = {float32: Layout(int32, 23, 127), float64: Layout(int64, 52, 1023)}

# ln 2 in two parts. k * high is exact for every exponent k (the last 11 bits of high are 0); low is the rest, rounded.
LN2: Final = {
    float32: (0.693145751953125, 1.4286068e-06),
    float64: (0.6931471805598903, 5.497923018708371e-14),
}


def in_float64(body: Callable[..., Value]) -> Callable[..., Value]:
    """``body`` for float64; of float32 it is computed in float64 and rounded once, which leaves 0.5 ULP."""

    @wraps(body)
    def of_either(b: Builder, *inputs: Value) -> Value:
        if b.dtype_of(inputs[0]) is float64:
            return body(b, *inputs)
        return b.cast(body(b, *[b.cast(x, float64) for x in inputs]), float32)

    return of_either


def const_like(b: Builder, value: float | int, x: Value) -> Value:
    """``value`` in x's dtype."""
    return b.const(value, b.dtype_of(x))


def horner(b: Builder, x: Value, coefficients: Sequence[float]) -> Value:
    """c0 + c1 x + c2 x^2 + ..., lowest power first, one fma each."""
    total = const_like(b, coefficients[-1], x)
    for c in reversed(coefficients[:-1]):
        total = b.fma(total, x, const_like(b, c, x))
    return total


def nearest_multiple(b: Builder, x: Value, scale: float, offset: int = 0) -> tuple[Value, Value]:
    """k = round(x * scale) as a float, and an integer whose low bits are those of k + offset.

    Adding the shifter rounds, so neither a rounding instruction nor a conversion is needed. Right for
    |x * scale| < 2^(fraction - 2).
    """
    layout = LAYOUT[b.dtype_of(x)]
    shifter = const_like(b, layout.shifter + offset, x)
    shifted = b.fma(x, const_like(b, scale, x), shifter)
    return b.sub(shifted, shifter), b.bitcast(shifted, layout.bits)


def power_of_two(b: Builder, biased: Value, dtype: DType) -> Value:
    """2^(biased - bias): the low bits of ``biased`` moved into the exponent; the bits above them fall off."""
    return b.bitcast(b.shl(biased, LAYOUT[dtype].fraction), dtype)


def scale_by_power(b: Builder, y: Value, twice_biased: Value) -> Value:
    """y * 2^k where the low bits of ``twice_biased`` are k + 2 * bias, for y in [0.5, 2] and any k: rounded once.

    Two factors, as 2^k alone may overflow or be subnormal: half of k each, so that only the last product rounds.
    """
    dtype = b.dtype_of(y)
    low = b.lshr(twice_biased, 1)
    high = b.sub(twice_biased, low)
    return b.mul(b.mul(y, power_of_two(b, low, dtype)), power_of_two(b, high, dtype))


def clamp(b: Builder, x: Value, low: float, high: float) -> Value:
    """x held in [low, high]; NaN stays NaN. A compare and select is one instruction, unlike ``minimum``."""
    bottom, top = const_like(b, low, x), const_like(b, high, x)
    x = b.select(b.lt(x, bottom), bottom, x)
    return b.select(b.gt(x, top), top, x)


def split_exponent(b: Builder, x: Value) -> tuple[Value, Value]:
    """(k, m) with x = 2^k * m and m in [sqrt(1/2), sqrt(2)), for finite x > 0, subnormal ones too; k is a float."""
    layout = LAYOUT[b.dtype_of(x)]
    shift = layout.fraction + 1
    tiny = b.lt(x, const_like(b, layout.min_normal, x))
    k, m = split_normal(b, b.select(tiny, b.mul(x, const_like(b, 2.0**shift, x)), x))
    return b.sub(k, b.select(tiny, const_like(b, shift, x), const_like(b, 0.0, x))), m


def split_normal(b: Builder, x: Value) -> tuple[Value, Value]:
    """``split_exponent`` for normal x."""
    dtype = b.dtype_of(x)
    layout = LAYOUT[dtype]
    root_half = _SQRT_HALF_BITS[dtype]
    # Moving sqrt(1/2) to 1 makes the exponent field the one we want, and keeps it positive.
    moved = b.add(b.bitcast(x, layout.bits), b.const(layout.one - root_half, layout.bits))
    fraction = b.bit_and(moved, b.const((1 << layout.fraction) - 1, layout.bits))
    m = b.bitcast(b.add(fraction, b.const(root_half, layout.bits)), dtype)
    # The exponent as a float without a conversion: the low bits of 2^fraction, which is then taken off.
    shifter = b.const((layout.bias + layout.fraction) << layout.fraction, layout.bits)
    exponent = b.bitcast(b.bit_or(b.lshr(moved, layout.fraction), shifter), dtype)
    return b.sub(exponent, const_like(b, 2.0**layout.fraction + layout.bias, x)), m


_SQRT_HALF_BITS: Final = {float32: 0x3F3504F3, float64: 0x3FE6A09E667F3BCD}


def two_sum(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """(s, e): s = x + y rounded and e its rounding error, exactly. Knuth, The Art of Computer Programming 4.2.2."""
    s = b.add(x, y)
    y_part = b.sub(s, x)
    x_part = b.sub(s, y_part)
    return s, b.add(b.sub(x, x_part), b.sub(y, y_part))


def fast_two_sum(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """``two_sum`` in half the steps, for |x| >= |y| or x = 0. Dekker 1971."""
    s = b.add(x, y)
    return s, b.add(b.sub(x, s), y)
