"""The running values of all reductions of a kernel."""

from __future__ import annotations

from typing import Any

from nbgrad.kernels import ir
from nbgrad.kernels.body import Values
from nbgrad.kernels.flow import Row
from nbgrad.kernels.fold import Accumulator, Fold
from nbgrad.kernels.values import I64, Vec


class Accumulators:
    """``count`` vectors for each reduction. A slot is an int, or an int64 that the kernel computes.

    Where all slots are ints, the pass pipeline makes registers of them.
    """

    def __init__(self, folds: list[Fold], count: int) -> None:
        self.folds = folds
        self.count = count
        self._rows = [[Row(fold.b.ir, fold.b.type_of(d), count) for d in fold.dtypes] for fold in folds]

    def reset(self) -> None:
        """Put the identity everywhere."""
        for slot in range(self.count):
            self.reset_slot(slot)

    def reset_slot(self, slot: int | ir.Value) -> None:
        for f, fold in enumerate(self.folds):
            self.set(f, slot, fold.identity())

    def get(self, f: int, slot: int | ir.Value) -> Accumulator:
        """What reduction ``f`` holds in ``slot``."""
        pairs = zip(self._rows[f], self.folds[f].dtypes, strict=True)
        return tuple([Vec(row.get(_index(slot)), dtype) for row, dtype in pairs])

    def set(self, f: int, slot: int | ir.Value, value: Accumulator) -> None:
        for row, part in zip(self._rows[f], value, strict=True):
            row.set(_index(slot), part.value)

    def take_in(self, values: Values, slot: int | ir.Value, mask: Any = None) -> None:
        """Fold the live lanes of a vector of elements into ``slot``."""
        for f, fold in enumerate(self.folds):
            x = fold.only(mask, tuple([values[a] for a in fold.args]))
            self.set(f, slot, fold.combine(self.get(f, slot), x))

    def merge(self, other: Accumulators) -> None:
        """Fold in what another set holds, slot by slot."""
        for slot in range(self.count):
            self.merge_slot(other, slot)

    def copy(self, other: Accumulators) -> None:
        """Hold what another set holds."""
        for f in range(len(self.folds)):
            for slot in range(self.count):
                self.set(f, slot, other.get(f, slot))

    def merge_slot(self, other: Accumulators, slot: int | ir.Value) -> None:
        for f, fold in enumerate(self.folds):
            self.set(f, slot, fold.combine(self.get(f, slot), other.get(f, slot)))

    def met(self, f: int) -> Accumulator:
        """All lanes of all slots of reduction ``f`` folded into lane 0."""
        return self.folds[f].meet([self.get(f, slot) for slot in range(self.count)])


def _index(slot: int | ir.Value) -> Any:
    return I64(slot) if isinstance(slot, int) else slot
