"""Run-time slice starts: none may leave its array. Checked before every run, so that kernels need not look."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.interpret import at_site
from nbgrad.tape.tape import StartBounds


class Starts:
    """The bounds of one tape. Most starts are one number each, and many slices share it."""

    __slots__ = ("_all", "_single", "_sums")

    def __init__(self, bounds: Sequence[StartBounds]) -> None:
        self._all = bounds
        self._sums: list[StartBounds] = []
        single: dict[tuple[int, int, int], None] = {}
        for bound in bounds:
            (position, coefficient), *others = bound.terms
            if others or coefficient != 1:
                self._sums.append(bound)
            else:
                single[position, bound.lowest, bound.highest] = None
        self._single = [*single]

    def check(self, scalars: Sequence[float | int]) -> None:
        """Raise TensorIndexError where a start would leave its array."""
        for position, lowest, highest in self._single:
            value = scalars[position]
            if type(value) is not int or not lowest <= value <= highest:
                check_each(self._all, scalars)
        if self._sums:
            check_each(self._sums, scalars)


def check_each(bounds: Sequence[StartBounds], scalars: Sequence[float | int]) -> None:
    """Raise the error of the first start that leaves its array."""
    for terms, lowest, highest, node in bounds:
        start = 0
        for position, coefficient in terms:
            value = scalars[position]
            if not isinstance(value, int):
                raise RunError(f"{node.op.name}: the start is {value!r}, not an integer{at_site(node)}")
            start += value * coefficient
        if not lowest <= start <= highest:
            raise TensorIndexError(
                f"{node.op.name}: start {start} is out of range, expected {lowest} to {highest}{at_site(node)}"
            )
