"""The form "short_row": rows of a few elements, of which lanes have an output each.

A row of ten elements leaves most lanes of the form "row" idle, and has a beginning and an end of its own for them, at
each stage. Here a vector is as many outputs as it has lanes. The elements of a row are put aside, each as the lane of
"row" that it would be, and meet in the same tree, so the bits are those of "row".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.accumulators import Accumulators
from nbgrad.kernels.body import Body, Values
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import Row, Variable, loop, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, Vec
from nbgrad.tape.kernel import LANES, SHORT_ROW, SHORT_ROWS, KernelText

TILE: Final = 64  # items for which elements are held: what is written of them stays in cache


def emit_short_row(module: ir.Module, text: KernelText, target: Target) -> Any:
    """One reduced dim; the vector dim is the inner kept one."""
    return _ShortRowKernel(Frame(module, text, target, text.rank - 1)).emit()


class _AtHand:
    """Elements of each lane's row that are put aside, so that no stage loads them again, nor what is in scratch.

    Those of "held" operands are put aside once for all items.
    """

    def __init__(self, frame: Frame) -> None:
        self.operands = frame.text.operands
        self.place: Any = I64(0)  # of an element in its row
        self.held = [k for k, o in enumerate(self.operands) if o.role == "held"]
        kinds = {k: frame.b.type_of(by_name(self.operands[k].dtype)) for k in [*self.held, *_needed_again(frame)]}
        self.rows = {k: Row(frame.ir, kind, SHORT_ROW) for k, kind in kinds.items()}
        self.there: set[int] = set()

    def get(self, k: int) -> Vec:
        return Vec(self.rows[k].get(self.place), by_name(self.operands[k].dtype))

    def keep(self, k: int, x: Vec) -> None:
        """Put the element at ``place`` of operand ``k`` aside, if others need it."""
        if k in self.rows:
            self.rows[k].set(self.place, x.value)
            self.there.add(k)


def _needed_again(frame: Frame) -> list[int]:
    """The operands whose elements are scratch, or belong to several stages."""
    stages = Counter[int]()
    for _, stage in frame.text.stages:
        read = [a for stmt in stage.stmts for a in stmt.args] + [a for r in stage.reductions for a in r.args]
        stages.update({*read, *[x for store in stage.stores for x in store]})
    several = [k for k, o in enumerate(frame.text.operands) if o.role in ("in", "out") and stages[k] > 1]
    scratch = [k for k, o in enumerate(frame.text.operands) if o.role == "scratch"]
    return [*[k for k in several if frame.cursor.moves(k)], *scratch]


class _StageBody(Body):
    """The statements of a stage, for one element of each lane's row at a time."""

    def __init__(self, frame: Frame, number: int, known: Values, at_hand: _AtHand) -> None:
        self.at_hand = at_hand
        super().__init__(frame.text, frame.b, frame.cursor, number, known)

    def _moving_operands(self) -> set[int]:
        """What earlier stages found differs from lane to lane, too."""
        return super()._moving_operands() | set(range(len(self.text.operands), self.first))

    def load(self, k: int, j: Any) -> Vec:
        if k in self.at_hand.there:
            return self.at_hand.get(k)
        found = super().load(k, j)
        self.at_hand.keep(k, found)
        return found

    def store_to(self, operand: int, x: Vec, j: Any, mask: Any = None) -> None:
        self.at_hand.keep(operand, x)
        if self.text.operands[operand].role != "scratch":
            super().store_to(operand, x, j, mask)


class _ShortRowKernel:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.ir = frame.ir
        self.cursor = frame.cursor
        text = frame.text
        self.rank = text.rank
        self.known: Values = {}
        self.at_hand = _AtHand(frame)
        self.beside = dict.fromkeys(text.kept_operands)
        apart = {*self.beside, *self.at_hand.held}
        placed = [k for k, o in enumerate(text.operands) if o.role not in ("scratch", "table")]
        self.elements = [k for k in placed if k not in apart]
        self.along = Odometer(self.cursor, [self.rank], self.elements)
        self.along_held = Odometer(self.cursor, [self.rank], self.at_hand.held)
        self.stages = [_Stage(self, number) for number in range(len(text.stages))]

    def emit(self) -> Any:
        """Tile by tile, in it vector by vector of outputs, of these item by item; of one dim all outputs are a tile."""
        builder, frame, outputs = self.ir, self.frame, self.cursor.size(self.rank - 1)
        turns = int(len(self.stages) == 1 and frame.is_light())
        if self.rank == 1:
            first, last = (builder.mul(item, I64(SHORT_ROWS)) for item in (frame.begin, frame.end))
            frame.by_vectors(first, smaller(builder, last, outputs), turns, self._taking(I64(0), I64(1)))
            return frame.finish()
        with loop(builder, frame.begin, frame.end, TILE) as first:
            last = smaller(builder, builder.add(first, I64(TILE)), frame.end)
            frame.by_vectors(I64(0), outputs, turns, self._taking(first, last))
        return frame.finish()

    def _taking(self, first: Any, last: Any) -> Callable[[list[Any], Any], None]:
        """What takes in outputs j, j + 1, ... of some items, as many as there are lanes, or live ones."""

        def take(places: list[Any], mask: Any) -> None:
            self.at_hand.there.clear()
            [j] = places
            if self.at_hand.held:
                self._hold(j, mask)
            with loop(self.ir, first, last) as item:
                self.known.clear()
                self.cursor.start_item(range(self.rank - 1), item, [*self.elements, *self.beside])
                for stage in self.stages:
                    stage.run(j, mask)

        return take

    def _hold(self, j: Any, mask: Any) -> None:
        self.cursor.start_item((), I64(0), self.at_hand.held)
        self.along_held.seek(I64(0))
        self.frame.b.live = mask
        with loop(self.ir, I64(0), self.cursor.size(self.rank)) as self.at_hand.place:
            for k in self.at_hand.held:
                self.at_hand.keep(k, self.frame.body.load(k, j))
            self.along_held.step()


class _Stage:
    """One way over the elements of a vector of rows, and what is made of their sums."""

    def __init__(self, kernel: _ShortRowKernel, number: int) -> None:
        self.kernel = kernel
        self.ir = kernel.ir
        frame = kernel.frame
        self.body = _StageBody(frame, number, kernel.known, kernel.at_hand)
        self.is_last = number == len(frame.text.then)
        self.folds = [Fold(frame.b, frame.text, r) for r in self.body.stage.reductions]
        self.row = Accumulators(self.folds, SHORT_ROW)  # an element of each lane's row in a slot

    def run(self, j: Any, mask: Any) -> None:
        kernel = self.kernel
        length = kernel.cursor.size(kernel.rank)
        kernel.along.seek(I64(0))
        with loop(self.ir, I64(0), length) as place:
            kernel.at_hand.place = place
            self.body.hoist()
            [values] = self.body.run_and_store([j], mask)
            for f, fold in enumerate(self.folds):
                x = tuple([values[a] for a in fold.args])
                self.row.set(f, place, fold.combine(fold.identity(), x))
            kernel.along.step()
        if self.folds:
            self._meet(length)
        self._write(j, mask)

    def _meet(self, length: Any) -> None:
        """Fold all slots into the first: slot i with slot i + half, the halves halving. Lanes of "row" that have no
        element would change nothing."""
        left, half = Variable(self.ir, I64, length), LANES // 2
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
        if self.body.stage.finish_stores or not self.is_last:
            whole = [result[fold.result] for fold, result in zip(self.folds, results, strict=True)]
            self.kernel.known.update(self.body.finish(whole, j, mask))
