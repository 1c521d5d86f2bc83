"""What Python calls when a DLPack capsule is gone, as machine code.

An error may be on its way then: the one for which somebody refused the capsule. No Python code runs beside it, and a
callback of ``ctypes`` would lose it. So it is put aside meanwhile.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Final

import llvmlite.binding as llvm

from nbgrad.kernels.engine import Engine, new_machine
from nbgrad.kernels.target import host
from nbgrad.system.interrupts import uninterrupted

NAME: Final = b"dltensor"  # of a capsule that nobody has taken yet
_NAME_IN_MEMORY: Final = ctypes.create_string_buffer(NAME)
_SYMBOL: Final = "nbgrad_drop_capsule"
_CODE: Final = """
define void @{symbol}(ptr %capsule) {{
entry:
  %kind = alloca ptr
  %value = alloca ptr
  %trace = alloca ptr
  call void {PyErr_Fetch}(ptr %kind, ptr %value, ptr %trace)
  %valid = call i32 {PyCapsule_IsValid}(ptr %capsule, ptr {name})
  %nobody_has_it = icmp ne i32 %valid, 0
  br i1 %nobody_has_it, label %take, label %end
take:
  %structure = call ptr {PyCapsule_GetPointer}(ptr %capsule, ptr {name})
  call void {give_back}(ptr %structure)
  br label %end
end:
  %kind_before = load ptr, ptr %kind
  %value_before = load ptr, ptr %value
  %trace_before = load ptr, ptr %trace
  call void {PyErr_Restore}(ptr %kind_before, ptr %value_before, ptr %trace_before)
  ret void
}}
"""
_CALLED: Final = ("PyErr_Fetch", "PyErr_Restore", "PyCapsule_IsValid", "PyCapsule_GetPointer")
_engine: Final = functools.cache(Engine)


@functools.cache
@uninterrupted
def destructor(give_back: int) -> int:
    """The address of a capsule's destructor: calls ``give_back``, the address of a function of C, with the structure
    that nobody took."""
    called = {name: _constant(_address(getattr(ctypes.pythonapi, name))) for name in _CALLED}
    name = _constant(ctypes.addressof(_NAME_IN_MEMORY))
    code = _CODE.format(symbol=_SYMBOL, name=name, give_back=_constant(give_back), **called)
    engine = _engine()
    engine.load(bytes(new_machine(host()).emit_object(llvm.parse_assembly(code))))
    return engine.address(_SYMBOL)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _constant(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"
