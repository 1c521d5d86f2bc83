"""Memory words, atomic words and kernel calls for ``@njit`` code that knows addresses only.

This, ``pool_kernels`` and ``runner_kernels`` alone import Numba; they are needed only where the runner's object
code is not on disk.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_KERNEL = ir.FunctionType(_I32, [_I64.as_pointer(), _I64, _I64])


def _word(builder: Any, address: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(address, _I64.as_pointer()), [index])


@intrinsic  # type: ignore[untyped-decorator]
def load(typing_context: Any, address: Any, index: Any) -> Any:
    """The word ``index`` words after ``address``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_word(builder, *args))

    return types.int64(types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def store(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Set the word ``index`` words after ``address``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _word(builder, args[0], args[1]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def atomic_load(typing_context: Any, address: Any, index: Any) -> Any:
    """The word, as no later than any other thread's earlier stores."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_word(builder, *args), "seq_cst", 8)

    return types.int64(types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def atomic_store(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Set the word after everything this thread wrote before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _word(builder, args[0], args[1]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def fetch_add(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Add to the word in one step; gives what it was before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _word(builder, args[0], args[1]), args[2], "seq_cst")

    return types.int64(types.int64, types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def swap(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Set the word in one step; gives what it was before."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("xchg", _word(builder, args[0], args[1]), args[2], "seq_cst")

    return types.int64(types.int64, types.int64, types.int64), emit


@intrinsic  # type: ignore[untyped-decorator]
def call_kernel(typing_context: Any, kernel: Any, desc: Any, begin: Any, end: Any) -> Any:
    """Run the kernel at address ``kernel`` on the items [begin, end); gives its code, 0 for success."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = builder.inttoptr(args[0], _KERNEL.as_pointer())
        desc = builder.inttoptr(args[1], _I64.as_pointer())
        return builder.call(function, [desc, args[2], args[3]])

    return types.int32(types.int64, types.int64, types.int64, types.int64), emit


def _choice(relation: str) -> Any:
    def choice(typing_context: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.select(builder.icmp_signed(relation, args[0], args[1]), args[0], args[1])

        return types.int64(types.int64, types.int64), emit

    return intrinsic(choice)


# Numba's own min and max take 0.1 s to compile.
lesser = _choice("<")
greater = _choice(">")

clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int64, types.int64))
sem_wait = types.ExternalFunction("sem_wait", types.int32(types.int64))
sem_post = types.ExternalFunction("sem_post", types.int32(types.int64))
sched_yield = types.ExternalFunction("sched_yield", types.int32())
