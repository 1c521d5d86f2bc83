"""From a KernelText to an LLVM function: one emitter for each form, and one for a GPU (``WARP_FORMS``)."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.kernels import ir
from nbgrad.kernels.deferred import Deferred
from nbgrad.kernels.library.forms import FORMS as LIBRARY
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import SCANS, SCATTERS, UNORDERED, KernelText

# Functions of (module, text, target) in files of this room.
_EVERYWHERE: Final = {"map": "map.emit_map", "row": "row.emit_row", "column": "column.emit_column"}
FORMS: Final = Deferred(
    "nbgrad.kernels",
    {
        **_EVERYWHERE,
        **dict.fromkeys(LIBRARY, "library.emit.emit_library"),
        "short_row": "short_row.emit_short_row",
        "gemm": "product.emit_product",
        "scatter_rows": "scatter_rows.emit_scatter_rows",
        "scatter_rows_of_zeros": "scatter_rows.emit_scatter_rows",
    },
)


# What warps run: loops cut for vectors of 32 lanes, and the library kernels in forms of their own.
WARP_FORMS: Final = Deferred(
    "nbgrad.kernels",
    {
        **_EVERYWHERE,
        "map": "warp_map.emit_warp_map",
        **dict.fromkeys(SCANS, "warp_scan.emit_warp_scan"),
        "gemm": "warp_product.emit_warp_product",
        "order": "warp_order.emit_warp_order",
        **dict.fromkeys(SCATTERS, "warp_library.emit_warp_scatter"),
        "scatter_rows": "warp_scatter_rows.emit_warp_scatter_rows",
        "scatter_rows_of_zeros": "warp_scatter_rows.emit_warp_scatter_rows",
    },
)


# What warps run where sums may be added up in any order.
UNORDERED_FORMS: Final = Deferred(
    "nbgrad.kernels",
    {"scatter_add": "warp_unordered.emit_unordered", "scatter_rows": "warp_unordered.emit_unordered_rows"},
)


def emit_kernel(module: ir.Module, text: KernelText, target: Target) -> Any:
    """Add ``text`` to ``module`` as a function with the kernel ABI, and give that function.

    It is called ``text.symbol``, on a GPU as ``frame.body_name`` says. NotImplementedError names a form that it lacks.
    """
    forms = WARP_FORMS if target.is_warp else FORMS
    if UNORDERED in text.traits:
        forms = UNORDERED_FORMS
    if text.form not in forms:
        raise NotImplementedError(f"the kernel form {text.form!r} has no version for CUDA")
    return forms[text.form](module, text, target)
