"""The functions of ``tape_functions.py`` for ``@njit`` code: machine code that is made once in a process, of the text
that comes with the package. Numba would take half a second for them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_target import called_library, cgutils
from nbgrad.numba.differentiate import tape_functions
from nbgrad.numba.differentiate.helpers import with_parameters
from nbgrad.numba.differentiate.memory import DOUBLE, WORD
from nbgrad.numba.differentiate.symbols import trust

PATH: Final = os.path.join(os.path.dirname(__file__), "tape.ll")
# What the text calls of the system, which it does not declare.
_DECLARED: Final = """declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare ptr @memset(ptr, i32, i64)
"""
_KINDS: Final = {"int": (types.int64, WORD), "float": (types.float64, DOUBLE), "None": (types.void, ir.VoidType())}


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
        made = called_library("nbgrad_tape", _DECLARED + file.read())
    trust(made)
    return made


def call(context: Any, builder: Any, function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """A call of a function of the text in what is being compiled."""
    context.active_code_library.add_linking_library(library())
    *given, result = [_KINDS[kind][1] for kind in function.__annotations__.values()]
    kind = ir.FunctionType(result, given)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol(function)), args)


def _for_njit(function: Callable[..., Any]) -> Any:
    made = signature(function)

    def typed(typing: Any, *kinds: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            found = call(context, builder, function, args)
            return context.get_dummy_value() if made.return_type == types.void else found

        return made, written

    return with_parameters(function, typed)


add_cotangent: Final = _for_njit(tape_functions.add_cotangent)
are_shared: Final = _for_njit(tape_functions.are_shared)
begin_array: Final = _for_njit(tape_functions.begin_array)
close_tape: Final = _for_njit(tape_functions.close_tape)
cotangent: Final = _for_njit(tape_functions.cotangent)
cotangents: Final = _for_njit(tape_functions.cotangents)
floats: Final = _for_njit(tape_functions.floats)
jet_at: Final = _for_njit(tape_functions.jet_at)
note_of: Final = _for_njit(tape_functions.note_of)
open_tape: Final = _for_njit(tape_functions.open_tape)
placed: Final = _for_njit(tape_functions.placed)
refuse_shared: Final = _for_njit(tape_functions.refuse_shared)
sweep: Final = _for_njit(tape_functions.sweep)
