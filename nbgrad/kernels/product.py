"""Matrix products: blocks of the result in registers, panels of the right factor in cache.

An element's bits depend on its row, its column and the length of k alone: not on the vector width, on tiles, on how the
factors lie in memory, or on what is multiplied beside it. Source of the scheme: Goto and van de Geijn 2008, "Anatomy of
high-performance matrix multiplication".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import Variable, loop, smaller
from nbgrad.kernels.product_block import ROWS, VECTORS, product_block
from nbgrad.kernels.product_flip import Flip
from nbgrad.kernels.product_left import Left
from nbgrad.kernels.product_matrices import Matrices
from nbgrad.kernels.product_panel import TABLE_STEP, Panel
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.kernels.words import Words
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.tape.kernel import OK, KernelText
from nbgrad.tape.product_words import ADDS_FIRST, ADDS_LAST, MATRICES, PRODUCT_WORDS, TERM_WORDS

FEW_ROWS: Final = 32  # so few rows of A do not pay for copying a panel of B
ENOUGH_ROWS: Final = 8  # sums at once that keep a processor busy: each waits four cycles for the one before, two run
# In runs of up to so many steps of k the first rows of a panel, not asked for before, count: the weight gradients of an
# LSTM, terms of 32 steps, took 8.5 to 9.2 ms instead of 8.0. In runs of 256 the next panel pushes out this one: a
# product of 256 x 1024 x 1024 took 2 % more.
SHORT_RUN: Final = 64
NEAR_BYTES: Final = 32768  # a panel is read where it lies if all of it keeps in the first cache there


def emit_product(module: ir.Module, text: KernelText, target: Target) -> Any:
    """C = X + the sum of the terms A @ B + Y, of matrices (m, k) and (k, n); an item is one tile of one of a batch.

    ``adds`` says whether X and Y are there. The elements of a row of C, X and Y follow each other, those of a row or a
    column of B; A lies in any way. For each element and term runs of PRODUCT_RUN products are added up in order from 0,
    rounding once for each (where the machine has such an instruction), and the runs' sums are added in order, to X or
    to the first of them; then Y. Words: PRODUCT_WORDS (steps in bytes), batch sizes[rank], for x, y, c: address, batch
    strides[rank] in bytes; then for each term: TERM_WORDS, for a, b: address, batch strides[rank]. Where b_rows is not
    0, element (p, j) of B lies the number p of the table at b_rows (int64, in bytes) and the number j of that at
    b_columns from where B starts; b_k and b_column are 0.

    A draft has fewer blocks, and its code around them is not optimised: it is made in a third of the time. It knows no
    tables, and flips nothing (``Flip``).
    """
    return _Product(module, text, target).emit()


class _Left(NamedTuple):
    """Rows of A: their address, and bytes from row to row of a block, from one k to the next, from block to block."""

    start: Any
    row: Any
    k: Any
    block: Any


class _Right(NamedTuple):
    """A panel of B: its address, bytes from row to row, and how many rows and columns it has. In B itself: where the
    next panel lies (None in a draft), and bytes from row to row."""

    start: Any
    k: Any
    run: Any
    columns: Any
    upcoming: Any
    b_k: Any


class _Product:
    def __init__(self, module: ir.Module, text: KernelText, target: Target) -> None:
        self.dtype = by_name(text.operands[0].dtype)
        self.rows = ROWS[target.level]
        self.heights = (self.rows // 2,) if text.is_draft else (self.rows, self.rows // 2)
        self.blocks = {
            (rows, vectors): product_block(module, self.dtype, target, rows, vectors)
            for rows in self.heights
            for vectors in range(1, VECTORS + 1)
        }
        self.words = Words(module, text, target)
        self.ir = self.words.ir
        self.b = VectorBuilder(self.ir, target.lanes(self.dtype.itemsize), target, SharedFunctions(module))
        self.word = {name: self.words[i] for i, name in enumerate(PRODUCT_WORDS)}
        self.matrices = Matrices(self.words, text.rank)
        self.panel = Panel(self.b, self.dtype, plain=text.is_draft)
        self.flip = None if text.is_draft else Flip(self.b, self.dtype)
        self.left = None if text.is_draft else Left(self.b, self.dtype, self.rows)
        if text.is_draft:
            self.words.function.attributes.add("noinline")
            self.words.function.attributes.add("optnone")

    def emit(self) -> Any:
        builder, word = self.ir, self.word
        tiles_m, tiles_n = self._tiles("m"), self._tiles("n")
        with loop(builder, self.words.begin, self.words.end) as item:
            tile = builder.urem(item, builder.mul(tiles_m, tiles_n))
            positions = self.matrices.positions(builder.udiv(item, builder.mul(tiles_m, tiles_n)))
            row = builder.mul(builder.udiv(tile, tiles_n), word["tile_m"])
            column = builder.mul(builder.urem(tile, tiles_n), word["tile_n"])
            rows = smaller(builder, word["tile_m"], builder.sub(word["m"], row))
            columns = smaller(builder, word["tile_n"], builder.sub(word["n"], column))
            results = []
            for name in MATRICES:
                start, step = self.matrices.result(name, positions), word[f"{name}_row"]
                results.append((self._along(self._moved(start, row, step), column), step))
            self._tile(positions, (row, column), (rows, columns), results)
        builder.ret(I32(OK))
        return self.words.function

    def _tile(
        self, positions: list[Any], corner: tuple[Any, Any], size: tuple[Any, Any], results: list[tuple[Any, Any]]
    ) -> None:
        """The tile at ``corner`` of a ``size``, in rows and columns; ``results``: x, y and c from there on."""
        builder, has_y = self.ir, self._adds(ADDS_LAST)
        if self.flip is None:
            self._terms(None, positions, corner, size, results, has_y)
            return
        flips = self.flip.pays(self.word, self._steps(self.matrices.term_at(I64(0))), self._adds(ADDS_FIRST), *size)
        x, y, c = results
        kept = builder.select(flips, self.flip.room[0], c[0]), builder.select(flips, self.flip.room[1], c[1])
        has_y_now = builder.and_(has_y, builder.not_(flips))
        self._terms(flips, positions, corner, size, [x, y, kept], has_y_now)
        with builder.if_then(flips):
            self.flip.turn_back(*size, (*y, has_y), c)

    def _steps(self, at: Any) -> dict[str, Any]:
        return {name: self.words[self.ir.add(at, I64(i))] for i, name in enumerate(TERM_WORDS)}

    def _terms(
        self,
        flips: Any,
        positions: list[Any],
        corner: tuple[Any, Any],
        size: tuple[Any, Any],
        results: list[tuple[Any, Any]],
        has_y: Any,
    ) -> None:
        """All terms of a tile, flipped where it ``flips``."""
        builder = self.ir
        (row, column), (rows, columns) = corner, size
        with loop(builder, I64(0), self.word["terms"]) as term:
            steps, a, b = self._factors(term, positions, row, column)
            steps["b_columns"] = builder.add(steps["b_columns"], builder.mul(column, I64(TABLE_STEP)))
            if self.flip is not None:
                steps = self.flip.steps(flips, steps)
                a, b = builder.select(flips, b, a), builder.select(flips, a, b)
                rows, columns = builder.select(flips, columns, rows), builder.select(flips, rows, columns)
            upcoming = self._upcoming(flips, term, positions, row, column)
            self._term(term, steps, (a, b, upcoming), results, has_y, rows, columns)

    def _factors(self, term: Any, positions: list[Any], row: Any, column: Any) -> tuple[dict[str, Any], Any, Any]:
        """Steps of a term, and where the rows of A and the columns of B begin that a tile reads."""
        at = self.matrices.term_at(term)
        steps = self._steps(at)
        a, b = self.matrices.factors(at, positions)
        return steps, self._moved(a, row, steps["a_row"]), self._moved(b, column, steps["b_column"])

    def _upcoming(self, flips: Any, term: Any, positions: list[Any], row: Any, column: Any) -> Any:
        """Where the right factor of the next term begins, of the last once more that of the last; None in a draft."""
        if self.flip is None:
            return None
        builder = self.ir
        last = builder.sub(self.word["terms"], I64(1))
        _, a, b = self._factors(smaller(builder, builder.add(term, I64(1)), last), positions, row, column)
        return builder.select(flips, a, b)

    def _tiles(self, name: str) -> Any:
        tile = self.word[f"tile_{name}"]
        return self.ir.udiv(self.ir.add(self.word[name], self.ir.sub(tile, I64(1))), tile)

    def _moved(self, address: Any, count: Any, step: Any) -> Any:
        return self.ir.add(address, self.ir.mul(count, step))

    def _along(self, address: Any, elements: Any) -> Any:
        return self.ir.add(address, self.ir.mul(elements, I64(self.dtype.itemsize)))

    def _term(
        self,
        term: Any,
        steps: dict[str, Any],
        factors: tuple[Any, Any, Any],
        results: list[tuple[Any, Any]],
        has_y: Any,
        rows: Any,
        columns: Any,
    ) -> None:
        """One term of a tile, run by run, so that the tile's part of A keeps in cache while the panels of B pass by.

        ``factors``: A and B, and B of the next term.
        """
        builder, word = self.ir, self.word
        (a, b, upcoming), ((x, x_row), (y, y_row), (c, c_row)) = factors, results
        is_last_term = builder.icmp_signed("==", builder.add(term, I64(1)), word["terms"])
        has_x = self._adds(ADDS_FIRST)
        threes, panels = self._panels(columns)
        with loop(builder, I64(0), steps["k"], PRODUCT_RUN) as first:
            left = builder.sub(steps["k"], first)
            run = smaller(builder, I64(PRODUCT_RUN), left)
            is_first = builder.icmp_signed("==", builder.or_(first, term), I64(0))
            is_last = builder.and_(is_last_term, builder.icmp_signed("==", run, left))
            before, step = builder.select(is_first, x, c), builder.select(is_first, x_row, c_row)
            begins, ends = builder.or_(builder.not_(is_first), has_x), builder.and_(is_last, has_y)
            after_run: Any = None
            if upcoming is not None:
                ends_term = builder.icmp_signed("==", run, left)
                after_run = builder.select(ends_term, upcoming, self._moved(b, builder.add(first, run), steps["b_k"]))
            blocks = self._left(self._moved(a, first, steps["a_k"]), steps, run, rows, panels)
            with loop(builder, I64(0), panels) as number:
                column, width = self._panel_at(number, threes)
                these = smaller(builder, width, builder.sub(columns, column))
                start = self._moved(self._moved(b, first, steps["b_k"]), column, steps["b_column"])
                following: Any = None
                if upcoming is not None:
                    ends_run = builder.icmp_signed("==", builder.add(number, I64(1)), panels)
                    following = builder.select(ends_run, after_run, self._moved(start, width, steps["b_column"]))
                tables = [
                    builder.add(steps[table], builder.mul(at, I64(TABLE_STEP)))
                    for table, at in (("b_rows", first), ("b_columns", column))
                ]
                panel, apart = self._panel(start, steps, tables, run, rows, these)
                into = [(before, step), (y, y_row), (c, c_row)]
                places = [(self._along(place, column), step) for place, step in into]
                for vectors in range(1, VECTORS + 1):
                    lanes = self.b.lanes
                    low, high = I64((vectors - 1) * lanes), I64(vectors * lanes)
                    fits = builder.and_(builder.icmp_signed(">", these, low), builder.icmp_signed("<=", these, high))
                    with builder.if_then(fits):
                        right = _Right(panel, apart, run, these, following, steps["b_k"])
                        self._blocks(vectors, blocks, right, places, rows, [begins, ends])

    def _left(self, start: Any, steps: dict[str, Any], run: Any, rows: Any, panels: Any) -> _Left:
        """The rows of A from ``start``: where they lie, or in a copy."""
        builder = self.ir
        beside = builder.mul(steps["a_row"], I64(self.rows))
        if self.left is None:
            return _Left(start, steps["a_row"], steps["a_k"], beside)
        copied = self.left.pays(steps, rows, panels)
        with builder.if_then(copied):
            self.left.copy(start, steps["a_k"], run, rows)
        return _Left(
            builder.select(copied, self.left.address, start),
            steps["a_row"],
            builder.select(copied, I64(self.left.row_bytes), steps["a_k"]),
            builder.select(copied, I64(self.left.apart), beside),
        )

    def _panels(self, columns: Any) -> tuple[Any, Any]:
        """How many panels of VECTORS vectors there are, and how many in all.

        Four vectors are two panels of two, as one of one takes half as long as one of three. Where a block has few
        rows, it takes as long as one of two, as sums wait for themselves: there no vector is left alone.
        """
        builder = self.ir
        vectors = builder.udiv(builder.add(columns, I64(self.b.lanes - 1)), I64(self.b.lanes))
        threes = builder.udiv(builder.add(vectors, I64(VECTORS - 1)), I64(VECTORS))
        splits = builder.icmp_signed("==", vectors, I64(VECTORS + 1))
        if self.rows < ENOUGH_ROWS:
            leaves_one = builder.icmp_signed("==", builder.urem(vectors, I64(VECTORS)), I64(1))
            splits = builder.and_(leaves_one, builder.icmp_signed(">", vectors, I64(1)))
        return builder.select(splits, builder.sub(threes, I64(2)), threes), threes

    def _panel_at(self, number: Any, threes: Any) -> tuple[Any, Any]:
        """The first column of a panel, and how many it has room for."""
        builder, narrow = self.ir, I64(2 * self.b.lanes)
        is_wide = builder.icmp_signed("<", number, threes)
        before = smaller(builder, number, threes)
        wide = builder.mul(before, I64(self.panel.columns))
        column = builder.add(wide, builder.mul(builder.sub(number, before), narrow))
        return column, builder.select(is_wide, I64(self.panel.columns), narrow)

    def _adds(self, bit: int) -> Any:
        return self.ir.icmp_signed("!=", self.ir.and_(self.word["adds"], I64(bit)), I64(0))

    def _panel(
        self, start: Any, steps: dict[str, Any], tables: list[Any], run: Any, rows: Any, columns: Any
    ) -> tuple[Any, Any]:
        """(address, bytes from row to row) of the rows of B from ``start``: where they lie, or in a copy."""
        builder, size = self.ir, self.dtype.itemsize
        is_flat = builder.icmp_signed("==", steps["b_column"], I64(size))
        whole = builder.icmp_signed("==", builder.and_(columns, I64(self.b.lanes - 1)), I64(0))
        near = builder.icmp_signed("<=", builder.mul(run, steps["b_k"]), I64(NEAR_BYTES))
        few = builder.icmp_signed("<=", rows, I64(FEW_ROWS))
        place = Variable(builder, I64, self.panel.address)
        apart = Variable(builder, I64, I64(self.panel.row_bytes))
        with builder.if_else(builder.and_(is_flat, builder.and_(whole, builder.or_(few, near)))) as (then, otherwise):
            with then:
                place.set(start)
                apart.set(steps["b_k"])
            with otherwise, builder.if_else(is_flat) as (by_row, by_column):
                with by_row:
                    self.panel.copy_rows(start, steps["b_k"], run, columns)
                with by_column:
                    self._turned(start, steps, tables, run, columns)
        return place.get(), apart.get()

    def _turned(self, start: Any, steps: dict[str, Any], tables: list[Any], run: Any, columns: Any) -> None:
        """Fill the panel where not the elements of a row follow each other, but those of a column, or none."""
        if self.panel.plain:
            self.panel.copy_columns(start, steps["b_column"], run, columns)
            return
        with self.ir.if_else(self.ir.icmp_signed("!=", steps["b_rows"], I64(0))) as (by_tables, by_column):
            with by_tables:
                self.panel.collect(start, tables, run, columns)
            with by_column:
                self.panel.copy_columns(start, steps["b_column"], run, columns)

    def _blocks(
        self,
        vectors: int,
        left: _Left,
        right: _Right,
        results: list[tuple[Any, Any]],
        rows: Any,
        adds: list[Any],
    ) -> None:
        """The blocks of one panel: whole ones, then those of the last rows. In a short run each asks for a row of the
        next panel, whose first rows would be waited for.
        """
        builder = self.ir
        whole = builder.sub(rows, builder.urem(rows, I64(self.rows)))
        stretches = ((I64(0), whole), (whole, rows)) if len(self.heights) > 1 else ((I64(0), rows),)
        for size, (begin, end) in zip(self.heights, stretches, strict=True):
            with loop(builder, begin, end, size) as row:
                count = smaller(builder, I64(size), builder.sub(end, row))
                into = [word for place, step in results for word in (self._moved(place, row, step), step)]
                number = builder.udiv(row, I64(self.rows))
                block = self._moved(left.start, number, left.block)
                if right.upcoming is not None:
                    with builder.if_then(builder.icmp_signed("<=", right.run, I64(SHORT_RUN))):
                        self.panel.ask_for(self._moved(right.upcoming, number, right.b_k))
                a = self._moved(block, builder.urem(row, I64(self.rows)), left.row)
                args = [a, left.row, left.k, right.start, right.k, *into, right.run, count, right.columns, *adds]
                builder.call(self.blocks[size, vectors], args)
