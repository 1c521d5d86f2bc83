"""The cheapest set of values from which others can be made: a minimum cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nbgrad.graph.node import Node

_SOURCE: Final = 0
_SINK: Final = 1
_ENDLESS: Final = 1 << 62


def cheapest_cut(
    makers: Mapping[Node, Sequence[Node]], prices: Mapping[Node, int], wanted: Iterable[Node]
) -> set[Node]:
    """The values to keep, of the least total price, from which ``wanted`` can be made.

    ``makers`` has what each value is made of; a value that it doesn't have can only be kept. Of several such sets it is
    the one that leaves the least to make. Source: Ford and Fulkerson 1956, paths found breadth-first.
    """
    flow = _Flow()
    values = dict.fromkeys([*prices])
    entry = {v: 2 + 2 * i for i, v in enumerate(values)}  # a value is an edge, as wide as its price, to the next number
    for v, price in prices.items():
        flow.edge(entry[v], entry[v] + 1, price)
        if v not in makers:
            flow.edge(_SOURCE, entry[v], _ENDLESS)
        for x in makers.get(v, ()):
            flow.edge(entry[x] + 1, entry[v], _ENDLESS)
    for v in wanted:
        flow.edge(entry[v] + 1, _SINK, _ENDLESS)
    flow.fill()
    made = flow.before_the_sink()
    return {v for v in values if entry[v] + 1 in made and entry[v] not in made}


class _Flow:
    """A network: ``room`` is how much more can flow along each edge, and back along it."""

    def __init__(self) -> None:
        self.room: dict[int, dict[int, int]] = {_SOURCE: {}, _SINK: {}}

    def edge(self, a: int, b: int, width: int) -> None:
        there = self.room.setdefault(a, {})
        there[b] = there.get(b, 0) + width
        self.room.setdefault(b, {}).setdefault(a, 0)

    def fill(self) -> None:
        """Let as much flow from the source to the sink as there is room for."""
        while (came := self._path()) is not None:
            way = [_SINK]
            while way[-1] != _SOURCE:
                way.append(came[way[-1]])
            edges = list(zip(way[1:], way, strict=False))
            most = min([self.room[a][b] for a, b in edges])
            for a, b in edges:
                self.room[a][b] -= most
                self.room[b][a] += most

    def _path(self) -> dict[int, int] | None:
        """For each number on the shortest ways with room where it was come to from; None if none leads to the sink."""
        came = {_SOURCE: _SOURCE}
        queue = deque([_SOURCE])
        while queue:
            a = queue.popleft()
            for b, room in self.room[a].items():
                if room and b not in came:
                    came[b] = a
                    if b == _SINK:
                        return came
                    queue.append(b)
        return None

    def before_the_sink(self) -> set[int]:
        """The numbers from which more could flow to the sink."""
        found = {_SINK}
        stack = [_SINK]
        while stack:
            b = stack.pop()
            for a in self.room[b]:
                if self.room[a][b] and a not in found:
                    found.add(a)
                    stack.append(a)
        return found
