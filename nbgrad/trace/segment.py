"""What was recorded since the last flush, in data; and what stays of that for derivatives."""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.handle import Handle, Retained, Share, Storage
from nbgrad.trace.trie import TrieNode, entry_at

NEAR: Final = 16  # entries that are as soon gone through as asked for


class Page:
    """What tensors of a segment have in common as long as nothing is written that others may show.

    A tensor whose page is that of the trace stands for its entry. Any other page only means: ask. So a page may be
    turned at any moment.
    """

    __slots__ = ("known", "scalars", "segment")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.scalars = segment.scalars
        self.known = segment.known


class Hooks(dict[int, Any]):
    """Those on a gradient, functions or NodeHooks, by the numbers of their handles, in order. ``depth``: how many
    function transforms what has them belongs to; gradients outside of these are others."""

    depth = 0


class Book:
    """What derivatives need to know of a segment: its numbers, leaves by entry, the user's lines where something can
    fail, earlier segments entered, custom functions.

    ``past`` are the histories that came from memory: (earlier segment, entry there), by entry. ``hooks`` are those on
    gradients, ``retained`` the tensors that keep their gradient, ``nodes`` what users know of nodes, and ``duals`` the
    tangents that entries were given, or None where tangents end (autograd/forward_ad.py). Lists only grow, but for what
    is taken back (rollback.py).
    """

    __slots__ = ("duals", "earlier", "functions", "hooks", "leaves", "lines", "nodes", "past", "retained", "scalars")

    def __init__(self) -> None:
        self.scalars: list[float | int] = []
        self.leaves: dict[int, Handle] = {}
        self.lines: dict[int, tuple[Any, int] | None] = {}
        self.past: dict[int, tuple[EarlierSegment, int]] = {}
        self.earlier: list[EarlierSegment] = []
        self.functions: list[Any] = []
        self.hooks: dict[int, Hooks] = {}
        self.retained: Retained = {}
        self.nodes: dict[int, Any] = {}
        self.duals: dict[int, Any] = {}

    @property
    def end(self) -> TrieNode:
        """The last entry, as far as it is known."""
        raise NotImplementedError


class EarlierSegment(Book):
    """A flushed segment that derivatives still need.

    ``struct`` is its structure (which trie path, which nodes were kept). ``buffers`` are its inputs, then its kept
    values. ``freed`` are the nodes that a backward without ``retain_graph`` has used up. ``born`` counts up. What came
    after the end of ``struct`` is no part of it: it would hold on to what its own derivatives went back through.
    ``read`` are the buffers of ``earlier`` as they came in: a gradient that was recorded with its graph reads them,
    whatever a backward of their own has used up since.
    """

    __slots__ = ("born", "buffers", "freed", "read", "struct")
    _count = itertools.count()

    def __init__(self, struct: Any, segment: Segment, buffers: list[Buffer | None], freed: frozenset[int]) -> None:
        self.struct, self.buffers, self.freed = struct, buffers, freed
        self.scalars, self.leaves, self.lines = segment.scalars, segment.leaves, segment.lines
        self.functions, self.hooks, self.retained = segment.functions, segment.hooks, segment.retained
        self.nodes, self.duals = segment.nodes, segment.duals
        self.earlier, self.read = segment.earlier[: struct.n_earlier], segment.buffers[: struct.n_earlier]
        past = segment.past
        self.past = {ix: h for ix, h in list(past.items()) if ix <= struct.end.ix} if past else {}
        self.born = next(EarlierSegment._count)

    @property
    def end(self) -> TrieNode:
        return self.struct.end  # type: ignore[no-any-return]

    @staticmethod
    def now() -> int:
        """A number between those of the segments so far and of all to come."""
        return next(EarlierSegment._count)

    def used_up(self) -> bool:
        """Whether no derivative will read a kept value any more."""
        return bool(self.struct.readers <= self.freed)


class Segment(Book):
    """What was recorded since the last flush, in data: ``inputs`` are tensors from memory.

    ``buffers[k]`` are those of earlier segment k as it came in: a backward recorded later frees them for others only.
    ``entered``: what came in, by id of a tensor: it (kept alive), its entry, what its value was then (a buffer; or the
    token and the entry of another thread's segment). ``moved``: by entry the tensor that stood for it before it was
    written. ``visit`` stands for the segment until entries of it are taken back. ``known`` are the shares of tensors
    that stand for an entry as long as the page is not turned, each with what ``entered`` says of its tensor, None where
    that is pending. ``shown`` says by entry which version of which storage it is of, and what the writes were counted
    to. ``linked`` are the histories tied to the earlier segments they are in. ``leaf_places`` says by its id where a
    leaf came in first. Other threads know what they took of it by its ``token``. ``read`` is its graph as far as
    another thread has read it. ``run`` is what a run that may write to memory of its inputs needs to be handed over.
    ``retained_before`` says by entry where a tensor of ``retained`` kept its gradient before, for entries that are
    taken back. ``by_user``: from which entry to which code of the user's that an operation of ours called was given
    something, or has recorded.
    """

    __slots__ = (
        *("__weakref__", "buffers", "entered", "inputs", "known", "leaf_places", "linked", "moved", "read"),
        *("by_user", "retained_before", "run", "shown", "token", "trace", "visit"),
    )

    def __init__(self, trace: Any) -> None:
        super().__init__()
        self.trace = trace
        self.inputs: list[Buffer] = []
        self.linked: set[int] = set()
        self.leaf_places: dict[int, tuple[int, int]] = {}
        self.buffers: list[list[Buffer | None]] = []
        self.entered: dict[int, tuple[Handle, TrieNode, object]] = {}
        self.moved: dict[int, weakref.ref[Handle]] = {}
        self.known: dict[Share, tuple[Handle, TrieNode, object] | None] = {}
        self.shown: dict[int, tuple[weakref.ref[Storage], int, int]] = {}
        self.token = self.visit = object()
        self.read: Any = None
        self.run: Any = None
        self.by_user: list[tuple[int, int]] = []
        self.retained_before: dict[int, tuple[Retained, int] | None] | None = None

    @property
    def end(self) -> TrieNode:
        return self.trace.node  # type: ignore[no-any-return]

    def entry_before(self, node: TrieNode, ix: int) -> TrieNode:
        """Entry ``ix`` of the path that leads to ``node``. The way back is long where a program looks at one element of
        a tensor after the other: then who stands there is asked first."""
        if node.ix - ix > NEAR:
            live = self.trace.live
            a = live[ix] if ix < len(live) else None
            if isinstance(a, Handle) and a._segment is self and a._at.ix == ix:
                return a._at  # type: ignore[return-value]
            if len(self.entered) <= NEAR:
                found = next((entry for _, entry, _ in list(self.entered.values()) if entry.ix == ix), None)
                if found is not None:
                    return found
        return entry_at(node, ix)
