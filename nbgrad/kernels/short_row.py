"""The form "short_row": rows of a few elements, of which lanes have an output each.

A row of ten elements leaves most lanes of the form "row" idle, and has a beginning and an end of its own for them. Here
a vector is as many outputs as it has lanes. The elements of a row are put aside, each as the lane of "row" that it
would be, and meet in the same tree, so the bits are those of "row".
"""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir, memory
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.body import Body
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import Row, Variable, loop, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, Vec
from nbgrad.tape.kernel import SHORT_ROW, KernelText

TILE: Final = 64  # items for which elements are held: what is written of them stays in cache


def emit_short_row(module: ir.Module, text: KernelText, target: Target) -> Any:
    """One stage, one reduced dim; the vector dim is the inner kept one, an item is an index of those around it."""
    return _ShortRowKernel(Frame(module, text, target, text.rank - 1)).emit()


class _HoldingBody(Body):
    """Has the elements of "held" operands at hand, for one vector of outputs."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.text, frame.b, frame.cursor)
        self.place: Any = I64(0)  # of an element in its row
        operands = enumerate(frame.text.operands)
        self.held = {
            k: Row(frame.ir, frame.b.type_of(by_name(o.dtype)), SHORT_ROW) for k, o in operands if o.role == "held"
        }

    def hold(self, j: Any, mask: Any) -> None:
        """Take the elements at ``place`` of outputs j, j + 1, ... into registers, or what is next to them."""
        self.b.live = mask
        for k, row in self.held.items():
            row.set(self.place, super().load(k, j).value)

    def load(self, k: int, j: Any) -> Vec:
        if k not in self.held:
            return super().load(k, j)
        return Vec(self.held[k].get(self.place), by_name(self.text.operands[k].dtype))


class _ShortRowKernel:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        self.rank = text.rank
        self.body = _HoldingBody(frame)
        self.beside = dict.fromkeys(text.kept_operands)
        elements = [k for k in range(len(text.operands)) if k not in self.beside]
        self.elements = [k for k in elements if k not in self.body.held]
        self.along = Odometer(self.cursor, [self.rank], self.elements)
        self.along_held = Odometer(self.cursor, [self.rank], list(self.body.held))
        self.folds = [Fold(frame.b, text, r) for r in text.reductions]
        self.row = Accumulators(self.folds, SHORT_ROW)  # an element of each lane's row in a slot

    def emit(self) -> Any:
        """Tile by tile, in it vector by vector of outputs, of these item by item."""
        builder, frame, lanes = self.ir, self.frame, self.frame.lanes
        inner = self.cursor.size(self.rank - 1)
        whole = builder.and_(inner, I64(-lanes)) if frame.is_light() else I64(0)
        with loop(builder, frame.begin, frame.end, TILE) as first:
            last = smaller(builder, builder.add(first, I64(TILE)), frame.end)
            if frame.is_light():
                with loop(builder, I64(0), whole, lanes) as j:
                    self._items(first, last, j)
            with loop(builder, whole, inner, lanes) as j:
                self._items(first, last, j, memory.prefix_mask(frame.b, builder.sub(inner, j)))
        return frame.finish()

    def _items(self, first: Any, last: Any, j: Any, mask: Any = None) -> None:
        """Outputs j, j + 1, ... of some items, as many as there are lanes, or live ones."""
        length, outer = self.cursor.size(self.rank), range(self.rank - 1)
        if self.body.held:
            self.cursor.start_item((), I64(0), list(self.body.held))
            self.along_held.seek(I64(0))
            with loop(self.ir, I64(0), length) as self.body.place:
                self.body.hold(j, mask)
                self.along_held.step()
        with loop(self.ir, first, last) as item:
            self.cursor.start_item(outer, item, [*self.elements, *self.beside])
            with loop(self.ir, I64(0), length) as place:
                self.body.place = place
                self.body.hoist()
                values = self.body.run([j], mask)[0]
                for f, fold in enumerate(self.folds):
                    x = tuple([values[a] for a in fold.args])
                    self.row.set(f, place, fold.combine(fold.identity(), x))
                self.along.step()
            self._meet(length)
            self._write(j, mask)

    def _meet(self, length: Any) -> None:
        """Fold all slots into the first: slot i with slot i + half, the halves halving. Lanes of "row" that have no
        element would change nothing."""
        left, half = Variable(self.ir, I64, length), SHORT_ROW // 2
        while half:
            with loop(self.ir, I64(half), left.get()) as slot:
                before = self.ir.sub(slot, I64(half))
                for f, fold in enumerate(self.folds):
                    self.row.set(f, before, fold.combine(self.row.get(f, before), self.row.get(f, slot)))
            left.set(smaller(self.ir, left.get(), I64(half)))
            half //= 2

    def _write(self, j: Any, mask: Any) -> None:
        results = [self.row.get(f, 0) for f in range(len(self.folds))]
        for fold, result in zip(self.folds, results, strict=True):
            for part, out in fold.outs:
                self.body.store_to(out, result[part], j, mask)
        if self.body.stage.finish_stores:
            whole = [result[fold.result] for fold, result in zip(self.folds, results, strict=True)]
            self.body.finish(whole, j, mask)
