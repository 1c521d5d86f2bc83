"""Casts between dtypes, with an answer for every value.

A float that a 4- or 8-byte integer cannot hold, and NaN, give its smallest value, as x86's conversions do and PyTorch
and NumPy show there. Narrower integers are the low bits of that int32. Halves, which are their bits, go by way of
float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgrad.graph.dtypes import DType, bool_, float32, int32
from nbgrad.graph.half import BFLOAT16_NAN
from nbgrad.kernels import ir
from nbgrad.kernels.values import I32, Vec

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def cast(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    """``x`` in dtype ``to``: floats to integers go towards zero, to bool means "not 0"."""
    if x.dtype is to:
        return x
    if x.dtype.is_half:
        return cast(b, _widened(b, x), to)
    if to.is_half:
        return _narrowed(b, cast(b, x, float32), to)
    if to is bool_:
        return b.ne(x, b.const(0, x.dtype))
    if x.dtype is bool_:
        return b.select(x, b.const(1, to), b.const(0, to))
    if x.dtype.kind == "f":
        return _float_to_float(b, x, to) if to.kind == "f" else _float_to_integer(b, x, to)
    if to.kind == "f":
        return Vec((b.ir.sitofp if x.dtype.is_signed else b.ir.uitofp)(x.value, b.type_of(to)), to)
    return _integer_to_integer(b, x, to)


def _float_to_float(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    widen = to.itemsize > x.dtype.itemsize
    return Vec((b.ir.fpext if widen else b.ir.fptrunc)(x.value, b.type_of(to)), to)


def _float_to_integer(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    if to.itemsize < 4:
        return _integer_to_integer(b, _float_to_integer(b, x, int32), to)
    limit = 2.0 ** (8 * to.itemsize - 1)
    if x.dtype.itemsize > to.itemsize:
        above_low = b.gt(x, b.const(-limit - 1.0, x.dtype))  # float64 holds what truncates to the smallest int32
    else:
        above_low = b.ge(x, b.const(-limit, x.dtype))
    fits = b.bit_and(above_low, b.lt(x, b.const(limit, x.dtype)))
    safe = b.select(fits, x, b.const(0.0, x.dtype))  # LLVM leaves the conversion of the others undefined
    return b.select(fits, Vec(b.ir.fptosi(safe.value, b.type_of(to)), to), b.const(-(1 << (8 * to.itemsize - 1)), to))


def _integer_to_integer(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    if to.itemsize == x.dtype.itemsize:
        return Vec(x.value, to)
    if to.itemsize < x.dtype.itemsize:
        return Vec(b.ir.trunc(x.value, b.type_of(to)), to)
    return Vec((b.ir.sext if x.dtype.is_signed else b.ir.zext)(x.value, b.type_of(to)), to)


def _widened(b: VectorBuilder, x: Vec) -> Vec:
    """A half in float32, which has every half."""
    if x.dtype.name == "float16":
        if b.target.has_float16:
            bits = b.ir.bitcast(x.value, b.vector(ir.HALF))
            return Vec(b.ir.fpext(bits, b.type_of(float32)), float32)
        return _float16_widened(b, Vec(b.ir.zext(x.value, b.vector(I32)), int32))
    return b.bitcast(b.shl(Vec(b.ir.zext(x.value, b.vector(I32)), int32), 16), float32)


def _narrowed(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    """The half that is nearest to a float32, of two the even one."""
    if to.name == "float16" and b.target.has_float16:
        bits = b.ir.fptrunc(x.value, b.vector(ir.HALF))
        return Vec(b.ir.bitcast(bits, b.type_of(to)), to)
    found = (_float16_narrowed if to.name == "float16" else _bfloat16_narrowed)(b, x)
    return Vec(b.ir.trunc(found.value, b.type_of(to)), to)


def _bfloat16_narrowed(b: VectorBuilder, x: Vec) -> Vec:
    """The upper half of the bits: a little less than half a step is added, and the rest where the result is odd."""
    bits = b.bitcast(x, int32)
    odd = b.bit_and(b.lshr(bits, 16), b.const(1, int32))
    near = b.lshr(b.add(bits, b.add(odd, b.const(0x7FFF, int32))), 16)
    return b.select(b.ne(x, x), b.const(BFLOAT16_NAN, int32), near)


# Without F16C, in integers and exact products: LLVM would call a function, which is not there, for each lane.
def _float16_widened(b: VectorBuilder, bits: Vec) -> Vec:
    """The exponent is 112 less, which a product makes up for; infinity and NaN have the largest of both."""
    shifted = b.shl(b.bit_and(bits, b.const(0x7FFF, int32)), 13)
    scaled = b.bitcast(b.mul(b.bitcast(shifted, float32), b.const(2.0**112, float32)), int32)
    special = b.bit_or(shifted, b.const(0x7F800000, int32))
    size = b.select(b.ge(shifted, b.const(0x7C00 << 13, int32)), special, scaled)
    return b.bitcast(b.bit_or(size, b.shl(b.bit_and(bits, b.const(0x8000, int32)), 16)), float32)


def _float16_narrowed(b: VectorBuilder, x: Vec) -> Vec:
    """Normal numbers are rounded as in bfloat16. To smaller ones 0.5 is added: their bits come to stand at its end."""
    bits = b.bitcast(x, int32)
    sign = b.bit_and(b.lshr(bits, 16), b.const(0x8000, int32))
    size = b.bit_and(bits, b.const(0x7FFFFFFF, int32))
    odd = b.bit_and(b.lshr(size, 13), b.const(1, int32))
    near = b.lshr(b.add(size, b.add(odd, b.const(0xFFF - (112 << 23), int32))), 13)
    half = b.const(0.5, float32)
    small = b.sub(b.bitcast(b.add(b.bitcast(size, float32), half), int32), b.bitcast(half, int32))
    found = b.select(b.lt(size, b.const(113 << 23, int32)), small, near)
    found = b.select(b.ge(size, b.const(0x477FF000, int32)), b.const(0x7C00, int32), found)  # 65520 and more
    found = b.select(b.ne(x, x), b.const(0x7E00, int32), found)
    return b.bit_or(found, sign)
