"""The form "column": the vector dim is kept, the reduced dims run beside it; an item is a chunk of outputs.

Per output, runs of COLUMN_RUN elements are folded in order, each from the identity, and the runs' results in order.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from nbgrad.kernels import memory
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import COLUMN_CHUNK, COLUMN_RUN, KernelText

MOST_VECTORS: Final = 8  # side by side: more would not stay in registers


def emit_column(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A column kernel; it has at least one kept dim."""
    return _ColumnKernel(Frame(module, text, target, text.rank - 1)).emit()


class _ColumnKernel:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        self.outs = {out for r in text.reductions for out in r.outs if out >= 0}
        self.elements = [k for k, o in enumerate(text.operands) if o.role != "table" and k not in self.outs]
        self.reduced = range(text.rank, text.rank + text.reduce_rank)
        self.folds = [Fold(frame.b, text, r) for r in text.reductions]
        self.odometer = Odometer(self.cursor, self.reduced, self.elements)
        self.vectors = min(MOST_VECTORS, COLUMN_CHUNK // frame.lanes)
        self.light = is_light(text, self.vectors)

    def emit(self) -> Any:
        rank = self.frame.text.rank
        chunks, inner = self.cursor.extra(2), self.cursor.size(rank - 1)
        with loop(self.ir, self.frame.begin, self.frame.end) as item:
            outer = self.ir.udiv(item, chunks)
            self.cursor.start_item(range(rank - 1), outer, [*self.elements, *self.outs])
            start = self.ir.mul(self.ir.urem(item, chunks), I64(COLUMN_CHUNK))
            stop = smaller(self.ir, self.ir.add(start, I64(COLUMN_CHUNK)), inner)
            self._chunk(start, stop)
        return self.frame.finish()

    def _chunk(self, start: Any, stop: Any) -> None:
        """Outputs [start, stop): whole groups of vectors without masks where the body is light, the rest masked."""
        lanes = self.frame.lanes
        if self.light:
            step = lanes * self.vectors
            main_stop = self.ir.add(start, self.ir.and_(self.ir.sub(stop, start), I64(-step)))
            with loop(self.ir, start, main_stop, step) as j:
                self._fold_down([self.ir.add(j, I64(v * lanes)) for v in range(self.vectors)])
            start = main_stop
        with loop(self.ir, start, stop, lanes) as j:
            self._fold_down([j], memory.prefix_mask(self.frame.b, self.ir.sub(stop, j)))

    def _fold_down(self, places: list[Any], mask: Any = None) -> None:
        """Fold all reduced elements of the vectors at ``places`` and write the results."""
        total = Accumulators(self.folds, len(places))
        run = Accumulators(self.folds, len(places))
        total.reset()
        length = self.cursor.product(self.reduced)
        with loop(self.ir, I64(0), length, COLUMN_RUN) as first:
            run.reset()
            self.odometer.seek(first)
            with loop(self.ir, first, smaller(self.ir, self.ir.add(first, I64(COLUMN_RUN)), length)):
                self._take_in(run, places, mask)
                self.odometer.step()
            total.merge(run)
        for f, fold in enumerate(self.folds):
            for slot, j in enumerate(places):
                for part, out in fold.outs:
                    self.frame.body.store_to(out, total.get(f, slot)[part], j, mask)

    def _take_in(self, run: Accumulators, places: list[Any], mask: Any) -> None:
        body = self.frame.body
        body.hoist()
        for slot, values in enumerate(body.run(places, mask)):
            body.store(values, places[slot], mask)
            run.take_in(values, slot)
