"""Kernels that are ``@njit`` functions: what Numba made of them comes with the package, as LLVM text."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from typing import Any, Final

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.kernels import ir
from nbgrad.kernels.library.forms import ANY, FORMS
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import SCALARS, intrinsic, memory_type
from nbgrad.tape.kernel import KernelText

_NAME: Final = re.compile(r"^(?:define|declare).*?@([\w.]+)\(")
_DECLARED: Final = re.compile(r"declare (\w+) @[\w.]+\(([^)]*)\)")
_ITEM: Final = re.compile(r"\bfloat\b(.*, align )?(?(1)4$)", re.MULTILINE)
_TYPES: Final = {kind.text: kind for kind in SCALARS.values()}


def family_path(family: str) -> str:
    """Where the LLVM text of a family is."""
    return os.path.join(os.path.dirname(__file__), f"{family}.ll")


@functools.cache
def functions_of(family: str) -> Mapping[str, str]:
    """Its functions by their names, definitions and declarations."""
    with open(family_path(family), encoding="utf-8") as file:
        parts = re.split(r"^(?=define |declare )", file.read(), flags=re.MULTILINE)
    return {found[1]: part for part in parts if (found := _NAME.match(part))}


def for_items(text: str, dtype: DType) -> str:
    """A function for items of ``dtype``, out of that for float32: what it does to items, every dtype can."""
    text = _ITEM.sub(lambda found: f"{memory_type(dtype)}{f'{found[1]}{dtype.itemsize}' if found[1] else ''}", text)
    return text if dtype.is_floating_point else re.sub(r"\bf(?=(?:add|mul) )", "", text)


def emit_library(module: ir.Module, text: KernelText, target: Target) -> Any:
    """The function of ``text.form`` for the dtype of its first operand."""
    form, dtype = FORMS[text.form], by_name(text.operands[0].dtype)
    functions, is_own = functions_of(form.family), dtype.name in form.items
    name = f"{form.function}_{dtype.name if is_own else ANY}"
    written = functions[name].replace(f"@{name}(", f"@{text.symbol}(").rstrip()
    for other, declaration in functions.items():
        if f"@{other}(" in written and (found := _DECLARED.match(declaration)):
            result, *given = [_TYPES[kind] for kind in (found[1], *found[2].split(", "))]
            intrinsic(module, other, result, given)
    return ir.WrittenFunction(module, text.symbol, written if is_own else for_items(written, dtype))
