"""Sums down the columns of the rows that a row kernel goes over, in the order of the column form.

Runs of COLUMN_RUN rows are folded one after the other, each from the identity, and then their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.graph.blocks import COLUMN_RUN
from nbgrad.kernels import memory
from nbgrad.kernels.cursor import Odometer
from nbgrad.kernels.flow import loop, smaller
from nbgrad.kernels.fold import Fold
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import Reduction


class Across:
    """The running values of reductions across the rows: one for each element of a row."""

    def __init__(self, frame: Frame, reductions: Sequence[Reduction], outer: Sequence[int]) -> None:
        self.b = frame.b
        self.ir = frame.ir
        self.cursor = frame.cursor
        self.body = frame.body
        self.outer = outer  # the dims A of a row
        self.folds = [Fold(frame.b, frame.text, r) for r in reductions]
        self.runs, self.totals = ([r.outs[i] for r in reductions] for i in range(2))
        operands = [*self.runs, *self.totals]
        self.odometer = Odometer(self.cursor, outer, operands) if outer and operands else None

    def item(self, item: Any, row: Callable[[Any], None]) -> None:
        """Emit ``row`` for the rows of an item, run by run."""
        ir, cursor = self.ir, self.cursor
        many, every = cursor.extra(2), cursor.extra(3)
        for total in self.totals:
            place = ir.add(cursor.address(total), ir.mul(item, cursor.stride(total, 0)))
            cursor.base[total].set(place)
            cursor.at[total].set(place)
        for run in self.runs:
            cursor.base[run].set(cursor.address(run))
            cursor.at[run].set(cursor.address(run))
        self._each(self._reset(self.totals))
        first = ir.mul(item, many)
        last = smaller(ir, ir.add(first, many), every)
        with loop(ir, first, last, COLUMN_RUN) as start:
            self._each(self._reset(self.runs))
            with loop(ir, start, smaller(ir, ir.add(start, I64(COLUMN_RUN)), last)) as number:
                row(number)
            self._each(self._merge)

    def _each(self, act: Callable[[Any, Any], None]) -> None:
        """``act`` on (place, mask) of every vector of a row."""
        if self.odometer is None:
            self._columns(act)
            return
        self.odometer.seek(I64(0))
        with loop(self.ir, I64(0), self.cursor.product(self.outer)):
            self._columns(act)
            self.odometer.step()

    def _columns(self, act: Callable[[Any, Any], None]) -> None:
        b, stop = self.b, self.cursor.size(self.cursor.dims - 1)
        with loop(self.ir, I64(0), stop, b.lanes) as j:
            b.live = memory.prefix_mask(b, self.ir.sub(stop, j))
            act(j, b.live)

    def _reset(self, operands: list[int]) -> Callable[[Any, Any], None]:
        def act(j: Any, mask: Any) -> None:
            for fold, operand in zip(self.folds, operands, strict=True):
                self.body.store_to(operand, fold.identity()[0], j, mask)

        return act

    def _merge(self, j: Any, mask: Any) -> None:
        for fold, run, total in zip(self.folds, self.runs, self.totals, strict=True):
            whole = fold.combine((self.body.load(total, j),), (self.body.load(run, j),))
            self.body.store_to(total, whole[0], j, mask)
