"""Rounding to whole numbers, and the exact remainder of floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgrad.kernels.elementary.parts import LAYOUT, power_of_two
from nbgrad.kernels.values import Vec

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def round_to(b: VectorBuilder, how: str, x: Vec) -> Vec:
    """``how`` is LLVM's floor, ceil, trunc or roundeven. Integers stay as they are."""
    if x.dtype.kind != "f":
        return x
    return b.call(how, x) if b.target.has_rounding else _round_by_adding(b, how, x)


def _round_by_adding(b: VectorBuilder, how: str, x: Vec) -> Vec:
    """The same without an instruction for it: adding 2^23 (2^52) and taking it off rounds to even, exactly."""
    magic = b.const(2.0 ** LAYOUT[x.dtype].fraction, x.dtype)
    one, zero = b.const(1.0, x.dtype), b.const(0.0, x.dtype)
    size = b.abs(x)
    even = b.sub(b.add(size, magic), magic)
    if how == "trunc":
        even = b.sub(even, b.select(b.gt(even, size), one, zero))
    elif how != "roundeven":
        even = b.copysign(even, x)
        over = b.gt(even, x) if how == "floor" else b.lt(even, x)
        step = one if how == "ceil" else b.const(-1.0, x.dtype)
        even = b.add(even, b.select(over, step, zero))
    # Large values, infinities and NaN are whole already.
    return b.select(b.lt(size, magic), b.copysign(even, x), x)


def fmod(b: VectorBuilder, x: Vec, y: Vec) -> Vec:
    """x - y * trunc(x / y), exactly, with the sign of x: long division, one power of two of y at a time.

    Each round subtracts the largest 2^k |y| that is not above what is left; the difference of two floats within a
    factor of two is exact (Sterbenz). NaN where x is infinite or NaN, or y is 0 or NaN; x where y is infinite.
    """
    dtype = x.dtype
    zero, infinity = b.const(0.0, dtype), b.const(float("inf"), dtype)
    size, divisor = b.abs(x), b.abs(y)
    defined = b.bit_and(b.bit_and(b.lt(size, infinity), b.gt(divisor, zero)), b.le(divisor, infinity))
    rest = b.ir.alloca(size.value.type)
    b.ir.store(b.select(defined, size, zero).value, rest)
    divide, done = b.ir.append_basic_block("divide"), b.ir.append_basic_block("divided")
    again = b.ir.append_basic_block("again")
    b.ir.branch(again)
    b.ir.position_at_end(again)
    left = Vec(b.ir.load(rest, typ=size.value.type), dtype)
    b.ir.cbranch(b.any(b.bit_and(b.ge(left, divisor), defined)), divide, done)
    b.ir.position_at_end(divide)
    scaled = _scaled(b, divisor, left)
    fits = b.bit_and(b.ge(left, scaled), defined)
    b.ir.store(b.sub(left, b.select(fits, scaled, zero)).value, rest)
    b.ir.branch(again)
    b.ir.position_at_end(done)
    nan = b.const(float("nan"), dtype)
    return b.select(defined, b.copysign(left, x), nan)


def _scaled(b: VectorBuilder, divisor: Vec, left: Vec) -> Vec:
    """The largest 2^k * divisor, k >= 0, not above ``left``; ``divisor`` itself where it is above."""
    gap = b.sub(_exponent(b, left), _exponent(b, divisor))
    near = _times_power(b, divisor, gap)
    half = b.mul(near, b.const(0.5, divisor.dtype))
    return b.maximum(b.select(b.gt(near, left), half, near), divisor)


def _exponent(b: VectorBuilder, x: Vec) -> Vec:
    """The biased exponent of a float >= 0, as if subnormals were stored normalised (so it may be below 1)."""
    layout = LAYOUT[x.dtype]
    tiny = b.lt(x, b.const(layout.min_normal, x.dtype))
    normal = b.select(tiny, b.mul(x, b.const(2.0**layout.fraction, x.dtype)), x)
    stored = b.lshr(b.bitcast(normal, layout.bits), layout.fraction)
    return b.select(tiny, b.sub(stored, b.const(layout.fraction, stored.dtype)), stored)


def _times_power(b: VectorBuilder, x: Vec, k: Vec) -> Vec:
    """x * 2^k for k >= 0 (x where it is negative), in four steps: 2^k itself may overflow, and 2^(k/2) too."""
    k = b.maximum(k, b.const(0, k.dtype))
    quarter = b.ashr(k, 2)
    step = _power(b, quarter, x)
    rest = _power(b, b.sub(k, b.mul(quarter, b.const(3, k.dtype))), x)
    return b.mul(b.mul(b.mul(b.mul(x, step), step), step), rest)


def _power(b: VectorBuilder, k: Vec, like: Vec) -> Vec:
    power: Vec = power_of_two(b, b.add(k, b.const(LAYOUT[like.dtype].bias, k.dtype)), like.dtype)
    return power
