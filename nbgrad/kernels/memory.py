"""Loads and stores of one vector, by the stride of its lanes in memory.

An address is an int64. Under a mask at least lane 0 is live; no byte of a lane that isn't live is touched, and what
such a lane loads is unspecified. Memory is aligned to the element size only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nbgrad.graph.dtypes import DType, bool_, int64
from nbgrad.kernels import ir
from nbgrad.kernels.flow import narrowed
from nbgrad.kernels.values import I8, I32, I64, POINTER, Vec, intrinsic, memory_type, shuffle_mask, suffix

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def load_splat(b: VectorBuilder, address: Any, dtype: DType) -> Vec:
    """The one element at ``address`` in all lanes."""
    scalar = b.load_first(address, memory_type(dtype), dtype.itemsize)
    return as_value(b, b.splat(scalar, dtype).value, dtype)


def load_consecutive(b: VectorBuilder, address: Any, dtype: DType, mask: Any = None) -> Vec:
    """Elements one after the other."""
    if mask is None:
        return as_value(b, b.load_row(address, memory_type(dtype), dtype.itemsize), dtype)
    if not b.target.has_masked_moves(dtype.itemsize):
        return load_strided(b, address, I64(dtype.itemsize), dtype, mask)
    kind = b.vector(memory_type(dtype))
    function = intrinsic(b.ir.module, f"llvm.masked.load.{suffix(kind)}.p0", kind, [POINTER, I32, mask.type, kind])
    loaded = b.ir.call(function, [b.pointer(address), I32(dtype.itemsize), mask, kind(None)])
    return as_value(b, loaded, dtype)


def load_backwards(b: VectorBuilder, address: Any, dtype: DType, mask: Any = None) -> Vec:
    """Elements one after the other from the last to the first, which is lane 0's; all of them at once."""
    if mask is not None or b.target.is_thread:
        return load_strided(b, address, I64(-dtype.itemsize), dtype, mask)
    last = b.ir.sub(address, I64((b.lanes - 1) * dtype.itemsize))
    row = b.load_row(last, memory_type(dtype), dtype.itemsize)
    return as_value(b, b.ir.shuffle_vector(row, row, shuffle_mask(tuple(reversed(range(b.lanes))))), dtype)


def load_strided(b: VectorBuilder, address: Any, stride: Any, dtype: DType, mask: Any = None) -> Vec:
    """Elements ``stride`` bytes apart."""
    return gather(b, lanes_from(b, address, stride), dtype, mask, otherwise=address)


def gather(b: VectorBuilder, addresses: Any, dtype: DType, mask: Any, otherwise: Any) -> Vec:
    """The element at each lane's address. Lanes outside ``mask`` read the readable address ``otherwise`` instead.

    That costs a blend, and spares the branch for each lane which LLVM writes where the machine has no masked gather.
    """
    if mask is not None:
        addresses = b.ir.select(mask, addresses, b.splat(otherwise, int64).value)
    return as_value(b, b.load_each(addresses, memory_type(dtype), dtype.itemsize), dtype)


def load_guarded(b: VectorBuilder, address: Any, stride: Any, dtype: DType, mask: Any, otherwise: Any) -> Vec:
    """Elements ``stride`` bytes apart where ``mask`` says so, in no lane perhaps; ``otherwise`` is readable."""
    consecutive = isinstance(stride, ir.Constant) and stride.constant == dtype.itemsize
    if consecutive and b.target.has_masked_moves(dtype.itemsize):
        return load_consecutive(b, address, dtype, mask)
    return gather(b, lanes_from(b, address, stride), dtype, mask, otherwise)


def store_first(b: VectorBuilder, x: Vec, address: Any) -> None:
    """Write lane 0 alone."""
    b.store_first(as_stored(b, x), address, x.dtype.itemsize)


def store_consecutive(b: VectorBuilder, x: Vec, address: Any, mask: Any = None) -> None:
    """Write the live lanes one after the other."""
    value = as_stored(b, x)
    if mask is None:
        b.store_row(value, address, x.dtype.itemsize)
    elif not b.target.has_masked_moves(x.dtype.itemsize):
        store_strided(b, x, address, I64(x.dtype.itemsize), mask)
    else:
        name = f"llvm.masked.store.{suffix(value.type)}.p0"
        function = intrinsic(b.ir.module, name, ir.VOID, [value.type, POINTER, I32, mask.type])
        b.ir.call(function, [value, b.pointer(address), I32(x.dtype.itemsize), mask])


def masks_to_store(b: VectorBuilder, mask: Any) -> Iterator[Any]:
    """The masks under which what follows is stored; where a masked store takes long, none for whole vectors.

    The code that stores is written for each of them.
    """
    if mask is None or b.target.stores_masked_at_once:
        yield mask
        return
    bits = b.ir.bitcast(mask, ir.IntType(b.lanes))
    with b.ir.if_else(b.ir.icmp_signed("==", bits, bits.type(-1))) as (whole, cut):
        with whole:
            yield None
        with cut:
            yield mask


def store_strided(b: VectorBuilder, x: Vec, address: Any, stride: Any, mask: Any = None) -> None:
    """Write the live lanes ``stride`` bytes apart."""
    store_at(b, x, lanes_from(b, address, stride), mask)


def store_at(b: VectorBuilder, x: Vec, addresses: Any, mask: Any = None) -> None:
    """Write each live lane to its address."""
    if mask is not None:
        b.store_some(as_stored(b, x), addresses, x.dtype.itemsize, mask)
    else:
        b.store_each(as_stored(b, x), addresses, x.dtype.itemsize)


def lanes_from(b: VectorBuilder, start: Any, stride: Any) -> Any:
    """start + lane * stride, an int64 in each lane."""
    steps = b.times(b.numbers(I64), stride)
    return b.ir.add(b.splat(start, int64).value, steps)


def prefetch(b: VectorBuilder, address: Any, for_write: bool = False) -> None:
    """Ask for the cache line of ``address``, which may be any number. Warps wait for memory by turns instead."""
    if b.target.is_warp:
        return
    function = intrinsic(b.ir.module, "llvm.prefetch.p0", ir.VOID, [POINTER, I32, I32, I32])
    b.ir.call(function, [b.pointer(address), I32(int(for_write)), I32(3), I32(1)])  # 3: all caches, 1: data


def prefix_mask(b: VectorBuilder, count: Any) -> Any:
    """The first ``count`` (an int64 >= 0) lanes."""
    short, lanes = narrowed(b.ir, count), narrowed(b.ir, I64(b.lanes))
    few = b.ir.select(b.ir.icmp_signed("<", short, lanes), short, lanes)
    limit = b.splat(few if few.type is I32 else b.ir.trunc(few, I32), int64).value
    return b.ir.icmp_signed("<", b.numbers(I32), limit)


def as_value(b: VectorBuilder, loaded: Any, dtype: DType) -> Vec:
    if dtype is bool_:
        loaded = b.ir.icmp_unsigned("!=", loaded, b.constant("0", I8))
    return Vec(loaded, dtype)


def as_stored(b: VectorBuilder, x: Vec) -> Any:
    return b.ir.zext(x.value, b.vector(I8)) if x.dtype is bool_ else x.value
