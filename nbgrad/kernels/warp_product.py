"""Matrix products by warps, with the words and the bits of ``nbgrad/kernels/library/product.py``.

A warp makes a tile of some rows, of which each lane has a column: in each step of k all lanes read the same numbers of
A, and neighbouring ones of B. This is what runs where no library multiplies matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop, quotient, remainder, smaller
from nbgrad.kernels.launch import WARP_ROWS
from nbgrad.kernels.library.product import TABLE_STEP
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I1, I64, Vec
from nbgrad.kernels.words import WarpWords
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.tape.kernel import LANES, KernelText
from nbgrad.tape.product_words import (
    ADDS_FIRST,
    ADDS_LAST,
    MATRICES,
    PRODUCT_WORDS,
    TERM_WORDS,
    first_matrix,
    first_term,
    term_words,
)


def emit_warp_product(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_product``, but that an item is a tile of this file's size: see ``launch.warp_items``."""
    words = WarpWords(module, text, target)
    product, builder = _Product(words, text), words.ir
    down, across = product.tiles()
    with loop(builder, words.begin, words.end) as item:
        band, rest = remainder(builder, item, down), quotient(builder, item, down)
        row = builder.mul(band, I64(WARP_ROWS))
        column = builder.mul(remainder(builder, rest, across), I64(LANES))
        product.tile(quotient(builder, rest, across), row, column)
    return words.finish()


class _Product:
    """Words are read where they are used: those that are waiting to be would fill registers."""

    def __init__(self, words: WarpWords, text: KernelText) -> None:
        self.words, self.b, self.ir, self.rank = words, words.b, words.ir, text.rank
        self.dtype = by_name(text.operands[0].dtype)
        kind = self.b.type_of(self.dtype)
        self.totals, self.sums = ([Variable(self.ir, kind) for _ in range(WARP_ROWS)] for _ in range(2))

    def word(self, name: str) -> Any:
        return self.words[PRODUCT_WORDS.index(name)]

    def tiles(self) -> tuple[Any, Any]:
        """How many there are down and across."""
        tall, wide = (self.ir.add(self.word(name), I64(n - 1)) for name, n in (("m", WARP_ROWS), ("n", LANES)))
        return quotient(self.ir, tall, I64(WARP_ROWS)), quotient(self.ir, wide, I64(LANES))

    def _positions(self, batch: Any) -> list[Any]:
        """The index along each batch dim of product number ``batch``."""
        found = []
        for dim in reversed(range(self.rank)):
            size = self.words[len(PRODUCT_WORDS) + dim]
            found.append(remainder(self.ir, batch, size))
            batch = quotient(self.ir, batch, size)
        return found[::-1]

    def _start(self, at: Any, positions: Sequence[Any]) -> Any:
        """Of the matrix whose address is word ``at``, its batch strides the words after that."""
        place = self.words[at]
        for dim, position in enumerate(positions):
            place = self._moved(place, position, self.words[self.ir.add(at, I64(1 + dim))])
        return place

    def _moved(self, place: Any, count: Any, step: Any) -> Any:
        return self.ir.add(place, self.ir.mul(count, step))

    def tile(self, batch: Any, row: Any, column: Any) -> None:
        """The tile at (row, column). Rows and columns beyond the last ones are the last: they are not written."""
        builder, b, positions = self.ir, self.b, self._positions(batch)
        rows = [builder.add(row, I64(i)) for i in range(WARP_ROWS)]
        last = builder.sub(self.word("m"), I64(1))
        held = [smaller(builder, r, last) for r in rows]
        mask = memory.prefix_mask(b, builder.sub(self.word("n"), column))
        has_x, has_y = (
            builder.icmp_signed("!=", builder.and_(self.word("adds"), I64(bit)), I64(0))
            for bit in (ADDS_FIRST, ADDS_LAST)
        )

        def places(name: str) -> list[Any]:
            first = I64(first_matrix(self.rank) + MATRICES.index(name) * (1 + self.rank))
            start = self._moved(self._start(first, positions), column, I64(self.dtype.itemsize))
            return [self._moved(start, r, self.word(f"{name}_row")) for r in held]

        with builder.if_then(has_x):
            for total, place in zip(self.totals, places("x"), strict=True):
                total.set(memory.load_consecutive(b, place, self.dtype, mask).value)
        begins = Variable(builder, I1, builder.not_(has_x))
        with loop(builder, I64(0), self.word("terms")) as term:
            at = builder.add(I64(first_term(self.rank)), builder.mul(term, I64(term_words(self.rank))))
            self._term(at, positions, held, column, begins)
        with builder.if_then(has_y):
            for total, place in zip(self.totals, places("y"), strict=True):
                total.set(builder.fadd(memory.load_consecutive(b, place, self.dtype, mask).value, total.get()))
        for total, r, place in zip(self.totals, rows, places("c"), strict=True):
            with builder.if_then(builder.icmp_signed("<=", r, last)):
                memory.store_consecutive(b, Vec(total.get(), self.dtype), place, mask)

    def _term(self, at: Any, positions: list[Any], rows: list[Any], column: Any, begins: Variable) -> None:
        """Add the A @ B whose words begin ``at`` to the totals, run by run; where it ``begins`` there are none yet."""
        builder, b = self.ir, self.b
        step = {name: self.words[builder.add(at, I64(i))] for i, name in enumerate(TERM_WORDS)}
        first_a = builder.add(at, I64(len(TERM_WORDS)))
        left, right = self._start(first_a, positions), self._start(builder.add(first_a, I64(1 + self.rank)), positions)
        lefts = [self._moved(left, r, step["a_row"]) for r in rows]
        by_tables = builder.icmp_signed("!=", step["b_rows"], I64(0))
        offsets = self._offsets(column, step, by_tables)
        with loop(builder, I64(0), step["k"], PRODUCT_RUN) as first:
            for part in self.sums:
                part.set(b.const(0.0, self.dtype).value)
            stop = smaller(builder, builder.add(first, I64(PRODUCT_RUN)), step["k"])
            with loop(builder, first, stop) as p:
                line = Variable(builder, I64, self._moved(right, p, step["b_k"]))
                with builder.if_then(by_tables):
                    line.set(builder.add(right, self._in_table(step["b_rows"], p)))
                start = b.splat(line.get(), int64).value
                found = memory.gather(b, builder.add(start, offsets), self.dtype, None, line.get())
                for place, part in zip(lefts, self.sums, strict=True):
                    one = memory.load_splat(b, self._moved(place, p, step["a_k"]), self.dtype)
                    part.set(b.fma(one, found, Vec(part.get(), self.dtype)).value)
            is_first = b.splat(begins.get(), bool_).value
            for total, part in zip(self.totals, self.sums, strict=True):
                total.set(builder.select(is_first, part.get(), builder.fadd(total.get(), part.get())))
            begins.set(I1(0))

    def _offsets(self, column: Any, step: dict[str, Any], by_tables: Any) -> Any:
        """How far each lane's column of B lies from the start of a row."""
        b, builder = self.b, self.ir
        last = b.splat(builder.sub(self.word("n"), I64(1)), int64).value
        number = builder.add(b.splat(column, int64).value, b.numbers(I64))
        held = builder.select(builder.icmp_signed("<", number, last), number, last)
        offsets = Variable(builder, last.type, builder.mul(held, b.splat(step["b_column"], int64).value))
        with builder.if_then(by_tables):
            places = builder.mul(held, b.constant(str(TABLE_STEP), I64))
            places = builder.add(b.splat(step["b_columns"], int64).value, places)
            offsets.set(memory.gather(b, places, int64, None, step["b_columns"]).value)
        return offsets.get()

    def _in_table(self, table: Any, number: Any) -> Any:
        return self.b.load_first(self._moved(table, number, I64(TABLE_STEP)), I64, TABLE_STEP)
