"""Values of the vector builder: an LLVM value and the dtype of its lanes; types and constants."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
import numpy as np

from nbgrad.graph.dtypes import DType
from nbgrad.graph.half import stored
from nbgrad.kernels import ir

I1: Final = ir.IntType(1)
I8: Final = ir.IntType(8)
I32: Final = ir.IntType(32)
I64: Final = ir.IntType(64)
POINTER: Final = ir.PointerType()
DEVICE_POINTER: Final = ir.PointerType(addrspace=1)  # to the memory of a GPU

# In registers a bool is one bit; in memory it is a byte. Halves are only moved and cast, so they are their bits.
SCALARS: Final[dict[str, Any]] = {
    "bool": I1,
    "uint8": I8,
    "int8": I8,
    "int16": ir.IntType(16),
    "int32": I32,
    "int64": I64,
    "float32": ir.FLOAT,
    "float64": ir.DOUBLE,
    "float16": ir.IntType(16),
    "bfloat16": ir.IntType(16),
}

# ``splat (float 1.0)`` is shorter to write and to parse than sixteen times ``float 1.0``.
HAS_SPLAT_SYNTAX: Final = llvm.llvm_version_info[0] >= 19


class Vec(NamedTuple):
    """One vector. ``value`` is the LLVM value: <lanes x dtype>, for bools <lanes x i1>."""

    value: Any
    dtype: DType


def load_word(builder: ir.IRBuilder, desc: Any, index: Any, kind: Any = I64) -> Any:
    """Word ``index`` (an i64) of a descriptor, or its low half as an i32. No kernel writes there: a GPU is told so."""
    place = builder.gep(desc, [index], source_etype=I64)
    return builder.load(place, typ=kind, invariant=desc.type.addrspace != 0)


def memory_type(dtype: DType) -> Any:
    """The LLVM type of one element in memory."""
    return I8 if dtype.kind == "b" else SCALARS[dtype.name]


@functools.cache
def vector_type(scalar: Any, lanes: int) -> Any:
    """<lanes x scalar>."""
    return ir.VectorType(scalar, lanes)


def literal(value: float | int | bool, dtype: DType) -> str:
    """``value`` as LLVM writes it, exactly: floats as the hex of their bits, integers wrapped to their width."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.is_half:
        return str(int(stored(np.asarray(value), dtype).view(np.int16)))
    if dtype.is_floating_point:
        exact = ctypes.c_float(value).value if dtype.itemsize == 4 else float(value)
        return f"0x{struct.unpack('<Q', struct.pack('<d', exact))[0]:016x}"
    bits = 8 * dtype.itemsize
    wrapped = int(value) & ((1 << bits) - 1)
    return str(wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped)


@functools.lru_cache(maxsize=4096)
def splat_constant(text: str, scalar: Any, lanes: int) -> Any:
    """A vector constant with the literal ``text`` in all lanes."""
    one = f"{scalar} {text}"
    body = f"splat ({one})" if HAS_SPLAT_SYNTAX else f"<{', '.join([one] * lanes)}>"
    return ir.FormattedConstant(vector_type(scalar, lanes), body)


@functools.cache
def lane_numbers(scalar: Any, lanes: int) -> Any:
    """The vector 0, 1, 2, ..."""
    return ir.Constant(vector_type(scalar, lanes), list(range(lanes)))


@functools.cache
def shuffle_mask(lanes: tuple[int, ...]) -> Any:
    """Which lane goes to each place of a shuffle."""
    return ir.Constant(vector_type(I32, len(lanes)), list(lanes))


def intrinsic(module: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """The declaration of an LLVM intrinsic (its full, overloaded name) in ``module``."""
    found = module.globals.get(name)
    return found if found is not None else ir.Function(module, ir.FunctionType(result, arguments), name)


def shared_function(
    module: Any, symbol: str, kind: Any, write: Callable[[ir.Function], None], *attributes: str
) -> ir.Function:
    """The function ``symbol`` of a module, one for all that call it: where there is none yet, what ``write`` writes."""
    found: ir.Function | None = module.globals.get(symbol)
    if found is None:
        found = ir.Function(module, kind, symbol)
        found.linkage = "internal"
        found.attributes.update(("noinline", "nounwind", *attributes))
        write(found)
    return found


def suffix(kind: Any) -> str:
    """How LLVM spells a type in an intrinsic's name: v16f32, or f32 of a scalar."""
    is_vector = isinstance(kind, ir.VectorType)
    element = str(kind.element if is_vector else kind)
    return (f"v{kind.count}" if is_vector else "") + {"float": "f32", "double": "f64"}.get(element, element)
