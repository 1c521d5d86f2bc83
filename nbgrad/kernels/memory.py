"""Loads and stores of one vector, by the stride of its lanes in memory.

An address is an int64. Under a mask at least lane 0 is live; no byte of a lane that isn't live is touched, and what
such a lane loads is unspecified. Memory is aligned to the element size only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from nbgrad.graph.dtypes import DType, bool_, int64
from nbgrad.kernels.values import (
    I1,
    I8,
    I32,
    I64,
    POINTER,
    Vec,
    intrinsic,
    lane_numbers,
    memory_type,
    splat_constant,
    suffix,
    vector_type,
)

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder

VOID = ir.VoidType()


def load_splat(b: VectorBuilder, address: Any, dtype: DType) -> Vec:
    """The one element at ``address`` in all lanes."""
    scalar = b.ir.load(_pointer(b, address), align=dtype.itemsize, typ=memory_type(dtype))
    return _as_value(b, b.splat(scalar, dtype).value, dtype)


def load_consecutive(b: VectorBuilder, address: Any, dtype: DType, mask: Any = None) -> Vec:
    """Elements one after the other."""
    kind = vector_type(memory_type(dtype), b.lanes)
    if mask is None:
        return _as_value(b, b.ir.load(_pointer(b, address), align=dtype.itemsize, typ=kind), dtype)
    if not b.target.has_masked_moves(dtype.itemsize):
        return load_strided(b, address, I64(dtype.itemsize), dtype, mask)
    function = intrinsic(b.ir.module, f"llvm.masked.load.{suffix(kind)}.p0", kind, [POINTER, I32, mask.type, kind])
    loaded = b.ir.call(function, [_pointer(b, address), I32(dtype.itemsize), mask, kind(None)])
    return _as_value(b, loaded, dtype)


def load_strided(b: VectorBuilder, address: Any, stride: Any, dtype: DType, mask: Any = None) -> Vec:
    """Elements ``stride`` bytes apart."""
    return gather(b, lanes_from(b, address, stride), dtype, mask, otherwise=address)


def gather(b: VectorBuilder, addresses: Any, dtype: DType, mask: Any, otherwise: Any) -> Vec:
    """The element at each lane's address. Lanes outside ``mask`` read the readable address ``otherwise`` instead.

    That costs a blend, and spares the branch for each lane which LLVM writes where the machine has no masked gather.
    """
    if mask is not None:
        addresses = b.ir.select(mask, addresses, b.splat(otherwise, int64).value)
    kind = vector_type(memory_type(dtype), b.lanes)
    pointers = b.ir.inttoptr(addresses, vector_type(POINTER, b.lanes))
    everywhere = splat_constant("true", I1, b.lanes)
    name = f"llvm.masked.gather.{suffix(kind)}.v{b.lanes}p0"
    function = intrinsic(b.ir.module, name, kind, [pointers.type, I32, everywhere.type, kind])
    return _as_value(b, b.ir.call(function, [pointers, I32(dtype.itemsize), everywhere, kind(None)]), dtype)


def load_guarded(b: VectorBuilder, address: Any, stride: Any, dtype: DType, mask: Any, otherwise: Any) -> Vec:
    """Elements ``stride`` bytes apart where ``mask`` says so, in no lane perhaps; ``otherwise`` is readable."""
    consecutive = isinstance(stride, ir.Constant) and stride.constant == dtype.itemsize
    if consecutive and b.target.has_masked_moves(dtype.itemsize):
        return load_consecutive(b, address, dtype, mask)
    return gather(b, lanes_from(b, address, stride), dtype, mask, otherwise)


def store_first(b: VectorBuilder, x: Vec, address: Any) -> None:
    """Write lane 0 alone."""
    scalar = b.ir.extract_element(_as_stored(b, x), I32(0))
    b.ir.store(scalar, _pointer(b, address), align=x.dtype.itemsize)


def store_consecutive(b: VectorBuilder, x: Vec, address: Any, mask: Any = None) -> None:
    """Write the live lanes one after the other."""
    value = _as_stored(b, x)
    if mask is None:
        b.ir.store(value, _pointer(b, address), align=x.dtype.itemsize)
    elif not b.target.has_masked_moves(x.dtype.itemsize):
        store_strided(b, x, address, I64(x.dtype.itemsize), mask)
    else:
        name = f"llvm.masked.store.{suffix(value.type)}.p0"
        function = intrinsic(b.ir.module, name, VOID, [value.type, POINTER, I32, mask.type])
        b.ir.call(function, [value, _pointer(b, address), I32(x.dtype.itemsize), mask])


def store_strided(b: VectorBuilder, x: Vec, address: Any, stride: Any, mask: Any = None) -> None:
    """Write the live lanes ``stride`` bytes apart; the others write to a word on the stack that nobody reads."""
    addresses = lanes_from(b, address, stride)
    if mask is not None:
        addresses = b.ir.select(mask, addresses, b.splat(_scratch_word(b), int64).value)
    value = _as_stored(b, x)
    pointers = b.ir.inttoptr(addresses, vector_type(POINTER, b.lanes))
    everywhere = splat_constant("true", I1, b.lanes)
    name = f"llvm.masked.scatter.{suffix(value.type)}.v{b.lanes}p0"
    function = intrinsic(b.ir.module, name, VOID, [value.type, pointers.type, I32, everywhere.type])
    b.ir.call(function, [value, pointers, I32(x.dtype.itemsize), everywhere])


def lanes_from(b: VectorBuilder, start: Any, stride: Any) -> Any:
    """start + lane * stride, an int64 in each lane."""
    steps = b.ir.mul(lane_numbers(I64, b.lanes), b.splat(stride, int64).value)
    return b.ir.add(b.splat(start, int64).value, steps)


def prefetch(b: VectorBuilder, address: Any, for_write: bool = False) -> None:
    """Ask for the cache line of ``address``, which may be any number."""
    function = intrinsic(b.ir.module, "llvm.prefetch.p0", VOID, [POINTER, I32, I32, I32])
    b.ir.call(function, [_pointer(b, address), I32(int(for_write)), I32(3), I32(1)])  # 3: all caches, 1: data


def prefix_mask(b: VectorBuilder, count: Any) -> Any:
    """The first ``count`` (an int64 >= 0) lanes."""
    few = b.ir.select(b.ir.icmp_signed("<", count, I64(b.lanes)), count, I64(b.lanes))
    limit = b.splat(b.ir.trunc(few, I32), int64).value
    return b.ir.icmp_signed("<", lane_numbers(I32, b.lanes), limit)


def _pointer(b: VectorBuilder, address: Any) -> Any:
    return b.ir.inttoptr(address, POINTER)


def _scratch_word(b: VectorBuilder) -> Any:
    with b.ir.goto_entry_block():
        return b.ir.ptrtoint(b.ir.alloca(I64), I64)


def _as_value(b: VectorBuilder, loaded: Any, dtype: DType) -> Vec:
    if dtype is bool_:
        loaded = b.ir.icmp_unsigned("!=", loaded, splat_constant("0", I8, b.lanes))
    return Vec(loaded, dtype)


def _as_stored(b: VectorBuilder, x: Vec) -> Any:
    return b.ir.zext(x.value, vector_type(I8, b.lanes)) if x.dtype is bool_ else x.value
