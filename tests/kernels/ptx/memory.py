"""Loads, stores and fused multiply-adds of 32 lanes at once: what NumPy has no exact or safe word for."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from nbgrad.kernels.compile import optimised_code
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host

LANES = 32
Array = Any

_MOVE = """
define void @move{size}_{how}(ptr %addresses, ptr %mask, ptr %values) {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %tail]
  %m = getelementptr i8, ptr %mask, i64 %i
  %on = load i8, ptr %m
  %live = icmp ne i8 %on, 0
  br i1 %live, label %act, label %tail
act:
  %a = getelementptr i64, ptr %addresses, i64 %i
  %address = load i64, ptr %a
  %there = inttoptr i64 %address to ptr
  %here = getelementptr i64, ptr %values, i64 %i
  {body}
  br label %tail
tail:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 32
  br i1 %more, label %head, label %done
done:
  ret void
}}
"""
_LOAD = "%x = load i{bits}, ptr %there, align 1\n store i64 0, ptr %here\n store i{bits} %x, ptr %here"
_STORE = "%x = load i{bits}, ptr %here\n store i{bits} %x, ptr %there, align 1"
_FMA = """
declare <32 x {kind}> @llvm.fma.v32{short}(<32 x {kind}>, <32 x {kind}>, <32 x {kind}>)
define void @fma_{short}(ptr %a, ptr %b, ptr %out) {{
  %x = load <32 x {kind}>, ptr %a, align 4
  %y = load <32 x {kind}>, ptr %b, align 4
  %z = load <32 x {kind}>, ptr %out, align 4
  %r = call <32 x {kind}> @llvm.fma.v32{short}(<32 x {kind}> %x, <32 x {kind}> %y, <32 x {kind}> %z)
  store <32 x {kind}> %r, ptr %out, align 4
  ret void
}}
"""


@cache
def _functions() -> tuple[dict[str, Any], Engine]:
    texts = [_FMA.format(kind=kind, short=short) for kind, short in (("float", "f32"), ("double", "f64"))]
    for bits in (8, 16, 32, 64):
        for how, body in (("load", _LOAD), ("store", _STORE)):
            texts.append(_MOVE.format(size=bits // 8, how=how, body=body.format(bits=bits)))
    engine = Engine()
    module = llvm.parse_assembly("\n".join(texts))
    module.triple = host().triple
    engine.load(optimised_code(module, host()))
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
    names = [f"move{n}_{how}" for n in (1, 2, 4, 8) for how in ("load", "store")] + ["fma_f32", "fma_f64"]
    return {name: kind(engine.address(name)) for name in names}, engine


def _call(name: str, *arrays: Array) -> None:
    _functions()[0][name](*[x.ctypes.data for x in arrays])


def load(addresses: Array, mask: Array, size: int) -> Array:
    """``size`` bytes from each live lane's address, as the low bits of uint64."""
    out = np.zeros(LANES, np.uint64)
    _call(f"move{size}_load", np.ascontiguousarray(addresses), np.ascontiguousarray(mask), out)
    return out


def store(addresses: Array, mask: Array, size: int, values: Array) -> None:
    """Write the low ``size`` bytes of each live lane's value to its address, lane 0 first."""
    arrays = (np.ascontiguousarray(x) for x in (addresses, mask, values))
    _call(f"move{size}_store", *arrays)


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c, rounded once."""
    out = np.array(c)
    _call(f"fma_f{8 * out.itemsize}", np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    return out
