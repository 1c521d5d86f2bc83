"""sin and cos of large arguments: reduction by as many digits of 2/pi as the argument asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64, int64
from nbgrad.kernels.elementary.parts import LAYOUT, const_like, two_sum
from nbgrad.kernels.elementary.sine import sin_of_quadrant

# 2/pi after the binary point, 1280 bits.
TWO_OVER_PI_DIGITS: Final = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73e"
    "e88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b7"
    "4f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d",
    16,
)
DIGITS: Final = 1280
PIECE: Final = 53  # bits of 2/pi in one float64

HALF_PI: Final = (1.5707963267948966, 6.123233995736766e-17)

# float64 pieces lie as low as 2^-1220: x is scaled down and they are scaled up, so that none is subnormal.
SCALE: Final = 300


def _piece(i: int) -> float:
    """Bits [53 i, 53 i + 53) of 2/pi, times 2^SCALE."""
    bits = (TWO_OVER_PI_DIGITS >> (DIGITS - PIECE * (i + 1))) & ((1 << PIECE) - 1)
    return float(bits) * 2.0 ** (SCALE - PIECE * (i + 1))


def sine_large(b: Builder, size: Value, turn: Value) -> Value:
    """sin(size + turn * pi/2) for size above ``SineTable.largest``, NaN for infinity. ``turn`` is 0 or 1, a float."""
    y = sin_of_quadrant(b, *reduce_large(b, size, turn))
    return b.select(b.lt(size, const_like(b, float("inf"), size)), y, const_like(b, float("nan"), size))


def reduce_large(b: Builder, size: Value, turn: Value) -> tuple[Value, Value, Value]:
    """(k + turn, r, low) for any finite size above ``SineTable.largest``: see ``reduce_to_quadrant``.

    Payne and Hanek's idea: of 2/pi, the digits whose product with x is a multiple of 8 don't matter (they are left
    out), nor those too small to be seen. What is left is a window of a few float64 pieces; their products with x are
    taken exactly (fma gives the low half), freed of multiples of 8, and added with every rounding error kept.
    """
    return (_reduce_float32 if b.dtype_of(size) is float32 else _reduce_float64)(b, size, turn)


def _reduce_float32(b: Builder, size: Value, turn: Value) -> tuple[Value, Value, Value]:
    """Two windows do: x has 24 bits and lies below 2^128. r is rounded to two float32 at the end."""
    x = b.mul(b.cast(size, float64), b.const(2.0**-SCALE, float64))
    far = b.ge(size, b.const(2.0**79, float32))  # the first piece times x is a multiple of 8
    window = [b.select(far, b.const(_piece(i + 1), float64), b.const(_piece(i), float64)) for i in range(3)]
    (a, a_low), (c, c_low), (d, _) = (_product(b, x, piece) for piece in window)
    total, errors = _add_all(b, [_mod8(b, a), _mod8(b, a_low), _mod8(b, c)])
    whole = b.round(total)
    rest = b.add(b.add(b.add(errors[0], errors[1]), c_low), d)
    r = b.mul(b.add(b.sub(total, whole), rest), b.const(HALF_PI[0], float64))
    high = b.cast(r, float32)
    low = b.cast(b.sub(r, b.cast(high, float64)), float32)
    return _low_bits(b, b.add(b.cast(whole, float32), turn)), high, low


def _reduce_float64(b: Builder, size: Value, turn: Value) -> tuple[Value, Value, Value]:
    """Five pieces: 2 bits of quadrant, up to 62 that cancel next to a multiple of pi/2, 53 of result and a few more."""
    x = b.mul(size, b.const(2.0**-SCALE, float64))
    window = _window(b, _first_piece(b, size), count=5)
    (a, a_low), (c, c_low), (d, d_low), (e, e_low), (f, _) = (_product(b, x, piece) for piece in window)
    total, errors = _add_all(b, [_mod8(b, a), _mod8(b, a_low), _mod8(b, c), c_low, d])
    whole = b.round(total)
    tail, tail_errors = _add_all(b, [*errors, d_low, e])
    high, low = two_sum(b, b.sub(total, whole), tail)
    for term in (*tail_errors, e_low, f):
        low = b.add(low, term)
    high, low = two_sum(b, high, low)
    p, p_low = (b.const(c, float64) for c in HALF_PI)
    r = b.mul(high, p)
    r_low = b.fma(high, p_low, b.fma(low, p, b.fma(high, p, b.neg(r))))
    return _low_bits(b, b.add(whole, turn)), r, r_low


def _low_bits(b: Builder, whole: Value) -> Value:
    """An integer whose low bits are those of the small whole number ``whole``."""
    layout = LAYOUT[b.dtype_of(whole)]
    return b.bitcast(b.add(whole, const_like(b, layout.shifter, whole)), layout.bits)


def _product(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """x y as a float and its rounding error."""
    high = b.mul(x, y)
    return high, b.fma(x, y, b.neg(high))


def _mod8(b: Builder, x: Value) -> Value:
    """x without its multiples of 8: in [-4, 4], exact."""
    eighths = b.round(b.mul(x, const_like(b, 0.125, x)))
    return b.fma(eighths, const_like(b, -8.0, x), x)


def _add_all(b: Builder, terms: Sequence[Value]) -> tuple[Value, list[Value]]:
    """The rounded sum, and the rounding error of each step."""
    total, errors = terms[0], []
    for term in terms[1:]:
        total, error = two_sum(b, total, term)
        errors.append(error)
    return total, errors


def _first_piece(b: Builder, size: Value) -> Value:
    """How many pieces of 2/pi give multiples of 8: floor((e - 3) / 53), for 2^e the last bit of x, and not below 0."""
    layout = LAYOUT[float64]
    exponent = b.lshr(b.bitcast(size, int64), layout.fraction)
    above = b.sub(exponent, b.const(layout.bias + layout.fraction + 3, int64))
    above = b.select(b.lt(above, b.const(0, int64)), b.const(0, int64), above)
    return b.lshr(b.mul(above, b.const(1237, int64)), 16)  # 1237 / 2^16 is close enough to 1/53 below 1024


def _window(b: Builder, first: Value, count: int) -> list[Value]:
    """Pieces first, first + 1, ... by a tree of selects: one bit of ``first`` at a time halves what is left."""
    pieces = [b.const(_piece(i), float64) for i in range(LAST_FIRST_PIECE + count)]
    for shift in (16, 8, 4, 2, 1):
        moved = b.ne(b.bit_and(first, b.const(shift, int64)), b.const(0, int64))
        kept = min(count + shift - 1, len(pieces))
        pieces = [
            b.select(moved, pieces[i + shift], p) if i + shift < len(pieces) else p for i, p in enumerate(pieces[:kept])
        ]
    return pieces[:count]


LAST_FIRST_PIECE: Final = (2046 - 1075 - 3) // PIECE + 1
