"""Casts between dtypes, with an answer for every value.

A float that a 4- or 8-byte integer cannot hold, and NaN, give its smallest value, as x86's conversions do and PyTorch
and NumPy show there. Narrower integers are the low bits of that int32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgrad.graph.dtypes import DType, bool_, int32
from nbgrad.kernels.values import Vec

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def cast(b: VectorBuilder, x: Vec, to: DType) -> Vec:
    """``x`` in dtype ``to``: floats to integers go towards zero, to bool means "not 0"."""
    if x.dtype is to:
        return x
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
