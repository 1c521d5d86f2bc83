"""Which graphs a stretch of a tape has: one for each set of addresses that a library's calls in it are told.

Nothing else in a graph changes from run to run. Memory that comes back to a pool is handed out again in the same way
(``memory.py``), so the runs of a training loop go through few sets of addresses; where inputs are made in turn at two
places, there are two. A graph is worth making when its addresses come the second time.
"""

from __future__ import annotations

from collections import deque
from typing import Final

MOST_GRAPHS: Final = 8  # of one stretch; as many sets of addresses are remembered, so none is made over and over
PATIENCE: Final = 16  # runs one after the other that find no graph: then that is said

Key = tuple[bool, bytes]  # whether TF32 is allowed; the addresses


class Graphs:
    """The graphs of one stretch, by key."""

    def __init__(self) -> None:
        self._made: dict[Key, int] = {}  # the one that was used last is the last one
        self._seen: deque[Key] = deque(maxlen=MOST_GRAPHS)
        self._misses = 0

    def find(self, key: Key) -> int:
        """The graph for ``key``; 0 where there is none."""
        graph = self._made.pop(key, 0)
        if graph:
            self._made[key] = graph
            self._misses = 0
        return graph

    def is_due(self, key: Key) -> bool:
        """Whether it is time for a graph for ``key``, which has none: it was asked for before, not long ago."""
        if key in self._seen:
            return True
        self._seen.append(key)
        return False

    def add(self, key: Key, graph: int) -> int:
        """Keep a graph; gives the one that has to go for it, or 0."""
        oldest = next(iter(self._made)) if len(self._made) == MOST_GRAPHS else None
        gone = 0 if oldest is None else self._made.pop(oldest)
        self._made[key] = graph
        self._misses = 0
        return gone

    def miss(self) -> bool:
        """A run goes without a graph: whether that is the last straw, for once."""
        self._misses += 1
        return self._misses == PATIENCE

    def drain(self) -> list[int]:
        """All graphs, which are forgotten."""
        made, self._made = list(self._made.values()), {}
        return made
