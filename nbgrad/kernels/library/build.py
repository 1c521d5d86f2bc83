"""Has Numba compile this room's functions to the LLVM text that comes with the package. For builds alone."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

from numba import types

from nbgrad.kernels.library.forms import FORMS, FUNCTIONS, symbol
from nbgrad.kernels.numba_records import At, compiled_text
from nbgrad.kernels.records import with_items

_ITEMS: Final = {
    "int8": ctypes.c_int8,
    "int16": ctypes.c_int16,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
# To Numba a record is a number; to kernels it is a pointer.
_HEAD: Final = re.compile(r"^(define i32 @\w+\()i64 %v0(.*\{\nv\d+:)$", re.MULTILINE)


def family_text(family: str) -> str:
    """The LLVM text of all functions of a family, each with all that it calls."""
    functions = {}
    for form, (of, items) in FORMS.items():
        if of == family:
            functions.update({symbol(form, item): (FUNCTIONS[form], _signature(form, item)) for item in items})
    return _HEAD.sub(r"\1ptr %desc\2\n  %v0 = ptrtoint ptr %desc to i64", compiled_text(functions, inlined=True))


def _signature(form: str, item: str) -> Any:
    words = FUNCTIONS[form].__annotations__["words"]
    return types.int32(At(with_items(words, _ITEMS[item])), types.int64, types.int64)
