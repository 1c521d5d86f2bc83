"""Run-time slice starts: none may leave its array. Checked before every run, so that kernels need not look."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter, le

from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.interpret import at_site
from nbgrad.tape.tape import StartBounds


class Starts:
    """The bounds of one tape. Most starts are one number each, and many slices share it: those are checked together."""

    __slots__ = ("_all", "_get", "_highest", "_lowest", "_sums")

    def __init__(self, bounds: Sequence[StartBounds]) -> None:
        self._all = bounds
        single: dict[int, tuple[int, int]] = {}
        self._sums: list[StartBounds] = []
        for bound in bounds:
            if len(bound.terms) == 1 and bound.terms[0][1] == 1:
                position = bound.terms[0][0]
                lowest, highest = single.get(position, (bound.lowest, bound.highest))
                single[position] = max(lowest, bound.lowest), min(highest, bound.highest)
            else:
                self._sums.append(bound)
        positions = list(single)
        self._get = itemgetter(*positions, positions[0]) if positions else None  # twice the first: always a tuple
        pairs = [*single.values(), *[single[p] for p in positions[:1]]]
        self._lowest, self._highest = [low for low, _ in pairs], [high for _, high in pairs]

    def check(self, scalars: Sequence[float | int]) -> None:
        """Raise TensorIndexError where a start would leave its array."""
        if self._get is not None:
            values = self._get(scalars)
            if not (
                set(map(type, values)) <= {int}
                and all(map(le, self._lowest, values))
                and all(map(le, values, self._highest))
            ):
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
