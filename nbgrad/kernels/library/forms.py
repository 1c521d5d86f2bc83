"""The forms of kernels that are ``@njit`` functions, and for which items Numba compiles each."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.kernels.deferred import Deferred
from nbgrad.tape.kernel import SCANS

ANY: Final = "float32"  # what stands for all dtypes, see ``emit.for_items``


class Form(NamedTuple):
    """``family`` is the name of the files with the source and with the LLVM text."""

    family: str
    items: tuple[str, ...] = (ANY,)


FORMS: Final = {
    **dict.fromkeys(SCANS, Form("scan")),
    "order": Form("sort", ("int32", "int64")),
    "scatter_add": Form("scatter"),
    "scatter_put": Form("scatter"),
}
FAMILIES: Final = sorted({form.family for form in FORMS.values()})
FUNCTIONS: Final = Deferred(__package__, {name: f"{form.family}.{name}" for name, form in FORMS.items()})
