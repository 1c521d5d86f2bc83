"""The form "column": the vector dim is kept, the reduced dims run beside it; an item is a chunk of outputs in a block.

Per output and block, runs of COLUMN_RUN elements are folded in order, each from the identity, and then their results.
Neighbouring chunks of one call are folded together, as a panel: memory is then read along its rows, which is twice as
fast as a chunk's few cache lines a row ((4096, 1024) float32: 0.6 ms instead of 1.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.blocks import COLUMN_RUN
from nbgrad.kernels import ir, memory
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import larger, loop, quotient, remainder, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.target import Target
from nbgrad.kernels.under_way import COLUMN_BYTES, elements_together
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import COLUMN_CHUNK, LANES, KernelText

MOST_VECTORS: Final = 8  # side by side in registers: more would not stay there
Taking = Callable[[], None]
PANEL: Final = 1024  # outputs folded together: their running values stay in the first-level cache


def emit_column(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A column kernel; it has at least one kept dim."""
    return _ColumnKernel(Frame(module, text, target, text.rank - 1)).emit()


class _ColumnKernel:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        assert not text.finish_stores, "nothing follows in a column kernel"
        self.beside = dict.fromkeys(text.kept_operands)
        self.elements = [k for k, o in enumerate(text.operands) if o.role != "table" and k not in self.beside]
        self.reduced = range(text.rank, text.dims)
        self.folds = [Fold(frame.b, text, r) for r in text.reductions]
        self.odometer = Odometer(self.cursor, self.reduced, self.elements)
        is_warp = frame.target.is_warp
        self.chunk = LANES if is_warp else COLUMN_CHUNK
        self.panel = LANES if is_warp else PANEL
        self.vectors = min(MOST_VECTORS, self.chunk // frame.lanes)
        self.light = frame.is_light(self.vectors)
        many = is_warp and len(self.reduced) == 1 and self.light  # several would need branches between them
        self.rows = elements_together(text, 0, COLUMN_BYTES) if many else 1
        self.first: ir.Value = I64(0)  # of the reduced elements of the block
        self.last: ir.Value = I64(0)

    def emit(self) -> Any:
        """For each block and outer index that the items touch: its chunks, panel by panel."""
        builder, frame, rank = self.ir, self.frame, self.frame.text.rank
        with builder.if_then(builder.icmp_signed("<", frame.begin, frame.end)):
            chunks, inner = self._chunks(), self.cursor.size(rank - 1)
            first = quotient(builder, frame.begin, chunks)
            last = quotient(builder, builder.sub(frame.end, I64(1)), chunks)
            outers = self.cursor.product(range(rank - 1))
            with loop(builder, first, builder.add(last, I64(1))) as turn:
                outer = remainder(builder, turn, outers)
                self.cursor.start_item(range(rank - 1), outer, [*self.elements, *self.beside])
                self._start_block(quotient(builder, turn, outers))
                before = builder.mul(turn, chunks)
                start = builder.mul(larger(builder, builder.sub(frame.begin, before), I64(0)), I64(self.chunk))
                stop = builder.mul(builder.sub(frame.end, before), I64(self.chunk))
                stop = smaller(builder, stop, inner)
                with loop(builder, start, stop, self.panel) as j:
                    self._panel(j, smaller(builder, builder.add(j, I64(self.panel)), stop))
        return frame.finish()

    def _chunks(self) -> Any:
        """Of how many items an outer index has: warps take LANES outputs each, so that there are more of them."""
        if not self.frame.target.is_warp:
            return self.cursor.extra(2)
        inner = self.cursor.size(self.frame.text.rank - 1)
        return quotient(self.ir, self.ir.add(inner, I64(LANES - 1)), I64(LANES))

    def _start_block(self, block: Any) -> None:
        """Its reduced elements, and where its partial results go."""
        length = self.cursor.extra(3)
        self.first = self.ir.mul(block, length)
        self.last = smaller(self.ir, self.ir.add(self.first, length), self.cursor.product(self.reduced))
        for out in dict.fromkeys([out for fold in self.folds for _, out in fold.outs]):
            self.cursor.at[out].add(self.ir.mul(block, self.cursor.stride(out, self.frame.text.rank)))

    def _panel(self, start: Any, stop: Any) -> None:
        """Outputs [start, stop): one chunk of a light body in registers, anything else in memory.

        The threads of a warp have no memory nearby but registers: there it is one vector after the other.
        """
        if not self.light:
            self._part(start, stop)
            return
        is_chunk = self.ir.icmp_signed("==", self.ir.sub(stop, start), I64(self.chunk))
        with self.ir.if_else(is_chunk) as (then, otherwise):
            with then:
                self._in_registers(start, stop, self.vectors)
            with otherwise:
                self._part(start, stop)

    def _part(self, start: Any, stop: Any) -> None:
        if self.frame.target.is_warp:
            self._in_registers(start, stop, 1, is_cut=True)
        else:
            self._in_memory(start, stop)

    def _in_registers(self, start: Any, stop: Any, together: int, is_cut: bool = False) -> None:
        """Groups of vectors, each group down all its rows; where it ``is_cut``, the last may be partly there."""
        body, lanes = self.frame.body, self.frame.lanes
        total, run = (Accumulators(self.folds, together) for _ in range(2))
        with loop(self.ir, start, stop, lanes * together) as j:
            places = [self.ir.add(j, I64(v * lanes)) for v in range(together)]
            mask = memory.prefix_mask(self.frame.b, self.ir.sub(stop, j)) if is_cut else None

            def row() -> Taking:
                body.hoist()
                vectors = body.run_and_store(places, mask)

                def take_in() -> None:
                    for slot, values in enumerate(vectors):
                        run.take_in(values, slot)

                return take_in

            total.reset()
            self._runs(run.reset, row, lambda: total.merge(run))
            for slot, place in enumerate(places):
                self._write(total, slot, place, mask)

    def _in_memory(self, start: Any, stop: Any) -> None:
        """All vectors of a row, then the next row; the last vector of a row may be partly there."""
        body, lanes = self.frame.body, self.frame.lanes
        total, run = (Accumulators(self.folds, PANEL // lanes) for _ in range(2))
        slots = quotient(self.ir, self.ir.add(self.ir.sub(stop, start), I64(lanes - 1)), I64(lanes))

        def each_slot(act: Callable[[Any], None]) -> None:
            with loop(self.ir, I64(0), slots) as slot:
                act(slot)

        def vector(slot: Any) -> tuple[Any, Any]:
            j = self.ir.add(start, self.ir.mul(slot, I64(lanes)))
            return j, memory.prefix_mask(self.frame.b, self.ir.sub(stop, j))

        def take_in(slot: Any) -> None:
            j, mask = vector(slot)
            [values] = body.run_and_store([j], mask)
            run.take_in(values, slot)

        def row() -> Taking:
            body.hoist()
            each_slot(take_in)
            return lambda: None

        each_slot(total.reset_slot)
        self._runs(lambda: each_slot(run.reset_slot), row, lambda: each_slot(lambda slot: total.merge_slot(run, slot)))
        each_slot(lambda slot: self._write(total, slot, *vector(slot)))

    def _runs(self, begin: Callable[[], None], row: Callable[[], Taking], end: Callable[[], None]) -> None:
        """Walk the reduced elements run by run: ``begin``, ``row`` for each element, ``end``.

        ``row`` gives what takes the element's values in: of several elements together that follows all their loads.
        """
        run = self.cursor.extra(0) if self.frame.target.is_warp else I64(COLUMN_RUN)
        with loop(self.ir, self.first, self.last, run) as first:
            begin()
            self.odometer.seek(first)
            stop = smaller(self.ir, self.ir.add(first, run), self.last)
            if self.rows > 1:
                first, before = self.frame.whole(first, stop, self.rows), first
                self._rows(before, first, row, self.rows)
            self._rows(first, stop, row, 1)
            end()

    def _rows(self, first: Any, stop: Any, row: Callable[[], Taking], together: int) -> None:
        with loop(self.ir, first, stop, together):
            loaded = []
            for _ in range(together):
                loaded.append(row())
                self.odometer.step()
            for take_in in loaded:
                take_in()

    def _write(self, total: Accumulators, slot: Any, j: Any, mask: Any) -> None:
        for f, fold in enumerate(self.folds):
            for part, out in fold.outs:
                self.frame.body.store_to(out, total.get(f, slot)[part], j, mask)
