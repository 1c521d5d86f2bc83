"""Long rows by blocks of warps: each warp has every so many runs of the block's row, in the order of ``row.py``.

What the lanes of a warp hold at the end of a run it hands over through the scratch, which the block shares. When all
are there, each warp adds up the runs for itself, in their order: so all know the sums, and none waits a second time.
What is kept of an element is loaded again by the lane that stored it. A block of one warp, as this machine's vectors
are, does the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from nbgrad.graph.blocks import ROW_BLOCK, ROW_RUN
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import loop, quotient, smaller
from nbgrad.kernels.frame import CACHE_LINE, Frame
from nbgrad.kernels.launch import AREAS, handed_over
from nbgrad.kernels.row import RowKernel, RowStage
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I8, I64, Vec
from nbgrad.tape.kernel import KernelText

TOGETHER: Final = 4  # runs that are asked for before the first of them is added


def emit_long_rows(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A row kernel for rows of one block each, and one reduced dim but for those of one element. ``traits`` says where
    this is so."""
    frame = Frame(module, text, target, text.rank + text.reduce_rank - 1)
    frame.b.is_block = True
    return _LongRows(frame).emit()


class _LongRows(RowKernel):
    """A block of warps goes from row to row. ``areas`` are where runs are handed over, by stages in turn: who writes
    to one has seen that the others have read what was there."""

    def __init__(self, frame: Frame) -> None:
        builder = frame.ir
        frame.cursor.holds_words = not frame.target.is_thread
        length = frame.cursor.size(frame.cursor.dims - 1)
        self.runs = quotient(builder, builder.add(length, I64(ROW_RUN - 1)), I64(ROW_RUN))
        self.run_bytes = handed_over(frame.text)
        start = self._scratch(frame)
        size = builder.mul(self.runs, I64(self.run_bytes))
        self.areas = [builder.add(start, builder.mul(size, I64(number))) for number in range(AREAS)]
        if frame.cursor.scratch is not None:
            frame.cursor.scratch = builder.add(frame.cursor.scratch, builder.mul(size, I64(AREAS)))
        self.n_folding = 0  # stages
        super().__init__(frame)

    def _scratch(self, frame: Frame) -> Any:
        """Where the block's scratch starts, of which runs have the beginning."""
        if frame.target.is_thread:
            return frame.function.args[3]
        room = frame.ir.alloca(ir.ArrayType(I8, AREAS * self.run_bytes * (ROW_BLOCK // ROW_RUN)), align=CACHE_LINE)
        return frame.ir.ptrtoint(room, I64)

    def stage(self, number: int) -> RowStage:
        stage = _LongStage(self, number, self.areas[self.n_folding % AREAS])
        self.n_folding += bool(stage.folds)
        return stage

    def begin(self, stage: RowStage, number: Any) -> None:
        """Find the operands anew: the addresses of all would wait in registers that all the warps need."""
        self.seek(number)

    def emit(self) -> Any:
        with loop(self.ir, self.frame.begin, self.frame.end) as item:
            self.row(item)
            if self.n_folding % AREAS:  # the next row begins with the area that this one ended with
                self.frame.b.meet()
        return self.frame.finish()


class _LongStage(RowStage):
    """A stage of which each warp does its own runs."""

    def __init__(self, kernel: _LongRows, number: int, area: Any) -> None:
        super().__init__(kernel, number)
        self.kernel, self.area, self.b = kernel, area, kernel.frame.b

    def reset(self) -> None:
        """Runs begin for themselves."""

    def columns(self, start: Any, stop: Any) -> None:
        builder, b = self.ir, self.b
        self.body.hoist()
        own = builder.add(start, builder.mul(b.warp(), I64(ROW_RUN)))
        with loop(builder, own, stop, builder.mul(b.warps(), I64(ROW_RUN))) as first:
            self.sums.reset()
            self.run(first, smaller(builder, builder.add(first, I64(ROW_RUN)), stop))
            for fold, part, place in self._places(quotient(builder, first, I64(ROW_RUN))):
                with b.in_scratch():
                    memory.store_consecutive(b, self.sums.get(fold, 0)[part], place)

    def _places(self, run: Any) -> Iterator[tuple[int, int, Any]]:
        """(reduction, part of its value, where that lies) of a run."""
        at = self.ir.add(self.area, self.ir.mul(run, I64(self.kernel.run_bytes)))
        step = 0
        for number, fold in enumerate(self.folds):
            for part, dtype in enumerate(fold.dtypes):
                yield number, part, self.ir.add(at, I64(step))
                step += dtype.itemsize * self.frame.lanes

    def add_runs(self) -> None:
        if not self.folds:
            return
        builder, runs = self.ir, self.kernel.runs
        self.b.meet()
        self.sums.reset()
        whole = builder.and_(runs, I64(-TOGETHER))
        for begin, end, together in ((I64(0), whole, TOGETHER), (whole, runs, 1)):
            with loop(builder, begin, end, together) as first:
                found = [self._handed(builder.add(first, I64(k))) for k in range(together)]
                for values in found:
                    for number, fold in enumerate(self.folds):
                        self.sums.set(number, 0, fold.combine(self.sums.get(number, 0), tuple(values[number])))

    def _handed(self, run: Any) -> list[list[Vec]]:
        """What a run's lanes held: the parts of each reduction's value."""
        values: list[list[Vec]] = [[] for _ in self.folds]
        for number, part, place in self._places(run):
            with self.b.in_scratch():
                values[number].append(memory.load_consecutive(self.b, place, self.folds[number].dtypes[part]))
        return values
