"""From a KernelText to an LLVM function: one emitter for each form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir

from nbgrad.kernels.column import emit_column
from nbgrad.kernels.library import emit_cumsum, emit_scatter
from nbgrad.kernels.map import emit_map
from nbgrad.kernels.product import emit_product
from nbgrad.kernels.row import emit_row
from nbgrad.kernels.scatter_rows import emit_scatter_rows
from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText

FORMS: Final[dict[str, Callable[[ir.Module, KernelText, Target], Any]]] = {
    "map": emit_map,
    "row": emit_row,
    "column": emit_column,
    "cumsum": emit_cumsum,
    "gemm": emit_product,
    "scatter_add": emit_scatter,
    "scatter_put": emit_scatter,
    "scatter_rows": emit_scatter_rows,
    "scatter_rows_of_zeros": emit_scatter_rows,
}


def emit_kernel(module: ir.Module, text: KernelText, target: Target) -> Any:
    """Add ``text`` to ``module`` as the function ``text.symbol`` with the kernel ABI, and give that function."""
    return FORMS[text.form](module, text, target)
