"""Memory and machine code by address, in ``@njit`` functions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_WORD = ir.IntType(64)


@intrinsic  # type: ignore[untyped-decorator]
def at(context: Any, address: Any, item: Any) -> Any:
    """The items of a type at an address."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(item.instance_type)(address, item), written


@intrinsic  # type: ignore[untyped-decorator]
def call_kernel(context: Any, address: Any, desc: Any, begin: Any, end: Any) -> Any:
    """A kernel, see nbgrad/tape/kernel.py, by its address; gives its code."""
    words = [types.int64] * 3
    return types.int32(types.int64, *words), _calling(ir.IntType(32), 3)


@intrinsic  # type: ignore[untyped-decorator]
def call_with_word(context: Any, address: Any, word: Any) -> Any:
    """A C function of one word that gives one."""
    return types.int64(types.int64, types.int64), _calling(_WORD, 1)


def _calling(result: Any, count: int) -> Any:
    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(result, [_WORD] * count)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return written


def lasting(address: int, what: str) -> Any:
    """A function that gives ``address``, which belongs to this process: Numba does not keep code with it on disk."""

    @intrinsic  # type: ignore[untyped-decorator]
    def found(context: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ptrtoint(context.add_dynamic_addr(builder, address, info=what), _WORD)

        return types.int64(), written

    return found
