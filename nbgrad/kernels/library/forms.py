"""The forms of kernels that are ``@njit`` functions, and for which items Numba compiles each."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.dtypes import DType
from nbgrad.kernels.deferred import Deferred

BITS: Final = ("int8", "int16", "int32", "int64")
FLOATS: Final = ("float32", "float64")
NUMBERS: Final = (*BITS, *FLOATS)


class Form(NamedTuple):
    """``family`` is the name of the file with the LLVM text; integers stand for all dtypes of their size where only
    bits count, or where ``items`` has no others."""

    family: str
    items: tuple[str, ...]

    def item(self, dtype: DType) -> str:
        """Which of the items elements of ``dtype`` are."""
        return dtype.name if dtype.name in self.items else f"int{8 * dtype.itemsize}"


FORMS: Final = {
    "order": Form("sort", ("int32", "int64")),
    "scatter_add": Form("scatter", NUMBERS),
    "scatter_put": Form("scatter", BITS),
}
FAMILIES: Final = sorted({form.family for form in FORMS.values()})
FUNCTIONS: Final = Deferred(__package__, {form: f"{family}.{form}" for form, (family, _) in FORMS.items()})


def symbol(form: str, item: str) -> str:
    """What the function is called in the text."""
    return f"{form}_{item}"
