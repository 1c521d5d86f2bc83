"""Short rows by warps: as many at a time as have room in 32 lanes, each element in a lane of its own.

The order is that of ``row.py``: lane b of a row holds element b, and the lanes of a row meet in the same tree, where
those that are not there are the identity. Lanes that no row has do what the last one does, and write what it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbgrad.graph.dtypes import bool_, int32, int64
from nbgrad.kernels import ir
from nbgrad.kernels.body import Values
from nbgrad.kernels.flat import FlatBody, positions_of
from nbgrad.kernels.flow import loop, narrowed, quotient
from nbgrad.kernels.fold import Accumulator, Fold
from nbgrad.kernels.frame import Frame, is_light
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, Vec
from nbgrad.tape.kernel import LANES, KernelText

TURNS: Final = 4  # vectors of rows side by side: loads under way while a GPU's warp waits


def emit_short_rows(module: ir.Module, text: KernelText, target: Target) -> Any:
    """A row kernel for rows of at most half as many elements as a warp has lanes: one block each, and one reduced dim
    but for those of one element. ``traits`` says where this is so."""
    frame = Frame(module, text, target, text.rank + text.reduce_rank - 1)
    is_small = all(is_light(text, TURNS, number) for number in range(len(text.stages)))
    _Rows(frame, TURNS if is_small and target.is_thread else 1).emit()
    return frame.finish()


class _Rows:
    """``turns`` vectors of rows at a time, stage by stage."""

    def __init__(self, frame: Frame, turns: int) -> None:
        self.frame, self.b, self.ir = frame, frame.b, frame.ir
        self.length = frame.cursor.size(frame.cursor.dims - 1)
        self.count = quotient(self.ir, I64(LANES), self.length)
        self.row, self.column, self.first_lane = self._own_place()
        self.turns = [[_Stage(self, stage) for stage in stages] for stages in self._bodies(turns)]

    def _own_place(self) -> tuple[Any, Any, Any]:
        """Each lane's row of a vector's, the place in it, and the lane that begins it (i32)."""
        b, builder = self.b, self.ir
        length = builder.trunc(self.length, I32)
        last = b.splat(builder.sub(builder.mul(builder.trunc(self.count, I32), length), I32(1)), int32).value
        lane = b.numbers(I32)
        lane = builder.select(builder.icmp_unsigned("<", lane, last), lane, last)
        every = b.splat(length, int32).value
        row = builder.udiv(lane, every)
        first = builder.mul(row, every)
        return row, builder.sub(lane, first), first

    def _bodies(self, turns: int) -> list[list[_KeepingBody]]:
        """For each vector one for each stage, which know what the earlier ones of that vector found."""
        found = []
        for _ in range(turns):
            known: Values = {}
            kept: Values = {}
            numbers = range(len(self.frame.text.stages))
            found.append([_KeepingBody(self.frame, number, known, kept) for number in numbers])
        return found

    def emit(self) -> None:
        frame, builder = self.frame, self.ir
        step = builder.mul(self.count, I64(len(self.turns)))
        with loop(builder, frame.begin, frame.end, step) as first:
            items = [builder.add(first, builder.mul(self.count, I64(turn))) for turn in range(len(self.turns))]
            places = [self._place(item) for item in items]
            for stages in zip(*self.turns, strict=True):
                values = [stage.loaded(place) for stage, place in zip(stages, places, strict=True)]
                for stage, place, found in zip(stages, places, values, strict=True):
                    stage.take_in(found, place)

    def _place(self, item: Any) -> list[Any]:
        """Each lane's position in every dim, in rows from ``item`` on; the last row stands for those after it."""
        b, builder = self.b, self.ir
        first, last = (narrowed(builder, x) for x in (item, builder.sub(self.frame.end, I64(1))))
        own = self.row if first.type == I32 else builder.zext(self.row, b.vector(I64))
        number = builder.add(b.splat(first, int64).value, own)
        ends = b.splat(last, int64).value
        number = builder.select(builder.icmp_signed("<", number, ends), number, ends)
        kept = positions_of(self.frame, number, range(self.frame.text.rank))
        ones = [b.constant("0", I64)] * (self.frame.text.reduce_rank - 1)
        return [*kept, *ones, builder.zext(self.column, b.vector(I64))]


class _KeepingBody(FlatBody):
    """What it stores for each element it has at hand in the next stage: that is where a row's scratch is, too."""

    def __init__(self, frame: Frame, number: int, known: Values, kept: Values) -> None:
        super().__init__(frame, number, known)
        self.kept = kept

    def _load(self, k: int, j: Any) -> Vec:
        return self.kept[k] if k in self.kept else super()._load(k, j)

    def store(self, values: Values, j: Any, mask: Any = None) -> None:
        for value, operand in self.stage.stores:
            self.kept[operand] = values[value]
            if self.text.operands[operand].role != "scratch":
                self.store_to(operand, values[value], j, mask)


class _Stage:
    """One stage of one vector of rows."""

    def __init__(self, rows: _Rows, body: FlatBody) -> None:
        self.rows, self.body, self.b, self.ir = rows, body, rows.b, rows.ir
        self.folds = [Fold(rows.b, rows.frame.text, r) for r in body.stage.reductions]

    def loaded(self, place: Sequence[Any]) -> Values:
        """The values of the rows' elements."""
        self.body.hoist()
        return self.body.run([place])[0]

    def take_in(self, values: Values, place: Sequence[Any]) -> None:
        """Store and fold them, and write what comes of that."""
        self.body.store(values, place)
        kept = list(place[: self.rows.frame.text.rank])
        results = [self._met(fold, tuple([values[a] for a in fold.args])) for fold in self.folds]
        for fold, result in zip(self.folds, results, strict=True):
            for part, out in fold.outs:
                self.body.store_to(out, result[part], kept)
        whole = [result[fold.result] for fold, result in zip(self.folds, results, strict=True)]
        self.body.known.update(self.body.finish(whole, kept))

    def _met(self, fold: Fold, x: Accumulator) -> Accumulator:
        """The row's value, in all of its lanes."""
        b, builder = self.b, self.ir
        whole = fold.combine(fold.identity(), x)
        half = LANES // 2
        while half:
            place = builder.add(self.rows.column, b.constant(str(half), I32))
            length = b.splat(builder.trunc(self.rows.length, I32), int32).value
            is_there = Vec(builder.icmp_unsigned("<", place, length), bool_)
            others = [b.upper(v, half) for v in whole]
            there = [b.select(is_there, v, e) for v, e in zip(others, fold.identity(), strict=True)]
            whole = fold.combine(whole, tuple(there))
            half //= 2
        return tuple([b.from_lanes(v, self.rows.first_lane) for v in whole])
