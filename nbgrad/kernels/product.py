"""Matrix products: blocks of the result in registers, panels of the right factor in cache.

``library/product.py`` has the loops, the same for all machines; here is what a machine's vectors do in them.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import sizeof
from typing import Any, Final

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.kernels import ir
from nbgrad.kernels.frame import new_function
from nbgrad.kernels.library.emit import library_function
from nbgrad.kernels.library.forms import PRODUCT, PRODUCT_DRAFT
from nbgrad.kernels.library.product import LINE_BYTES, MOST_COLUMNS, VECTORS, Machine
from nbgrad.kernels.product_block import product_block
from nbgrad.kernels.product_flip import turn_back
from nbgrad.kernels.product_left import Left
from nbgrad.kernels.product_panel import Panel
from nbgrad.kernels.records import WORD, word_of
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I8, I32, I64, POINTER, shared_function
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.ops.library import LEFT_BYTES, PRODUCT_RUN
from nbgrad.tape.kernel import KernelText

_LOOPS: Final = ir.FunctionType(I32, [POINTER, I64, I64, I64])
_Body = Callable[..., None]  # of a builder, a dtype, rows of a block, the routine's arguments
_DRAFT: Final = "optnone"  # a draft's code, but for its blocks


def _of_panel(copy: Callable[..., None]) -> _Body:
    return lambda b, dtype, _, place, *given: copy(Panel(b, dtype, place), *given)


# How many arguments each routine of the loops has, and what it does.
_ROUTINES: Final[dict[str, tuple[int, _Body]]] = {
    "copy_rows": (5, _of_panel(Panel.copy_rows)),
    "copy_columns": (5, _of_panel(Panel.copy_columns)),
    "collect": (6, _of_panel(Panel.collect)),
    "copy_left": (5, lambda b, dtype, rows, place, *given: Left(b, dtype, rows, place).copy(*given)),
    "turn_back": (8, lambda b, dtype, _, *given: turn_back(b, dtype, *given)),
    "ask_for": (1, lambda b, dtype, _, row: Panel(b, dtype, row).ask_for(row)),
}
_OF_DRAFTS: Final[dict[str, tuple[int, _Body]]] = {
    "copy_rows": (5, _of_panel(Panel.copy_masked)),
    "copy_columns": (5, _of_panel(Panel.copy_elements)),
}


def emit_product(module: ir.Module, text: KernelText, target: Target) -> Any:
    """The kernel tells the loops what this machine has.

    A draft has fewer blocks and routines, and only its blocks are optimised: it is made in a third of the time.
    """
    function, dtype, rows = new_function(module, text, target), by_name(text.operands[0].dtype), target.product_rows
    builder, lanes, is_draft = ir.IRBuilder(function), target.lanes(dtype.itemsize), text.is_draft
    machine = builder.alloca(ir.ArrayType(I64, sizeof(Machine) // WORD))

    def tell(name: str, word: Any, k: int = 0) -> None:
        builder.store(word, builder.gep(machine, [I64(word_of(Machine, name) + k)], source_etype=I64))

    tell("rank", I64(text.rank))
    tell("item", I64(dtype.itemsize))
    tell("lane_bits", I64(lanes.bit_length() - 1))
    tell("row_bits", I64(rows.bit_length() - 1))
    for name, nbytes in _rooms(dtype, lanes, rows, is_draft).items():
        place = builder.alloca(ir.ArrayType(I8, nbytes), align=LINE_BYTES)
        tell(name, builder.ptrtoint(place, I64))
    for k, height in enumerate((rows // 2,) if is_draft else (rows // 2, rows)):
        for v in range(VECTORS):
            block = product_block(module, dtype, target, height, v + 1)
            tell("blocks", _address(builder, block), k * VECTORS + v)
    for name, (arguments, body) in (_OF_DRAFTS if is_draft else _ROUTINES).items():
        tell(name, _address(builder, _routine(module, dtype, target, name, arguments, body, is_draft)))
    builder.ret(builder.call(_loops(module, dtype, is_draft), [*function.args[:3], builder.ptrtoint(machine, I64)]))
    if is_draft:
        function.attributes.update(("noinline", _DRAFT))
    return function


def _address(builder: ir.IRBuilder, function: ir.Function) -> Any:
    return builder.ptrtoint(ir.Value(POINTER, function.text), I64)


def _rooms(dtype: DType, lanes: int, rows: int, is_draft: bool) -> dict[str, int]:
    """Bytes of the rooms that a kernel has on its stack."""
    row, block = VECTORS * lanes * dtype.itemsize, PRODUCT_RUN * rows * dtype.itemsize
    left = {"left": LEFT_BYTES // block * (block + LINE_BYTES), "flipped": (MOST_COLUMNS + lanes) * row}
    return {"panel": PRODUCT_RUN * row, **({} if is_draft else left)}


def _routine(
    module: ir.Module, dtype: DType, target: Target, name: str, arguments: int, body: _Body, is_draft: bool
) -> ir.Function:
    """A function that the kernels of a module share."""

    def write(function: ir.Function) -> None:
        b = VectorBuilder(ir.IRBuilder(function), target.lanes(dtype.itemsize), target, SharedFunctions(module))
        body(b, dtype, target.product_rows, *function.args)
        b.ir.ret_void()

    kind = ir.FunctionType(ir.VOID, [I64] * arguments)
    symbol = f"nbp_{dtype.name}_{name}{'_draft' * is_draft}"
    return shared_function(module, symbol, kind, write, *[_DRAFT] * is_draft)


def _loops(module: ir.Module, dtype: DType, is_draft: bool) -> ir.WrittenFunction:
    """What Numba made of the loops."""
    form = PRODUCT_DRAFT if is_draft else PRODUCT
    known: ir.WrittenFunction | None = module.globals.get(f"nbp_{form.function}")
    if known is not None:
        return known
    loops = library_function(module, form, dtype, f"nbp_{form.function}")
    loops.function_type, loops.linkage = _LOOPS, "internal"
    loops.attributes.update(("noinline", *[_DRAFT] * is_draft))
    return loops
