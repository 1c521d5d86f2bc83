"""The functions of ``tape_functions.py`` and ``tape_arrays.py`` for ``@njit`` code: machine code that is made once in a
process, of the text that comes with the package. Numba would take half a second for them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_linking import called_library
from nbgrad.kernels.numba_target import cgutils
from nbgrad.numba.differentiate import tape_arrays, tape_functions
from nbgrad.numba.differentiate.helpers import with_parameters
from nbgrad.numba.differentiate.memory import BYTES, DOUBLE, SYSTEM, WORD
from nbgrad.numba.differentiate.symbols import trust

PATH: Final = os.path.join(os.path.dirname(__file__), "tape.ll")
# Where nothing is given, Numba's function gives a null pointer.
_KINDS: Final = {"int": (types.int64, WORD), "float": (types.float64, DOUBLE), "None": (types.void, BYTES)}


def symbol(function: Callable[..., Any]) -> str:
    """The name that a function has in the text."""
    return f"nbgrad_tape_{function.__name__}"


def signature(function: Callable[..., Any]) -> Any:
    """Numba's, of what its annotations say."""
    *given, result = [_KINDS[kind][0] for kind in function.__annotations__.values()]
    return result(*given)


@functools.cache
def library() -> Any:
    """All of them, to be linked to what calls them."""
    with open(PATH, encoding="utf-8") as file:
        made = called_library("nbgrad_tape", "".join([*map(_declared, SYSTEM), file.read()]))
    trust(made)
    return made


def _declared(name: str) -> str:
    """The declaration of a function of the system's, which the text lacks."""
    kinds = SYSTEM[name].return_type, *SYSTEM[name].args
    result, *given = ["ptr" if isinstance(kind, ir.PointerType) else str(kind) for kind in kinds]
    return f"declare {result} @{name}({', '.join(given)})\n"


def call(context: Any, builder: Any, function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """A call of a function of the text in what is being compiled."""
    context.active_code_library.add_linking_library(library())
    *given, result = [_KINDS[kind][1] for kind in function.__annotations__.values()]
    kind = ir.FunctionType(result, given)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol(function)), args)


def described(context: Any, builder: Any, kinds: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """``args`` with addresses of words (``tape.py``) instead of arrays, which are all walked through as the first one
    lies in memory. Where that is one row for each, it is one dimension."""
    layouts = [kind.layout for kind in kinds if isinstance(kind, types.Array)]
    is_row = "A" not in layouts and len({*layouts}) == 1
    given = []
    for kind, value in zip(kinds, args, strict=True):
        if isinstance(kind, types.Array):
            x = context.make_array(kind)(context, builder, value)
            sizes, strides = cgutils.unpack_tuple(builder, x.shape), cgutils.unpack_tuple(builder, x.strides)
            parts = 2 if isinstance(kind.dtype, types.Complex) else 1
            number = builder.sdiv(x.itemsize, WORD(parts))
            if is_row or kind.ndim == 0:
                sizes, strides = [builder.mul(x.nitems, WORD(parts))], [number]
            else:
                order = -1 if layouts[0] == "F" else 1
                sizes = [*sizes[::order], *[WORD(2)] * (parts - 1)]
                strides = [*strides[::order], *[number] * (parts - 1)]
            words = [builder.ptrtoint(x.data, WORD), WORD(len(sizes)), number, *sizes, *strides]
            value = _kept(builder, words)
        given.append(value)
    return given


def _kept(builder: Any, words: Sequence[Any]) -> Any:
    """The address of a copy of ``words``, as long as the function runs."""
    cell = cgutils.alloca_once(builder, ir.ArrayType(WORD, len(words)))
    builder.store(cgutils.pack_array(builder, words, WORD), cell)
    return builder.ptrtoint(cell, WORD)


def _for_njit(function: Callable[..., Any]) -> Any:
    """It takes arrays for what the function knows as words that describe one."""
    known = signature(function)

    def typed(typing: Any, *kinds: Any) -> Any:
        given = [kind if isinstance(kind, types.Array) else k for kind, k in zip(kinds, known.args, strict=True)]

        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            found = call(context, builder, function, described(context, builder, given, args))
            return context.get_dummy_value() if known.return_type == types.void else found

        return known.return_type(*given), written

    return with_parameters(function, typed)


add_cotangent: Final = _for_njit(tape_functions.add_cotangent)
add_cotangents: Final = _for_njit(tape_arrays.add_cotangents)
are_shared: Final = _for_njit(tape_arrays.are_shared)
close_tape: Final = _for_njit(tape_functions.close_tape)
cotangent: Final = _for_njit(tape_functions.cotangent)
cotangents: Final = _for_njit(tape_functions.cotangents)
floats: Final = _for_njit(tape_functions.floats)
jet_at: Final = _for_njit(tape_functions.jet_at)
lay_out: Final = _for_njit(tape_arrays.lay_out)
lay_out_twice: Final = _for_njit(tape_arrays.lay_out_twice)
note_different: Final = _for_njit(tape_arrays.note_different)
note_extent: Final = _for_njit(tape_arrays.note_extent)
note_written: Final = _for_njit(tape_arrays.note_written)
open_tape: Final = _for_njit(tape_functions.open_tape)
placed: Final = _for_njit(tape_functions.placed)
refuse_shared: Final = _for_njit(tape_arrays.refuse_shared)
sweep: Final = _for_njit(tape_functions.sweep)
