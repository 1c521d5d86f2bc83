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
def address_of(context: Any, place: Any) -> Any:
    """Where the elements of an array lie, or what a pointer leads to."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        [kind], [value] = signature.args, args
        if isinstance(kind, types.Array):
            value = context.make_array(kind)(context, builder, value).data
        return builder.ptrtoint(value, _WORD)

    return types.int64(place), written


@intrinsic  # type: ignore[untyped-decorator]
def on_stack(context: Any, words: Any) -> Any:
    """The address of a copy of a tuple of int64, which is there until the function ends."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        with builder.goto_entry_block():
            place = builder.alloca(args[0].type)
        builder.store(args[0], place)
        return builder.ptrtoint(place, _WORD)

    return (types.int64(words), written) if words.dtype == types.int64 else None


@intrinsic  # type: ignore[untyped-decorator]
def stack_address(context: Any) -> Any:
    """Where the stack of the running thread is, about: threads tell themselves apart by it."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        with builder.goto_entry_block():
            place = builder.alloca(_WORD)
        return builder.ptrtoint(place, _WORD)

    return types.int64(), written


@intrinsic  # type: ignore[untyped-decorator]
def lock(context: Any, address: Any) -> Any:
    """Make the word at an address 1, if it is 0; whether it was. Nobody waits."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], _WORD.as_pointer())
        found = builder.cmpxchg(place, _WORD(0), _WORD(1), "acquire", "monotonic")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64), written


@intrinsic  # type: ignore[untyped-decorator]
def unlock(context: Any, address: Any) -> Any:
    """Make the word at an address 0, after all that was written before."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(_WORD(0), builder.inttoptr(args[0], _WORD.as_pointer()), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64), written


@intrinsic  # type: ignore[untyped-decorator]
def call_kernel(context: Any, address: Any, desc: Any, begin: Any, end: Any) -> Any:
    """A kernel, see nbgrad/tape/kernel.py, by its address; gives its code."""
    words = [types.int64] * 3
    return types.int32(types.int64, *words), _calling(ir.IntType(32), 3)


@intrinsic  # type: ignore[untyped-decorator]
def call_with_words(context: Any, address: Any, first: Any, second: Any, third: Any) -> Any:
    """A C function of three words that gives one."""
    return types.int64(*[types.int64] * 4), _calling(_WORD, 3)


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
