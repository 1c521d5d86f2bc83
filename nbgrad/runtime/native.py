"""Object code of ``@njit`` functions that is loaded and called without Numba."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types

from nbgrad.kernels.target import Target


def _entry(native: str, name: str) -> str:
    """LLVM text of ``int64 name(int64)``, which calls the ``@njit`` function ``native`` as Numba's code does."""
    i32, i64 = ir.IntType(32), ir.IntType(64)
    module = ir.Module()
    result_of = ir.FunctionType(i32, [i64.as_pointer(), i64.as_pointer(), i64])
    callee = ir.Function(module, result_of, native)
    entry = ir.Function(module, ir.FunctionType(i64, [i64]), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    result = builder.alloca(i64)
    no_exception = ir.Constant(i64.as_pointer(), None)
    builder.call(callee, [result, no_exception, entry.args[0]])  # its status is always 0: nothing here raises
    builder.ret(builder.load(result))
    return str(module)


def native_module(function: Any, name: str) -> Any:
    """The LLVM module of an ``@njit`` function with an entry ``int64 name(int64)`` that C can call.

    Numba's own C wrapper would need Numba's run-time library to be there when the code is loaded.
    """
    signature = (types.int64,)
    function.compile(signature)
    module = llvm.parse_assembly(function.inspect_llvm(signature))
    # The functions it calls are there too, but only it is visible outside.
    [native] = [f.name for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external]
    module.link_in(llvm.parse_assembly(_entry(native, name)))
    return module


def native_code(target: Target, functions: Mapping[str, Any]) -> bytes:
    """Object code that defines ``int64 name(int64)`` for each ``@njit`` function under its name."""
    first, *others = [native_module(function, name) for name, function in functions.items()]
    for other in others:
        first.link_in(other)
    first.verify()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )
    return bytes(machine.emit_object(first))
