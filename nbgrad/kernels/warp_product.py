"""Matrix products by warps, with the words and the bits of ``nbgrad/kernels/product.py``.

A warp makes a tile of some rows and two vectors of columns: each lane holds a column of each vector. 32 steps of k at a
time, its part of A and B is brought to the warp's scratch, from where all lanes read the same numbers of A, several at
once, and neighbouring ones of B. This is what runs where no library multiplies matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import Variable, loop, quotient, remainder, smaller
from nbgrad.kernels.launch import WARP_COLUMNS, WARP_ROWS, panel_bytes, product_bytes
from nbgrad.kernels.library.product import TABLE_STEP
from nbgrad.kernels.product_matrices import Matrices
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I1, I8, I64, Vec, memory_type
from nbgrad.kernels.words import WarpWords
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.tape.kernel import LANES, KernelText
from nbgrad.tape.product_words import ADDS_FIRST, ADDS_LAST, PRODUCT_WORDS, TERM_WORDS

VECTORS: Final = WARP_COLUMNS // LANES
UNROLL: Final = 4  # steps of k done at once
UNDER_WAY: Final = 8  # loads of a lane before the first of them is used
WORD_BYTES: Final = 16  # the most that a lane reads at once


def emit_warp_product(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``emit_product``, but that an item is a tile of this file's size: see ``launch.warp_items``."""
    return _Product(WarpWords(module, text, target), text).emit()


class _Panel(NamedTuple):
    """A place in the scratch, and the bytes from one step of k to the next."""

    start: Any
    step: int


class _Named:
    """Words by their names, read where they are used: those that are waiting to be would fill registers."""

    def __init__(self, words: WarpWords, first: Any, names: Sequence[str]) -> None:
        self.words, self.first, self.names = words, first, names

    def __getitem__(self, name: str) -> Any:
        return self.words[self.words.ir.add(self.first, I64(self.names.index(name)))]


class _Product:
    def __init__(self, words: WarpWords, text: KernelText) -> None:
        self.words, self.b, self.ir = words, words.b, words.ir
        self.dtype = by_name(text.operands[0].dtype)
        self.size = self.dtype.itemsize
        self.word = _Named(words, I64(0), PRODUCT_WORDS)
        self.matrices = Matrices(words, text.rank)
        self.rows = WARP_ROWS[self.size]
        self.totals, self.left, self.right = self._scratch()
        kind = self.b.type_of(self.dtype)
        self.sums = [[Variable(self.ir, kind) for _ in range(VECTORS)] for _ in range(self.rows)]

    def _scratch(self) -> tuple[Any, _Panel, _Panel]:
        """Where the totals of finished runs lie, then steps of k of A and of B, one after the other."""
        left, right = panel_bytes(self.size)
        totals = self.rows * WARP_COLUMNS * self.size
        if self.words.target.is_thread:
            start = self.words.function.args[3]
        else:
            room = self.ir.alloca(ir.ArrayType(I8, product_bytes(self.size)), align=WORD_BYTES)
            start = self.ir.ptrtoint(room, I64)
        start_left = self.ir.add(start, I64(totals))
        return start, _Panel(start_left, left), _Panel(self.ir.add(start_left, I64(LANES * left)), right)

    def emit(self) -> Any:
        builder, word = self.ir, self.word
        tiles_m = self._tiles(word["m"], self.rows)
        tiles_n = self._tiles(word["n"], WARP_COLUMNS)
        with loop(builder, self.words.begin, self.words.end) as item:
            row = builder.mul(remainder(builder, item, tiles_m), I64(self.rows))
            rest = quotient(builder, item, tiles_m)
            column = builder.mul(remainder(builder, rest, tiles_n), I64(WARP_COLUMNS))
            self._tile(self.matrices.positions(quotient(builder, rest, tiles_n)), row, column)
        return self.words.finish()

    def _tiles(self, length: Any, tile: int) -> Any:
        return quotient(self.ir, self.ir.add(length, I64(tile - 1)), I64(tile))

    def _moved(self, address: Any, count: Any, step: Any) -> Any:
        return self.ir.add(address, self.ir.mul(count, step))

    def _tile(self, positions: list[Any], row: Any, column: Any) -> None:
        builder, word = self.ir, self.word
        rows = smaller(builder, I64(self.rows), builder.sub(word["m"], row))
        columns = [builder.add(column, I64(v * LANES)) for v in range(VECTORS)]
        masks = [memory.prefix_mask(self.b, builder.sub(word["n"], at)) for at in columns]
        has_x, has_y = (self._adds(bit) for bit in (ADDS_FIRST, ADDS_LAST))
        with builder.if_then(has_x), loop(builder, I64(0), rows) as i:
            for place, kept, mask in self._vectors_of("x", positions, row, i, columns, masks):
                self._keep(memory.load_consecutive(self.b, place, self.dtype, mask), kept)
        begins = Variable(builder, has_x.type, builder.not_(has_x))
        with loop(builder, I64(0), word["terms"]) as term:
            self._term(term, positions, row, rows, columns, begins)
        with builder.if_then(has_y), loop(builder, I64(0), rows) as i:
            for place, kept, mask in self._vectors_of("y", positions, row, i, columns, masks):
                last = memory.load_consecutive(self.b, place, self.dtype, mask)
                self._keep(self.b.add(last, self._held(kept)), kept)
        with loop(builder, I64(0), rows) as i:
            for place, kept, mask in self._vectors_of("c", positions, row, i, columns, masks):
                memory.store_consecutive(self.b, self._held(kept), place, mask)

    def _held(self, place: Any) -> Vec:
        """A vector of the scratch."""
        with self.b.in_scratch():
            return memory.load_consecutive(self.b, place, self.dtype)

    def _keep(self, x: Vec, place: Any) -> None:
        """Write a vector to the scratch."""
        with self.b.in_scratch():
            memory.store_consecutive(self.b, x, place)

    def _vectors_of(
        self, name: str, positions: list[Any], row: Any, i: Any, columns: list[Any], masks: list[Any]
    ) -> Iterator[tuple[Any, Any, Any]]:
        """(where it lies, where in the scratch, which lanes are there) for each vector of row ``i`` of x, y or c.

        The second may be wholly beyond the last column: it lies where the first does then, and no lane is there.
        """
        builder = self.ir
        start = self._moved(self.matrices.result(name, positions), builder.add(row, i), self.word[f"{name}_row"])
        for column, mask, kept in zip(columns, masks, self._kept(i), strict=True):
            is_there = builder.icmp_signed("<", column, self.word["n"])
            there = builder.select(is_there, column, columns[0])
            yield self._moved(start, there, I64(self.size)), kept, mask

    def _kept(self, i: Any) -> list[Any]:
        """Where the scratch keeps the vectors of row ``i`` of the tile."""
        start = self._moved(self.totals, i, I64(WARP_COLUMNS * self.size))
        return [self.ir.add(start, I64(v * LANES * self.size)) for v in range(VECTORS)]

    def _adds(self, bit: int) -> Any:
        return self.ir.icmp_signed("!=", self.ir.and_(self.word["adds"], I64(bit)), I64(0))

    def _term(self, term: Any, positions: list[Any], row: Any, rows: Any, columns: list[Any], begins: Variable) -> None:
        """Add one A @ B to the totals, run by run; where it ``begins`` they are not there yet."""
        builder, at = self.ir, self.matrices.term_at(term)
        steps = _Named(self.words, at, TERM_WORDS)
        a, b = self.matrices.factors(at, positions)
        a = self._moved(a, row, steps["a_row"])
        right = _Right(self, b, steps, columns)
        zero = self.b.const(0.0, self.dtype).value
        with loop(builder, I64(0), steps["k"], PRODUCT_RUN) as first:
            for sums in self.sums:
                for total in sums:
                    total.set(zero)
            stop = smaller(builder, builder.add(first, I64(PRODUCT_RUN)), steps["k"])
            with loop(builder, first, stop, LANES) as p:
                count = smaller(builder, I64(LANES), builder.sub(stop, p))
                self.b.settle()  # what was there has been read
                self._bring_left(a, steps, rows, p, count)
                right.bring(p, count)
                self.b.settle()
                self._steps(count)
            is_first = self.b.splat(begins.get(), bool_).value
            for i, sums in enumerate(self.sums):
                for part, place in zip(sums, self._kept(I64(i)), strict=True):
                    held = self._held(place).value
                    more = builder.select(is_first, part.get(), builder.fadd(held, part.get()))
                    self._keep(Vec(more, self.dtype), place)
            begins.set(I1(0))

    def _bring_left(self, a: Any, steps: _Named, rows: Any, first: Any, count: Any) -> None:
        """Row by row, a lane for each step of k; rows beyond the last are the last."""
        builder, a_k = self.ir, steps["a_k"]
        mask = memory.prefix_mask(self.b, count)
        start = self._moved(a, first, a_k)
        last = builder.sub(rows, I64(1))
        with loop(builder, I64(0), I64(self.rows), UNDER_WAY) as i:
            numbers = [builder.add(i, I64(u)) for u in range(UNDER_WAY)]
            places = [self._moved(start, smaller(builder, number, last), steps["a_row"]) for number in numbers]
            found = [memory.load_strided(self.b, place, a_k, self.dtype, mask) for place in places]
            with self.b.in_scratch():
                for number, x in zip(numbers, found, strict=True):
                    to = self._moved(self.left.start, number, I64(self.size))
                    memory.store_strided(self.b, x, to, I64(self.left.step))

    def _steps(self, count: Any) -> None:
        """Take in ``count`` steps of k, at most LANES."""
        builder = self.ir
        whole = builder.and_(count, I64(-UNROLL))
        for begin, end, unroll in ((I64(0), whole, UNROLL), (whole, count, 1)):
            with loop(builder, begin, end, unroll) as p:
                left, right = (
                    builder.add(panel.start, builder.mul(p, I64(panel.step))) for panel in (self.left, self.right)
                )
                for u in range(unroll):
                    ones = self._ones(builder.add(left, I64(u * self.left.step)))
                    self._add(ones, self._vectors(builder.add(right, I64(u * self.right.step))))

    def _ones(self, at: Any) -> list[Vec]:
        """The tile's numbers of A for one step, several a load."""
        builder, together = self.ir, WORD_BYTES // self.size
        kind = ir.VectorType(memory_type(self.dtype), together)
        with self.b.in_scratch():
            words = [
                self.b.load_first(builder.add(at, I64(i * self.size)), kind, WORD_BYTES)
                for i in range(0, self.rows, together)
            ]
        return [
            self.b.splat(builder.extract_element(word, I64(i)), self.dtype) for word in words for i in range(together)
        ]

    def _vectors(self, at: Any) -> list[Vec]:
        """The vectors of B for one step."""
        places = [self.ir.add(at, I64(v * LANES * self.size)) for v in range(VECTORS)]
        return [self._held(place) for place in places]

    def _add(self, ones: list[Vec], vectors: list[Vec]) -> None:
        """The products of one step."""
        for one, row in zip(ones, self.sums, strict=True):
            for vector, total in zip(vectors, row, strict=True):
                total.set(self.b.fma(one, vector, Vec(total.get(), self.dtype)).value)


class _Right:
    """The right factor of a term, and how the tile's columns of it are brought to the scratch."""

    def __init__(self, product: _Product, start: Any, steps: _Named, columns: list[Any]) -> None:
        self.product, self.b, self.ir, self.panel = product, product.b, product.ir, product.right
        self.start, self.steps, self.columns = start, steps, columns
        self.last = self.ir.sub(product.word["n"], I64(1))
        self.by_tables = self.ir.icmp_signed("!=", steps["b_rows"], I64(0))
        self.by_column = self.ir.icmp_signed("==", steps["b_k"], I64(product.size))
        self.offsets = self._offsets()

    def _offsets(self) -> list[Any]:
        """How far each lane's column of each vector lies from the start of a row; beyond the last: that of the last."""
        b, builder = self.b, self.ir
        found = [Variable(builder, b.type_of(int64)) for _ in self.columns]
        last = b.splat(self.last, int64).value
        for column, offset in zip(self.columns, found, strict=True):
            number = builder.add(b.splat(column, int64).value, b.numbers(I64))
            held = builder.select(builder.icmp_signed("<", number, last), number, last)
            offset.set(builder.mul(held, b.splat(self.steps["b_column"], int64).value))
            with builder.if_then(self.by_tables):
                places = builder.mul(held, b.constant(str(TABLE_STEP), I64))
                places = builder.add(b.splat(self.steps["b_columns"], int64).value, places)
                offset.set(memory.gather(b, places, int64, None, self.steps["b_columns"]).value)
        return [offset.get() for offset in found]

    def bring(self, first: Any, count: Any) -> None:
        """Bring ``count`` steps of k, from ``first`` on."""
        with self.ir.if_else(self.by_column) as (columns, rows):
            with columns:
                self._bring_columns(first, count)
            with rows:
                self._bring_rows(first, count)

    def _bring_columns(self, first: Any, count: Any) -> None:
        """Column by column: neighbouring lanes read neighbouring elements of one."""
        builder, dtype = self.ir, self.product.dtype
        mask = memory.prefix_mask(self.b, count)
        start = builder.add(self.start, builder.mul(first, I64(dtype.itemsize)))
        with loop(builder, I64(0), I64(WARP_COLUMNS), UNDER_WAY) as j:
            numbers = [builder.add(j, I64(u)) for u in range(UNDER_WAY)]
            held = [smaller(builder, builder.add(self.columns[0], number), self.last) for number in numbers]
            places = [builder.add(start, builder.mul(number, self.steps["b_column"])) for number in held]
            found = [memory.load_consecutive(self.b, at, dtype, mask) for at in places]
            with self.b.in_scratch():
                for number, x in zip(numbers, found, strict=True):
                    to = builder.add(self.panel.start, builder.mul(number, I64(dtype.itemsize)))
                    memory.store_strided(self.b, x, to, I64(self.panel.step))

    def _bring_rows(self, first: Any, count: Any) -> None:
        """Row by row: a lane for each column. Of four rows, those beyond the last are the last."""
        builder, b, dtype = self.ir, self.b, self.product.dtype
        together = UNDER_WAY // VECTORS
        with loop(builder, I64(0), count, together) as p:
            steps = [builder.add(p, I64(u)) for u in range(together)]
            rows = [self._row(builder.add(first, smaller(builder, step, builder.sub(count, I64(1))))) for step in steps]
            found = [
                memory.gather(b, builder.add(b.splat(row, int64).value, offset), dtype, None, row)
                for row in rows
                for offset in self.offsets
            ]
            with b.in_scratch():
                for k, x in enumerate(found):
                    step, v = steps[k // VECTORS], k % VECTORS
                    to = builder.add(self.panel.start, builder.mul(step, I64(self.panel.step)))
                    memory.store_consecutive(b, x, builder.add(to, I64(v * LANES * dtype.itemsize)))

    def _row(self, step: Any) -> Any:
        """Where the row of one step starts."""
        builder = self.ir
        place = Variable(builder, I64, builder.add(self.start, builder.mul(step, self.steps["b_k"])))
        with builder.if_then(self.by_tables):
            at = builder.add(self.steps["b_rows"], builder.mul(step, I64(TABLE_STEP)))
            place.set(builder.add(self.start, self.b.load_first(at, I64, I64.width // 8)))
        return place.get()
