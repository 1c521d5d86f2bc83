"""Integer division that cannot trap: by zero it fails the kernel, and the smallest value by -1 wraps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbgrad.graph.dtypes import float64, int64
from nbgrad.kernels.values import Vec
from nbgrad.tape.kernel import DIVISION_BY_ZERO

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def quotient(b: VectorBuilder, a: Vec, d: Vec) -> Vec:
    """a / d towards zero."""
    zero = b.const(0, d.dtype)
    by_zero = b.eq(d, zero)
    b.fail_if(by_zero, DIVISION_BY_ZERO)
    negate = by_zero
    if a.dtype.is_signed:
        minus_one = b.eq(d, b.const(-1, d.dtype))
        negate = b.bit_or(by_zero, minus_one)  # the lanes whose division could trap divide by 1
    safe = b.select(negate, b.const(1, d.dtype), d)
    if a.dtype is int64:
        q = Vec(b.ir.sdiv(a.value, safe.value), a.dtype)
    else:
        q = _through_float64(b, a, safe)
    return b.select(minus_one, b.neg(a), q) if a.dtype.is_signed else q


def _through_float64(b: VectorBuilder, a: Vec, d: Vec) -> Vec:
    """Exact for 32 bits and fewer: a quotient that is not whole lies further from the next whole number than float64
    can round. There is no vector instruction for integer division; this is one."""
    ratio = b.div(b.cast(a, float64), b.cast(d, float64))
    return Vec((b.ir.fptosi if a.dtype.is_signed else b.ir.fptoui)(ratio.value, b.type_of(a.dtype)), a.dtype)


def remainder(b: VectorBuilder, a: Vec, d: Vec) -> Vec:
    """a - d * (a / d): the sign of ``a``."""
    return b.sub(a, b.mul(quotient(b, a, d), d))
