"""Kernels that are ``@njit`` functions: what Numba made of them comes with the package, as LLVM text."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from typing import Any, Final

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.kernels import ir
from nbgrad.kernels.library.forms import ANY, FORMS, Form
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import SCALARS, intrinsic, memory_type
from nbgrad.tape.kernel import KernelText

_TYPES: Final = {kind.text: kind for kind in SCALARS.values()}


def family_path(family: str) -> str:
    """Where the LLVM text of a family is."""
    return os.path.join(os.path.dirname(__file__), f"{family}.ll")


@functools.cache
def functions_of(family: str) -> Mapping[str, str]:
    """Its functions by their names, definitions and declarations. Blank lines are between them."""
    with open(family_path(family), encoding="utf-8") as file:
        _, *parts = file.read().rstrip().split("\n\n")
    return {part[part.index("@") + 1 : part.index("(")]: part for part in parts}


def for_items(text: str, dtype: DType) -> str:
    """A function for items of ``dtype``, out of that for float32: what it does to items, every dtype can."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if " float" in line:
            line = line.removesuffix(", align 4") + f", align {dtype.itemsize}" * line.endswith(", align 4")
            line = line if dtype.is_floating_point else re.sub(r" f(add|sub|mul) ", r" \1 ", line)
            lines[k] = line.replace(" float", f" {memory_type(dtype)}")
    return "\n".join(lines)


def emit_library(module: ir.Module, text: KernelText, target: Target) -> Any:
    """The function of ``text.form`` for the dtype of its first operand."""
    return library_function(module, FORMS[text.form], by_name(text.operands[0].dtype), text.symbol)


def library_function(module: ir.Module, form: Form, dtype: DType, symbol: str) -> ir.WrittenFunction:
    """The function of a form for a dtype, as ``symbol``."""
    functions, is_own = functions_of(form.family), dtype.name in form.items
    name = f"{form.function}_{dtype.name if is_own else ANY}"
    written = functions[name].replace(f"@{name}(", f"@{symbol}(")
    for other, declaration in functions.items():
        if declaration.startswith("declare ") and f"@{other}(" in written:
            head, given = declaration[:-1].split("(")
            intrinsic(module, other, _TYPES[head.split()[1]], [_TYPES[kind] for kind in given.split(", ")])
    return ir.WrittenFunction(module, symbol, written if is_own else for_items(written, dtype))
