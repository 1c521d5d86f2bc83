"""Has Numba compile this room's functions to the LLVM text that comes with the package. For builds alone."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Final

from numba import types

from nbgrad.kernels.library.forms import COMPILED, FUNCTIONS
from nbgrad.kernels.numba_records import At, compiled_text
from nbgrad.kernels.records import with_items

ITEMS: Final = {
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
# To Numba a record is a number; to kernels it is a pointer.
_HEAD: Final = re.compile(r"^(define i32 @\w+\()i64 %v0(.*\{\nv\d+:)$", re.MULTILINE)


def family_text(family: str) -> str:
    """The LLVM text of all functions of a family, each with all that it calls."""
    forms = [form for form in COMPILED if form.family == family]
    return functions_text([(form.function, item) for form in forms for item in form.items])


def functions_text(wanted: list[tuple[str, str]]) -> str:
    """That of functions for items."""
    functions = {f"{name}_{item}": (FUNCTIONS[name], _signature(name, item)) for name, item in wanted}
    text = _HEAD.sub(r"\1ptr %desc\2\n  %v0 = ptrtoint ptr %desc to i64", compiled_text(functions, inlined=True))
    return re.sub(r"\n(?=define |declare )", "\n\n", text)


def _signature(name: str, item: str) -> Any:
    kinds = {at: kind for at, kind in FUNCTIONS[name].__annotations__.items() if at != "return"}
    return types.int32(*[types.int64 if k is int else At(with_items(k, ITEMS[item])) for k in kinds.values()])
