"""The form "row": reduced dims hold the vector dim; an item is one block of one output element.

Element (a, b) belongs to lane b % LANES, so LANES running values are kept, in as many vectors as the machine needs for
them. Every ROW_RUN columns they are put aside, so that runs depend on each other as little as rows do; lanes meet in a
binary tree at the end of the block. See nbgrad/tape/kernel.py for the order in full. The finish is computed for one
output at a time, in all lanes alike; its values are there for the stages that follow.
"""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.blocks import ROW_RUN
from nbgrad.kernels import ir, memory
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.across import Across
from nbgrad.kernels.body import Body, Values
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import Variable, in_pieces, loop, quotient, remainder, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame, cost_of
from nbgrad.kernels.target import Target
from nbgrad.kernels.under_way import LEAST, ROW_BYTES, elements_together
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import LANES, STRIDE_ONE, KernelText
from nbgrad.tape.work import COSTLY


def emit_row(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A row kernel; kept rank 0 is a full reduction."""
    return RowKernel(Frame(module, text, target, text.dims - 1)).emit()


# The weight up to which a stage has a main loop: more than elsewhere, as each vector waits for chains of elementary
# functions. Prices of options and their derivatives (75 statements of float64, four vectors side by side) take 9.7 ns
# an option in cache, and 11.9 one by one; they take a fifth longer to compile.
MAIN_LOOP: Final = 800.0
FEW_ROUNDS: Final = 2  # of what a long turn leaves: otherwise a warp would wait for up to fifteen loads one by one


class RowKernel:
    """Items one by one; the elements of an item, or of each of its rows, once for each stage."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        self.kept = range(text.rank)
        self.outer = range(text.rank, text.dims - 1)  # the dims A
        self.across = [r for _, stage in text.stages for r in stage.reductions if r.across]
        self.beside = dict.fromkeys(text.kept_operands)
        apart = {*self.beside, *[total for r in self.across for total in r.outs[1:]]}
        self.elements = [k for k, o in enumerate(text.operands) if o.role != "table" and k not in apart]
        self.known: Values = {}
        self.odometer = Odometer(self.cursor, self.outer, self.elements) if self.outer else None
        self.running = Across(frame, self.across, self.outer)
        self.stages = [RowStage(self, number) for number in range(len(text.stages))]
        if text.then and text.rank and not self.outer:
            heavy = max(self.stages, key=lambda stage: stage.cost)
            heavy.ahead = self._next_rows() if heavy.cost >= COSTLY else []

    def _next_rows(self) -> list[int]:
        """The operands whose next row a stage of long computations has brought into cache meanwhile.

        A norm, a GELU, a softmax and their derivatives over 4096 x 1024 take 9.7 ms so, and 11.2 otherwise.
        """
        operands = self.frame.text.operands
        return [k for k in self.elements if operands[k].role in ("in", "out") and operands[k].stride == STRIDE_ONE]

    def emit(self) -> Any:
        with loop(self.ir, self.frame.begin, self.frame.end) as item:
            if self.across:
                self.running.item(item, self.row)
            else:
                self._block(item)
        return self.frame.finish()

    def _block(self, item: Any) -> None:
        """One block of an output: all of it, where the item is found without a division, or a part."""
        builder, outer = self.ir, self.cursor.product(self.outer)
        inner = self.cursor.size(self.cursor.dims - 1)
        values = (item, I64(0), I64(0), outer, I64(0), inner)
        number, block, first_row, last_row, start, stop = places = [Variable(builder, I64, x) for x in values]
        rows, columns, segments, blocks = (self.cursor.extra(i) for i in range(4))
        with builder.if_then(builder.icmp_signed(">", blocks, I64(1)), is_rare=True):
            number.set(quotient(builder, item, blocks))
            block.set(remainder(builder, item, blocks))
            first_row.set(builder.mul(quotient(builder, block.get(), segments), rows))
            last_row.set(smaller(builder, builder.add(first_row.get(), rows), outer))
            start.set(builder.mul(remainder(builder, block.get(), segments), columns))
            stop.set(smaller(builder, builder.add(start.get(), columns), inner))
        here, part, *ends = [place.get() for place in places]
        self._output(here, part, (ends[0], ends[1]), (ends[2], ends[3]))

    def row(self, number: Any) -> None:
        """The whole of an output."""
        rows, columns = self.cursor.product(self.outer), self.cursor.size(self.cursor.dims - 1)
        self._output(number, I64(0), (I64(0), rows), (I64(0), columns))

    def _output(self, number: Any, block: Any, rows: tuple[Any, Any], columns: tuple[Any, Any]) -> None:
        """Go over some rows of A and columns of B of output ``number``, once for each stage."""
        self.cursor.start_item(self.kept, number, [*self.elements, *self.beside])
        for stage in self.stages:
            stage.reset()
            with self.ir.if_then(self.ir.icmp_signed("<", *columns)):
                self._rows(stage, rows, columns)
            stage.write(block)

    def _rows(self, stage: RowStage, rows: tuple[Any, Any], columns: tuple[Any, Any]) -> None:
        """Take in columns [start, stop), at least one, of some rows."""
        if self.odometer is None:
            stage.columns(*columns)
            return
        self.odometer.seek(rows[0])
        with loop(self.ir, *rows):
            stage.columns(*columns)
            self.odometer.step()


def _rounds(text: KernelText, number: int) -> tuple[int, ...]:
    """How many rounds of LANES elements a warp takes in together: as many as should be under way, then what is left."""
    most = elements_together(text, number, ROW_BYTES)
    return (most, FEW_ROUNDS, 1) if most > LEAST else (most, 1)


class RowStage:
    """One way over the elements of an item, and what is made of its sums."""

    def __init__(self, kernel: RowKernel, number: int) -> None:
        frame = kernel.frame
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        self.known = kernel.known
        self.body = frame.body if number == 0 else Body(frame.text, frame.b, frame.cursor, number, kernel.known)
        self.body.known = kernel.known
        self.vectors = LANES // frame.lanes
        reductions = self.body.stage.reductions
        self.folds = [Fold(frame.b, frame.text, r) for r in reductions if not r.across]
        self.across = [(Fold(frame.b, frame.text, r), r.outs[0]) for r in reductions if r.across]
        self.sums = Accumulators(self.folds, self.vectors)
        self.runs = Accumulators(self.folds, self.vectors)  # what was put aside
        self.light = frame.is_light(self.vectors, number, MAIN_LOOP)
        self.rounds = _rounds(frame.text, number) if frame.target.is_warp else (1,)
        self.cost = max([cost_of(stmt) for stmt in self.body.stage.stmts], default=0.0)
        self.ahead: list[int] = []  # operands whose next row is fetched

    def reset(self) -> None:
        """Begin an output."""
        self.sums.reset()
        if self.folds:
            with self.ir.if_then(self._has_runs()):
                self.runs.reset()

    def _has_runs(self) -> Any:
        """Whether there may be more than one in a row of a block."""
        return self.ir.icmp_signed(">", self.cursor.size(self.cursor.dims - 1), I64(ROW_RUN))

    def columns(self, start: Any, stop: Any) -> None:
        """Take in columns [start, stop) of one row, at least one."""
        self.body.hoist()
        if self.folds:
            in_pieces(self.ir, start, stop, ROW_RUN, self.run, self._put_aside)
        else:
            self.run(start, stop)

    def add_runs(self) -> None:
        """Make the sums those of all runs."""
        if self.folds:
            with self.ir.if_then(self._has_runs(), is_rare=True):
                self.runs.merge(self.sums)
                self.sums.copy(self.runs)

    def _put_aside(self) -> None:
        """End a run that another one follows."""
        self.runs.merge(self.sums)
        self.sums.reset()

    def run(self, start: Any, stop: Any) -> None:
        """Take in one run, or columns of which nothing is added up."""
        if self.light:
            for rounds in self.rounds:
                start = self._whole_rounds(start, stop, rounds)
            with self.ir.if_then(self.ir.icmp_signed("<", start, stop)):
                rest = Accumulators(self.folds, self.vectors)
                rest.reset()
                self._vector_by_vector(rest, start, stop)
                self.sums.merge(rest)
        else:
            self._vector_by_vector(self.sums, start, stop)

    def _whole_rounds(self, start: Any, stop: Any, rounds: int) -> Any:
        """``rounds`` times LANES elements a turn, unmasked; gives the first element that is left."""
        body, lanes, step = self.body, self.frame.lanes, rounds * LANES
        main_stop = self.frame.whole(start, stop, step)
        with loop(self.ir, start, main_stop, step) as j:
            places = [self.ir.add(j, I64(vector * lanes)) for vector in range(rounds * self.vectors)]
            for vector, values in enumerate(body.run(places)):
                self._keep(values, places[vector])
                self.sums.take_in(values, vector % self.vectors)
        return main_stop

    def _vector_by_vector(self, into: Accumulators, start: Any, stop: Any) -> None:
        """One masked vector a turn; its place in the round is computed."""
        body, lanes = self.body, self.frame.lanes
        with loop(self.ir, start, stop, lanes) as j:
            mask = memory.prefix_mask(self.frame.b, self.ir.sub(stop, j))
            values = body.run([j], mask)[0]
            slot = self.ir.and_(quotient(self.ir, j, I64(lanes)), I64(self.vectors - 1)) if self.vectors > 1 else 0
            # First: what a lane that is not there is replaced by LLVM reads again, and the store may be to that memory.
            into.take_in(values, slot, mask)
            self._keep(values, j, mask)

    def _keep(self, values: Values, j: Any, mask: Any = None) -> None:
        """Store what is to be stored of a vector, and add to the running values of its columns."""
        for k in self.ahead:
            place = self.ir.add(self.cursor.place(k, j), self.cursor.stride(k, self.frame.text.rank - 1))
            memory.prefetch(self.frame.b, place, self.frame.text.operands[k].role == "out")
        self.body.store(values, j, mask)
        for fold, run in self.across:
            held = fold.combine((self.body.load(run, j),), tuple([values[a] for a in fold.args]))
            self.body.store_to(run, held[0], j, mask)

    def write(self, block: Any) -> None:
        """The block's results, each to its place among the partial results of its output element; then the finish."""
        b = self.frame.b
        self.add_runs()
        results = [self.sums.met(f) for f in range(len(self.folds))]
        for fold, result in zip(self.folds, results, strict=True):
            for part, out in fold.outs:
                step = self.ir.mul(block, self.cursor.stride(out, self.frame.text.rank))
                memory.store_first(b, result[part], self.ir.add(self.cursor.base[out].get(), step))
        if self.body.stage.finish_stores or self.frame.text.then:
            seen = iter([b.first_everywhere(r[f.result]) for f, r in zip(self.folds, results, strict=True)])
            whole = [None if r.across else next(seen) for r in self.body.stage.reductions]
            self.known.update(self.body.finish(whole, I64(0)))
