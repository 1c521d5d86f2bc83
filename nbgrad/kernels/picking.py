"""Constants for each lane, of four by number: from a register where the machine can, by choices elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels import ir
from nbgrad.kernels.target import LEVELS
from nbgrad.kernels.values import I32, I64, SCALARS, Vec, intrinsic, literal, shuffle_mask, vector_type

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder

CHOICES: Final = 4
WORD_BYTES: Final = 16  # the most that a thread loads at a time
GLOBAL_SPACE: Final = 1  # where LLVM keeps a GPU's memory

Texts = Sequence[str]  # constants as LLVM writes them


def pick(b: VectorBuilder, index: Vec, rows: Sequence[Sequence[float]], dtype: DType) -> list[Vec]:
    """row[index % 4] of each of ``rows`` in each lane; ``index`` is the integer of the size of ``dtype``."""
    choose = _CHOOSE.get((b.target.level, dtype.itemsize))
    if choose is None and not b.target.is_thread:
        odd, high = (b.ne(b.bit_and(index, b.const(bit, index.dtype)), b.const(0, index.dtype)) for bit in (1, 2))
        return [_of_four(b, odd, high, [b.const(v, dtype) for v in row]) for row in rows]
    texts = [[literal(v, dtype) for v in row] for row in rows]
    if choose is None:
        return [Vec(x, dtype) for x in _of_thread(b, index.value, texts, SCALARS[dtype.name])]
    register = LEVELS[b.target.level].vector_bytes // dtype.itemsize
    parts = [_lanes(b, index.value, start, register) for start in range(0, b.lanes, register)]
    return [Vec(_joined(b, [choose(b, part, row) for part in parts]), dtype) for row in texts]


def _of_four(b: VectorBuilder, odd: Vec, high: Vec, row: Sequence[Vec]) -> Vec:
    """The one whose number has these two bits."""
    return b.select(high, b.select(odd, row[3], row[2]), b.select(odd, row[1], row[0]))


def _lanes(b: VectorBuilder, x: Any, start: int, count: int) -> Any:
    """``count`` lanes of ``x`` from ``start`` on; beyond its end anything."""
    last = x.type.count - 1
    if start == 0 and count == x.type.count:
        return x
    return b.ir.shuffle_vector(x, x, shuffle_mask(tuple([min(start + i, last) for i in range(count)])))


def _joined(b: VectorBuilder, parts: Sequence[Any]) -> Any:
    """The lanes of all parts, one or two registers, as many of them as the builder has."""
    if len(parts) == 1:
        return _lanes(b, parts[0], 0, b.lanes)
    first, second = parts
    return b.ir.shuffle_vector(first, second, shuffle_mask(tuple(range(b.lanes))))


def _table(texts: Texts, kind: Any) -> Any:
    body = f"<{', '.join([f'{kind} {text}' for text in texts])}>"
    return ir.FormattedConstant(vector_type(kind, len(texts)), body)


def _floats_of_quarters(b: VectorBuilder, index: Any, row: Texts) -> Any:
    """By the low two bits, each quarter of a register from itself: one cycle, where lanes that cross quarters take two
    on some processors."""
    table = _table(row * (index.type.count // CHOICES), ir.FLOAT)
    name = _PERMUTE[index.type.count]
    return b.ir.call(intrinsic(b.ir.module, name, table.type, [table.type, index.type]), [table, index])


_PERMUTE: Final = {8: "llvm.x86.avx.vpermilvar.ps.256", 16: "llvm.x86.avx512.vpermilvar.ps.512"}
_CHOOSE: Final[dict[tuple[str, int], Callable[[VectorBuilder, Any, Texts], Any]]] = {
    ("avx512", 4): _floats_of_quarters,
    ("avx2", 4): _floats_of_quarters,
}


def _of_thread(b: VectorBuilder, index: Any, rows: Sequence[Texts], kind: Any) -> list[Any]:
    """From memory, as many rows at a time as one load of a thread holds."""
    together = WORD_BYTES * 8 // index.type.width
    more = -len(rows) % together
    columns = [[row[k] for row in rows] + [rows[-1][k]] * more for k in range(CHOICES)]
    place = _global(b.ir.module, columns, kind)
    number = b.ir.and_(index, index.type(CHOICES - 1))
    loaded = [
        b.ir.load(b.ir.gep(place, [I64(0), number, I64(row)]), typ=vector_type(kind, together), align=WORD_BYTES)
        for row in range(0, len(columns[0]), together)
    ]
    found = [b.ir.extract_element(part, I32(i)) for part in loaded for i in range(together)]
    return found[: len(rows)]


def _global(module: ir.Module, columns: Sequence[Texts], kind: Any) -> Any:
    body = ", ".join([f"[{len(c)} x {kind}] [{', '.join([f'{kind} {text}' for text in c])}]" for c in columns])
    table = ir.FormattedConstant(ir.ArrayType(ir.ArrayType(kind, len(columns[0])), CHOICES), f"[{body}]")
    place = ir.GlobalVariable(module, table.type, f"nbgrad_constants_{len(module.globals)}", GLOBAL_SPACE)
    place.align, place.linkage, place.global_constant, place.initializer = WORD_BYTES, "internal", True, table
    return place
