"""Loads and stores of the first lanes of a vector, as functions that all drafts of a module call.

LLVM's quick selection of instructions knows no masks: it hands each masked move, and all that makes the mask, to the
slow one. Written once for a module, they leave kernels with instructions that it knows: that takes half of the time.
Booleans go in and out as the bytes that memory has: with AVX-512 the quick selection cannot take a mask as an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nbgrad.graph.dtypes import DType, bool_, uint8
from nbgrad.kernels import ir, memory
from nbgrad.kernels.values import I64, SCALARS, Vec

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder


def load_first_lanes(b: VectorBuilder, address: Any, dtype: DType, count: Any) -> Vec:
    """Elements one after the other, in the first ``count`` lanes or all."""

    stored = _in_memory(dtype)

    def load(inner: VectorBuilder, args: Sequence[Any]) -> None:
        inner.ir.ret(memory.load_consecutive(inner, args[0], stored, memory.prefix_mask(inner, args[1])).value)

    kind = b.vector(SCALARS[stored.name])
    function = _shared(b, f"nbm_load_{stored.name}x{b.lanes}", ir.FunctionType(kind, [I64, I64]), load)
    return memory.as_value(b, b.ir.call(function, [address, count]), dtype)


def store_first_lanes(b: VectorBuilder, x: Vec, address: Any, count: Any) -> None:
    """Write the first ``count`` lanes, or all, one after the other."""

    stored = _in_memory(x.dtype)

    def store(inner: VectorBuilder, args: Sequence[Any]) -> None:
        for live in memory.masks_to_store(inner, memory.prefix_mask(inner, args[2])):
            memory.store_consecutive(inner, Vec(args[0], stored), args[1], live)
        inner.ir.ret_void()

    value = memory.as_stored(b, x)
    kinds = [value.type, I64, I64]
    function = _shared(b, f"nbm_store_{stored.name}x{b.lanes}", ir.FunctionType(memory.VOID, kinds), store)
    b.ir.call(function, [value, address, count])


def _in_memory(dtype: DType) -> DType:
    return uint8 if dtype is bool_ else dtype


def _shared(b: VectorBuilder, symbol: str, signature: Any, write: Any) -> Any:
    """The module's function ``symbol``, which ``write`` writes the first time."""
    found = b.ir.module.globals.get(symbol)
    if found is None:
        found = ir.Function(b.ir.module, signature, symbol)
        found.linkage = "internal"
        found.attributes.add("nounwind")
        write(type(b)(ir.IRBuilder(found), b.lanes, b.target, b.functions), found.args)
    return found
