"""Matrix products: blocks of the result in registers, panels of the right factor in cache.

An element's bits depend on its row, its column and the length of k alone: not on the vector width, on tiles, on how the
factors lie in memory, or on what is multiplied beside it. Source of the scheme: Goto and van de Geijn 2008, "Anatomy of
high-performance matrix multiplication".
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.flow import Variable, loop, smaller
from nbgrad.kernels.product_block import FEW, ROWS, VECTORS, ProductBlock
from nbgrad.kernels.product_panel import Panel
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.kernels.words import Words
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.tape.kernel import OK, KernelText

PRODUCT_WORDS: Final = (
    *("m", "n", "k", "tile_m", "tile_n"),
    *("a_row", "a_k", "b_k", "b_column", "x_row", "c_row", "adds"),
)
MATRICES: Final = 4  # a, b, x and c
FEW_ROWS: Final = 32  # so few rows of A do not pay for copying a panel of B
NEAR_BYTES: Final = 32768  # a panel is read where it lies if all of it keeps in the first cache there


def emit_product(module: ir.Module, text: KernelText, target: Target) -> Any:
    """C = A @ B or, where it ``adds``, X + A @ B, of matrices (m, k) and (k, n); an item is one tile of one of a batch.

    The elements of a row of C and X follow each other, those of a row or a column of B; A lies in any way. For each
    element runs of PRODUCT_RUN products are added up in order from 0, rounding once for each (where the machine has
    such an instruction), and the runs' sums are added in order, to X or to the first of them. Words: PRODUCT_WORDS
    (steps in bytes), batch sizes[rank], then for a, b, x, c: address, batch strides[rank] in bytes.
    """
    return _Product(module, text, target).emit()


class _Product:
    def __init__(self, module: ir.Module, text: KernelText, target: Target) -> None:
        self.dtype, self.rank = by_name(text.operands[0].dtype), text.rank
        self.rows = ROWS[target.level]
        sizes = [(rows, vectors) for rows in (self.rows, FEW) for vectors in range(1, VECTORS + 1)]
        self.blocks = {size: ProductBlock(module, self.dtype, target, *size).function for size in sizes}
        self.words = Words(module, text)
        self.ir = self.words.ir
        self.b = VectorBuilder(self.ir, target.lanes(self.dtype.itemsize), target, SharedFunctions(module))
        self.word = {name: self.words[i] for i, name in enumerate(PRODUCT_WORDS)}
        self.panel = Panel(self.b, self.dtype)

    def emit(self) -> Any:
        builder, word = self.ir, self.word
        tiles_m, tiles_n = self._tiles("m"), self._tiles("n")
        with loop(builder, self.words.begin, self.words.end) as item:
            tile = builder.urem(item, builder.mul(tiles_m, tiles_n))
            a, b, x, c = self._matrices(builder.udiv(item, builder.mul(tiles_m, tiles_n)))
            row = builder.mul(builder.udiv(tile, tiles_n), word["tile_m"])
            column = builder.mul(builder.urem(tile, tiles_n), word["tile_n"])
            rows = smaller(builder, word["tile_m"], builder.sub(word["m"], row))
            columns = smaller(builder, word["tile_n"], builder.sub(word["n"], column))
            a, b = self._moved(a, row, "a_row"), self._moved(b, column, "b_column")
            x, c = (self._along(self._moved(at, row, step), column) for at, step in ((x, "x_row"), (c, "c_row")))
            self._tile(a, b, x, c, rows, columns)
        builder.ret(I32(OK))
        return self.words.function

    def _tiles(self, name: str) -> Any:
        tile = self.word[f"tile_{name}"]
        return self.ir.udiv(self.ir.add(self.word[name], self.ir.sub(tile, I64(1))), tile)

    def _matrices(self, batch: Any) -> list[Any]:
        """Where the matrices of one batch index start."""
        builder, sizes, rank = self.ir, len(PRODUCT_WORDS), self.rank
        bases = [sizes + rank + k * (1 + rank) for k in range(MATRICES)]
        places = [self.words[base] for base in bases]
        for dim in reversed(range(rank)):
            position = builder.urem(batch, self.words[sizes + dim])
            batch = builder.udiv(batch, self.words[sizes + dim])
            for k, base in enumerate(bases):
                places[k] = builder.add(places[k], builder.mul(position, self.words[base + 1 + dim]))
        return places

    def _moved(self, address: Any, count: Any, step: str) -> Any:
        return self.ir.add(address, self.ir.mul(count, self.word[step]))

    def _along(self, address: Any, elements: Any) -> Any:
        return self.ir.add(address, self.ir.mul(elements, I64(self.dtype.itemsize)))

    def _tile(self, a: Any, b: Any, x: Any, c: Any, rows: Any, columns: Any) -> None:
        """Run by run, so that the tile's part of A keeps in cache while the panels of B pass by."""
        builder, word, width = self.ir, self.word, self.panel.columns
        k = word["k"]
        with loop(builder, I64(0), k, PRODUCT_RUN) as first, loop(builder, I64(0), columns, width) as column:
            run = smaller(builder, I64(PRODUCT_RUN), builder.sub(k, first))
            these = smaller(builder, I64(width), builder.sub(columns, column))
            start = self._moved(self._moved(b, first, "b_k"), column, "b_column")
            panel, apart = self._panel(start, run, rows, these)
            is_first = builder.icmp_signed("==", first, I64(0))
            before, step = builder.select(is_first, x, c), builder.select(is_first, word["x_row"], word["c_row"])
            adds = builder.or_(builder.not_(is_first), builder.icmp_signed("!=", word["adds"], I64(0)))
            factors = [self._moved(a, first, "a_k"), panel, apart]
            results = [self._along(before, column), step, self._along(c, column)]
            for vectors in range(1, VECTORS + 1):
                lanes = self.b.lanes
                low, high = I64((vectors - 1) * lanes), I64(vectors * lanes)
                fits = builder.and_(builder.icmp_signed(">", these, low), builder.icmp_signed("<=", these, high))
                with builder.if_then(fits):
                    self._blocks(vectors, factors, results, rows, [run, these, adds])

    def _panel(self, start: Any, run: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        """(address, bytes from row to row) of the rows of B from ``start``: where they lie, or in a copy."""
        builder, size = self.ir, self.dtype.itemsize
        is_flat = builder.icmp_signed("==", self.word["b_column"], I64(size))
        whole = builder.icmp_signed("==", builder.and_(columns, I64(self.b.lanes - 1)), I64(0))
        near = builder.icmp_signed("<=", builder.mul(run, self.word["b_k"]), I64(NEAR_BYTES))
        few = builder.icmp_signed("<=", rows, I64(FEW_ROWS))
        place = Variable(builder, I64, self.panel.address)
        apart = Variable(builder, I64, I64(self.panel.row_bytes))
        with builder.if_else(builder.and_(is_flat, builder.and_(whole, builder.or_(few, near)))) as (then, otherwise):
            with then:
                place.set(start)
                apart.set(self.word["b_k"])
            with otherwise, builder.if_else(is_flat) as (by_row, by_column):
                with by_row:
                    self.panel.copy_rows(start, self.word["b_k"], run, columns)
                with by_column:
                    self.panel.copy_columns(start, self.word["b_column"], run, columns)
        return place.get(), apart.get()

    def _blocks(self, vectors: int, factors: list[Any], results: list[Any], rows: Any, rest: list[Any]) -> None:
        """The blocks of one panel: tall ones, then those of the last few rows."""
        builder, word = self.ir, self.word
        (a, b, b_k), (x, x_row, c), (run, columns, adds) = factors, results, rest
        left = builder.urem(rows, I64(self.rows))
        tall = builder.select(builder.icmp_signed("<=", left, I64(FEW)), builder.sub(rows, left), rows)
        for size, begin, end in ((self.rows, I64(0), tall), (FEW, tall, rows)):
            with loop(builder, begin, end, size) as row:
                count = smaller(builder, I64(size), builder.sub(end, row))
                from_a, to_c = self._moved(a, row, "a_row"), self._moved(c, row, "c_row")
                before = builder.add(x, builder.mul(row, x_row))
                into = [before, x_row, to_c, word["c_row"]]
                args = [from_a, word["a_row"], word["a_k"], b, b_k, *into, run, count, columns, adds]
                builder.call(self.blocks[size, vectors], args)
