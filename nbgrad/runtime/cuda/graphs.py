"""Which graphs a stretch of a tape has: one for each set of addresses that a library's calls in it are told.

Nothing else in a graph changes from run to run. Memory that comes back to a pool is handed out again in the same way
(``memory.py``), so the runs of a training loop go through few sets of addresses; where inputs are made in turn at two
places, there are two. A graph is worth making when its addresses come the second time.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from nbgrad.runtime.cuda.owned import Owned

MOST_GRAPHS: Final = 8  # of one stretch; as many sets of addresses are remembered, so none is made over and over
PATIENCE: Final = 16  # runs one after the other that find no graph: then that is said

Key = tuple[bool, bytes]  # whether TF32 is allowed; the addresses


class Graphs:
    """The graphs of one stretch, by key."""

    def __init__(self) -> None:
        self._made: dict[Key, Owned] = {}  # the one that was used last is the last one
        self._seen: deque[Key] = deque(maxlen=MOST_GRAPHS)
        self._misses = 0

    def find(self, key: Key) -> Owned | None:
        """The graph for ``key``; None where there is none."""
        graph = self._made.pop(key, None)
        if graph is not None:
            self._made[key] = graph
            self._misses = 0
        return graph

    def is_due(self, key: Key) -> bool:
        """Whether it is time for a graph for ``key``, which has none: it was asked for before, not long ago."""
        if key in self._seen:
            return True
        self._seen.append(key)
        return False

    def add(self, key: Key, graph: Owned) -> None:
        """Keep a graph; the one that was not used for longest goes for it, where there are too many."""
        if len(self._made) == MOST_GRAPHS:
            del self._made[next(iter(self._made))]
        self._made[key] = graph
        self._misses = 0

    def miss(self) -> bool:
        """A run goes without a graph: whether that is the last straw, for once."""
        self._misses += 1
        return self._misses == PATIENCE
