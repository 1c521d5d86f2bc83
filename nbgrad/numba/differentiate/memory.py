"""Memory by its address, for the ``@njit`` functions of this room: words of 8 bytes, malloc and free, a slot to
exchange."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbgrad.kernels.numba_target import cgutils, populate_array

WORD: Final = ir.IntType(64)
DOUBLE: Final = ir.DoubleType()
FLOAT: Final = ir.FloatType()
BYTES: Final = ir.IntType(8).as_pointer()
_INT: Final = ir.IntType(32)
SYSTEM: Final = {  # what is called of the system
    "malloc": ir.FunctionType(BYTES, [WORD]),
    "free": ir.FunctionType(ir.VoidType(), [BYTES]),
    "madvise": ir.FunctionType(_INT, [BYTES, WORD, _INT]),
    "memset": ir.FunctionType(BYTES, [BYTES, _INT, WORD]),
}
_LARGE_PAGE: Final = 1 << 21
_LARGE_PLEASE: Final = _INT(14)  # Linux's MADV_HUGEPAGE
N_SLOTS, N_BLOCKS = 16, 8  # of tapes, of arrays' memory
_slots: Final = (ctypes.c_int64 * (N_SLOTS + N_BLOCKS))()  # zeros; the process's compiled code names it
_SLOTS_NAME: Final = "nbgrad_at_rest"
llvm.add_symbol(_SLOTS_NAME, ctypes.addressof(_slots))


def _called(builder: Any, name: str, *args: Any) -> Any:
    return builder.call(cgutils.get_or_insert_function(builder.module, SYSTEM[name], name), args)


@intrinsic  # type: ignore[untyped-decorator]
def allocated(typing: Any, size: Any) -> Any:
    """The address of ``size`` new bytes; 0 where there are none."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        [size] = args
        address = _called(builder, "malloc", size)
        # Large pages: a tape is walked from end to end, which asks for the place of each small one. What lies in part
        # on another page is left out; that it cannot be had, or that a system does not know the request, is no error.
        is_large = builder.icmp_unsigned(">=", size, WORD(2 * _LARGE_PAGE))
        with builder.if_then(builder.and_(is_large, builder.icmp_unsigned("!=", address, BYTES(None)))):
            first = builder.add(builder.ptrtoint(address, WORD), WORD(_LARGE_PAGE - 1))
            first = builder.and_(first, WORD(-_LARGE_PAGE))
            size = builder.sub(size, WORD(_LARGE_PAGE))
            _called(builder, "madvise", builder.inttoptr(first, BYTES), size, _LARGE_PLEASE)
        return builder.ptrtoint(address, WORD)

    return types.int64(types.int64), written


@intrinsic  # type: ignore[untyped-decorator]
def release(typing: Any, address: Any) -> Any:
    """Give back what ``allocated`` gave; nothing for 0."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _called(builder, "free", builder.inttoptr(args[0], BYTES))
        return context.get_dummy_value()

    return types.void(types.int64), written


def _cell(builder: Any, address: Any, k: Any, kind: Any) -> Any:
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [k])


def _reader(kind: Any, result: Any) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing: Any, address: Any, k: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            found = builder.load(_cell(builder, args[0], args[1], kind), align=1)
            return builder.fpext(found, DOUBLE) if kind == FLOAT else found

        return result(types.int64, types.int64), written

    return read


def _writer(kind: Any, given: Any) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def write(typing: Any, address: Any, k: Any, value: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.fptrunc(args[2], FLOAT) if kind == FLOAT else args[2]
            builder.store(value, _cell(builder, args[0], args[1], kind), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, given), written

    return write


# word(address, k): the k-th; arrays' numbers may lie anywhere
word: Final[Callable[[int, int], int]] = _reader(WORD, types.int64)
set_word: Final = _writer(WORD, types.int64)
number: Final[Callable[[int, int], float]] = _reader(DOUBLE, types.float64)
set_number: Final = _writer(DOUBLE, types.float64)
number32: Final[Callable[[int, int], float]] = _reader(FLOAT, types.float64)
set_number32: Final = _writer(FLOAT, types.float64)
byte: Final[Callable[[int, int], int]] = _reader(ir.IntType(8), types.uint8)


@intrinsic  # type: ignore[untyped-decorator]
def exchange(typing: Any, slot: Any, address: Any) -> Any:
    """Put ``address`` into a slot of the process, and give what was in it: in one step, also among threads."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        slots = builder.module.globals.get(_SLOTS_NAME) or ir.GlobalVariable(builder.module, WORD, _SLOTS_NAME)
        return builder.atomic_rmw("xchg", builder.gep(slots, [args[0]]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), written


@intrinsic  # type: ignore[untyped-decorator]
def clear(typing: Any, address: Any, size: Any) -> Any:
    """Write ``size`` zero bytes."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _called(builder, "memset", builder.inttoptr(args[0], BYTES), _INT(0), args[1])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), written


@intrinsic  # type: ignore[untyped-decorator]
def swept(typing: Any, back: Any, at: Any, place: Any, g: Any, h: Any) -> Any:
    """What the function at an address gives for an address, a place, and two further addresses: sweep.py has such."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(WORD, [WORD, WORD, BYTES, BYTES]).as_pointer()
        given = [*args[1:3], *[builder.inttoptr(address, BYTES) for address in args[3:]]]
        return builder.call(builder.inttoptr(args[0], function), given)

    return types.int64(*[types.int64] * 5), written


def _jets_at(item: Any) -> Any:
    array = types.Array(item, 3, "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def jets_at(typing: Any, address: Any, order: Any, rows: Any, columns: Any) -> Any:
        """The matrices at ``address`` as an array, which does not hold them."""

        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            out = context.make_array(array)(context, builder)
            size = WORD(item.bitwidth // 8)
            row = builder.mul(size, args[3])
            strides = [builder.mul(row, args[2]), row, size]
            populate_array(out, builder.inttoptr(args[0], out.data.type), args[1:], strides, size, None)
            return out._getvalue()

        return array(*[types.int64] * 4), written

    return jets_at


JETS_AT: Final = {np.float64: _jets_at(types.float64), np.complex128: _jets_at(types.complex128)}


@intrinsic  # type: ignore[untyped-decorator]
def factored_solve(typing: Any, a: Any, b: Any, pivots: Any) -> Any:
    """LAPACK's ``gesv`` of matrices by columns, in place; 0 where all went well."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right, places = (
            context.make_array(kind)(context, builder, x) for kind, x in zip((a, b, pivots), args, strict=True)
        )
        n, m = builder.extract_value(right.shape, 1), builder.extract_value(right.shape, 0)
        kind = ir.IntType(8)(ord("z" if isinstance(a.dtype, types.Complex) else "d"))
        at = [builder.bitcast(x.data, BYTES) for x in (left, places, right)]
        given = [kind, n, m, at[0], n, at[1], at[2], n]
        function = ir.FunctionType(ir.IntType(32), [x.type for x in given])
        return builder.call(cgutils.get_or_insert_function(builder.module, function, "numba_xgesv"), given)

    return types.int32(a, b, pivots), written
