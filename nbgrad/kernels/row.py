"""The form "row": reduced dims hold the vector dim; an item is one block of one output element.

Element (a, b) belongs to lane b % LANES, so LANES running values are kept, in as many vectors as the machine needs for
them; lanes meet in a binary tree at the end of the block. See nbgrad/tape/kernel.py for the order in full. The finish
is computed for one output at a time, in all lanes alike.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from nbgrad.kernels import memory
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import LANES, KernelText


def emit_row(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A row kernel; kept rank 0 is a full reduction."""
    return _RowKernel(Frame(module, text, target, text.rank + text.reduce_rank - 1)).emit()


class _RowKernel:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        self.kept = range(text.rank)
        self.outer = range(text.rank, text.rank + text.reduce_rank - 1)  # the dims A
        self.beside = dict.fromkeys(text.kept_operands)
        self.elements = [k for k, o in enumerate(text.operands) if o.role != "table" and k not in self.beside]
        self.vectors = LANES // frame.lanes
        self.folds = [Fold(frame.b, text, r) for r in text.reductions]
        self.sums = Accumulators(self.folds, self.vectors)
        self.light = is_light(text, self.vectors)
        self.odometer = Odometer(self.cursor, self.outer, self.elements) if self.outer else None

    def emit(self) -> Any:
        rows, columns, segments, blocks = (self.cursor.extra(i) for i in range(4))
        with loop(self.ir, self.frame.begin, self.frame.end) as item:
            block = self.ir.urem(item, blocks)
            self.cursor.start_item(self.kept, self.ir.udiv(item, blocks), [*self.elements, *self.beside])
            self.sums.reset()
            first_row = self.ir.mul(self.ir.udiv(block, segments), rows)
            last_row = smaller(self.ir, self.ir.add(first_row, rows), self.cursor.product(self.outer))
            start = self.ir.mul(self.ir.urem(block, segments), columns)
            stop = smaller(self.ir, self.ir.add(start, columns), self.cursor.size(self.cursor.dims - 1))
            with self.ir.if_then(self.ir.icmp_signed("<", start, stop)):
                self._rows(first_row, last_row, start, stop)
            self._write(block)
        return self.frame.finish()

    def _rows(self, first_row: Any, last_row: Any, start: Any, stop: Any) -> None:
        """Take in columns [start, stop), at least one, of some rows."""
        if self.odometer is None:
            self._columns(start, stop)
            return
        self.odometer.seek(first_row)
        with loop(self.ir, first_row, last_row):
            self._columns(start, stop)
            self.odometer.step()

    def _columns(self, start: Any, stop: Any) -> None:
        self.frame.body.hoist()
        if self.light:
            start = self._whole_rounds(start, stop)
            with self.ir.if_then(self.ir.icmp_signed("<", start, stop)):
                rest = Accumulators(self.folds, self.vectors)
                rest.reset()
                self._vector_by_vector(rest, start, stop)
                self.sums.merge(rest)
        else:
            self._vector_by_vector(self.sums, start, stop)

    def _whole_rounds(self, start: Any, stop: Any) -> Any:
        """LANES elements a turn, unmasked; gives the first element that is left."""
        body, lanes = self.frame.body, self.frame.lanes
        main_stop = self.ir.add(start, self.ir.and_(self.ir.sub(stop, start), I64(-LANES)))
        with loop(self.ir, start, main_stop, LANES) as j:
            places = [self.ir.add(j, I64(slot * lanes)) for slot in range(self.vectors)]
            for slot, values in enumerate(body.run(places)):
                body.store(values, places[slot])
                self.sums.take_in(values, slot)
        return main_stop

    def _vector_by_vector(self, into: Accumulators, start: Any, stop: Any) -> None:
        """One masked vector a turn; its place in the round is computed."""
        body, lanes = self.frame.body, self.frame.lanes
        with loop(self.ir, start, stop, lanes) as j:
            mask = memory.prefix_mask(self.frame.b, self.ir.sub(stop, j))
            values = body.run([j], mask)[0]
            body.store(values, j, mask)
            slot = self.ir.and_(self.ir.udiv(j, I64(lanes)), I64(self.vectors - 1)) if self.vectors > 1 else 0
            into.take_in(values, slot, mask)

    def _write(self, block: Any) -> None:
        """The block's results, each to its place among the partial results of its output element."""
        results = [self.sums.met(f) for f in range(len(self.folds))]
        for fold, result in zip(self.folds, results, strict=True):
            for part, out in fold.outs:
                step = self.ir.mul(block, self.cursor.stride(out, self.frame.text.rank))
                memory.store_first(self.frame.b, result[part], self.ir.add(self.cursor.base[out].get(), step))
        if self.frame.text.finish_stores:
            b = self.frame.b
            seen = [b.first_everywhere(r[fold.result]) for fold, r in zip(self.folds, results, strict=True)]
            self.frame.body.finish(seen, I64(0))
