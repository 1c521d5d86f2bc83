"""Functions for ``@cuda.jit`` to compile, and what numba-cuda makes of them. It is imported where one is asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbgrad.kernels.numba_target import is_contiguous, populate_array

CUDA_KERNEL: Final = types.void(*[types.int64] * 6)  # that of an entry, see nbgrad/kernels/ptx.py: addresses are int64
_POINTED: Final = {0: types.int64, 3: types.int32}  # of an entry's arguments: what addresses lead to


def cuda_kernel_function(symbol: str, entry: str, text: str) -> Callable[..., None]:
    """A Python function with an entry's arguments for ``@cuda.jit`` to compile, called ``symbol``, whose body is the
    function ``entry`` of NVVM's ``text``. Addresses are int64, or contiguous arrays that lie there."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, desc: Any, items: Any, chunk: Any, status: Any, workspace: Any, scratch: Any) -> Any:
        given = desc, items, chunk, status, workspace, scratch
        are_arrays = [is_contiguous(kind, _POINTED.get(k)) for k, kind in enumerate(given)]
        if not all(
            is_array or isinstance(kind, types.Integer) for is_array, kind in zip(are_arrays, given, strict=True)
        ):
            return None
        kinds = [kind if is_array else types.int64 for is_array, kind in zip(are_arrays, given, strict=True)]
        return types.void(*kinds), functools.partial(_call_entry, entry, text)

    def kernel(desc: Any, items: Any, chunk: Any, status: Any, workspace: Any, scratch: Any) -> None:
        call(desc, items, chunk, status, workspace, scratch)

    kernel.__name__ = kernel.__qualname__ = symbol
    return kernel


class _Text:
    """A module that numba-cuda hands to NVVM as it is written."""

    functions = ()  # whose linkage it would change

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def _call_entry(entry: str, text: str, context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A call of ``entry``, whose text goes to NVVM with what is being compiled, and is inlined there."""
    library = context.codegen().create_library(entry)
    library.add_ir_module(_Text(text))
    context.active_code_library.add_linking_library(library)
    pointer = ir.PointerType(ir.IntType(8), 1)
    given = []
    for k, (kind, value) in enumerate(zip(signature.args, args, strict=True)):
        if isinstance(kind, types.Array):
            value = builder.ptrtoint(context.make_array(kind)(context, builder, value).data, ir.IntType(64))
        given.append(builder.inttoptr(value, pointer) if k in _POINTED else value)
    function = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [value.type for value in given]), entry)
    builder.call(function, given)
    return context.get_dummy_value()


def cuda_ptx(function: Callable[..., None], arch: str, bounds: Any = None, fastmath: bool = False) -> str:
    """The PTX that ``@cuda.jit`` makes of a function with the arguments of an entry, for GPUs of ``arch``: sm_90, say.
    The entry has the function's name. ``bounds``: threads of a block, and how many blocks a multiprocessor has room
    for."""
    from numba import cuda

    number = int("".join(filter(str.isdecimal, arch)))
    made, _ = cuda.compile_ptx(function, CUDA_KERNEL, cc=divmod(number, 10), launch_bounds=bounds, fastmath=fastmath)
    [name] = re.findall(r"\.entry (\w+)\(", made)
    return str(made).replace(name, function.__name__)


def cuda_device_function(function: Callable[..., Any]) -> Any:
    """A ``@cuda.jit`` function for others to call."""
    from numba import cuda

    return cuda.jit(device=True, inline="always")(function)


def cuda_array(words: int, dtype: str, rank: int) -> Any:
    """A function for ``@cuda.jit`` code: the row-major array whose address and sizes lie from word ``words`` on of a
    descriptor."""
    item = types.boolean if dtype == "bool" else getattr(types, dtype)
    kind = types.Array(item, rank, "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def array(typing: Any, desc: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            place = builder.inttoptr(args[0], word.as_pointer())
            address, *sizes = [builder.load(builder.gep(place, [word(words + k)])) for k in range(1 + rank)]
            out = context.make_array(kind)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(item)))
            strides = [size]
            for n in reversed(sizes[1:]):
                strides.insert(0, builder.mul(strides[0], n))
            populate_array(out, builder.inttoptr(address, out.data.type), sizes, strides[:rank], size, None)
            return out._getvalue()

        return kind(types.int64), written

    return array
