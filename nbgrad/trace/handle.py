"""The state behind a user's tensor, and what a thread has recorded."""

from __future__ import annotations

import copy
import itertools
import os
import threading
import weakref
from contextlib import AbstractContextManager
from typing import Any

from nbgrad.graph.spec import Spec
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.tracks import current_streams
from nbgrad.trace.claims import Claims
from nbgrad.trace.pace import Pace
from nbgrad.trace.trie import Leaf, TrieNode

ROOT = TrieNode(None, None, ("root",))
NOWHERE: tuple[object, TrieNode] = (None, ROOT)  # where a tensor came in that never did, by a known way


# A view call: what was called, the type marks of its numbers, the numbers, the static arguments.
ViewStep = tuple[Any, tuple[int, ...], tuple[Any, ...], tuple[Any, ...]]


class Handle:
    """State of a tensor.

    Pending: ``chapter`` is the chapter that recorded it and ``at`` its trie node. In memory: ``chapter`` is None,
    ``at`` a Leaf and ``buffer`` its bytes; ``history`` then names the segment and node it came from, where it has
    derivatives. ``rare`` holds what few tensors have (aliases, exports, flags). ``entered`` is where it came in last
    from memory: the entry, and the visit (of a chapter) that knows it. (NOWHERE says without an exception, which takes
    a microsecond, that it never did.)
    """

    __slots__ = ("__weakref__", "_grad", "_lock", "at", "buffer", "chapter", "entered", "history", "rare")

    at: TrieNode | Leaf
    chapter: Chapter | None
    buffer: Buffer
    history: tuple[Segment, int] | None
    _grad: Any
    _lock: tuple[int, AbstractContextManager[Any]]  # missing until a gradient is added
    entered: tuple[object, TrieNode]  # missing where nobody said so yet
    rare: Rare | None


class Rare:
    """What few tensors have.

    ``base`` and ``chain``: a view is its base seen through view calls (call, numbers, statics). ``views``: those of a
    base. ``entered``: a view's entry in the chapter (known by its token) that read it last. ``own_leaf``: a view that
    is a leaf with a gradient of its own. ``no_history``: a view made without gradient, whatever its base has.
    ``shared``: other bases with the same memory but another history (detach). ``stale``: written by one of those.
    ``error``: why the value could not be computed. ``retained``: where a computed tensor that keeps its gradient is
    written down. ``begun``: the token of the chapter that made a detached alias. ``savers``: who wants the value before
    a write (a custom function's context, and its place there). ``by_several``: threads write it in turns, so each runs
    what it has written at once. ``watched``: whoever watches the trace hears of a write before it, however it is
    recorded. ``rows``: a view of exported memory that shows whole rows of it, one after the other, begins so many bytes
    behind the base; -1 where that is not known.
    """

    __slots__ = (
        "base",
        "begun",
        "by_several",
        "chain",
        "entered",
        "error",
        "export",
        "no_history",
        "own_leaf",
        "retained",
        "rows",
        "savers",
        "shared",
        "stale",
        "views",
        "watched",
    )

    def __init__(self) -> None:
        self.base: Handle | None = None
        self.chain: tuple[ViewStep, ...] = ()
        self.entered: tuple[object, TrieNode] | None = None
        self.views: list[weakref.ref[Handle]] = []
        self.shared: Shared | None = None
        self.begun: object = None
        self.stale = False
        self.export: Any = None
        self.error: Exception | None = None
        self.own_leaf = False
        self.no_history = False
        self.retained: tuple[Retained, int] | None = None
        self.savers: list[tuple[weakref.ref[Any], int]] = []
        self.by_several = False
        self.watched = False
        self.rows = -1


def rare_of(a: Handle) -> Rare:
    """The ``Rare`` of ``a``, made where it had none."""
    if a.rare is None:
        made = Rare()
        if a.rare is None:  # no call between this line and the next: another thread may be about to make one, too
            a.rare = made
    return a.rare


def require_value(a: Handle) -> None:
    """Raise why the value of ``a`` could not be computed, if so."""
    if a.rare is not None and a.rare.error is not None:
        _hear(local.trace, a.rare.error)
        raise copy.copy(a.rare.error)  # one that was raised holds on to the frames that it passed


def _hear(trace: Trace, error: Exception) -> None:
    """Somebody is told of ``error``: on whatever device it was, the value may have been brought to this one since."""
    for place, other in list(trace.unheard.items()):
        if type(other) is type(error) and str(other) == str(error):
            trace.unheard.pop(place, None)


Retained = dict[int, weakref.ref[Handle]]  # tensors that keep their gradient, by entry


class Shared:
    """Bases that show one memory with different histories: a tensor and its detached aliases."""

    __slots__ = ("members", "value")

    def __init__(self) -> None:
        self.members: list[weakref.ref[Handle]] = []
        self.value: Handle | None = None  # what was written last, without history


class Segment:
    """A flushed chapter that derivatives still need.

    ``struct`` is its structure (which trie path, which nodes were kept). ``buffers`` are its inputs, then its kept
    values. ``streams`` are those of CUDA devices that it ran on. ``freed`` are the nodes that a backward without
    ``retain_graph`` has used up. ``retained`` are the tensors that keep their gradient, by entry. ``past`` are the
    histories it had from memory: (segment, entry there), by entry. ``born`` counts up. What came after the end of
    ``struct`` is no part of it: it would hold on to what its own derivatives went back through.
    """

    __slots__ = (
        "born",
        "buffers",
        "freed",
        "functions",
        "leaves",
        "past",
        "retained",
        "scalars",
        "segments",
        "streams",
        "struct",
    )
    _count = itertools.count()

    def __init__(self, struct: Any, chapter: Chapter, buffers: list[Buffer | None], freed: frozenset[int]) -> None:
        self.struct = struct
        self.buffers = buffers
        self.scalars = chapter.scalars
        self.leaves = chapter.leaves
        self.segments = chapter.segments[: struct.n_segments]
        self.functions = chapter.functions
        self.retained = chapter.retained
        self.past = {ix: h for ix, h in list(chapter.past.items()) if ix <= struct.end.ix}
        self.freed = freed
        self.streams = current_streams() if Spec.any_placed else ()
        self.born = next(Segment._count)

    def used_up(self) -> bool:
        """Whether no derivative will read a kept value any more."""
        return bool(self.struct.readers <= self.freed)


class Chapter:
    """What was recorded since the last flush, in data: inputs, numbers, leaves, segments entered, custom functions.

    ``buffers[k]`` are those of segment k as it came in: a backward recorded later frees them for others only.
    ``windows`` are the entries of views recorded like any value, ``bases`` the tensors from memory that they are of;
    ``has_inner_windows``: some may be of entries.
    ``shown`` are the views with derivatives, by entry. ``past`` are the histories that came from memory, ``linked``
    those tied to the segments they are in. ``unread`` are inputs whose exported memory is still to be copied: (place,
    tensor). ``leaf_places`` says by its id where a leaf came in first. The object is
    also the mark by which a tensor knows that it belongs to this chapter; views, which outlive it, know its ``token``.
    Tensors that came in know its ``visit``, another one where entries were taken back. ``read`` is its graph as far
    as another thread has read it. Lists only grow.
    """

    __slots__ = (
        "__weakref__",
        "bases",
        "buffers",
        "entered",
        "functions",
        "has_inner_windows",
        "inputs",
        "leaf_places",
        "leaves",
        "linked",
        "past",
        "read",
        "retained",
        "scalars",
        "segment_ix",
        "segments",
        "shown",
        "token",
        "trace",
        "unread",
        "visit",
        "windows",
    )

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self.inputs: list[Buffer] = []
        self.scalars: list[float | int] = []
        self.leaves: dict[int, Handle] = {}
        self.past: dict[int, tuple[Segment, int]] = {}
        self.linked: set[int] = set()
        self.leaf_places: dict[int, tuple[int, int]] = {}
        self.segments: list[Segment] = []
        self.buffers: list[list[Buffer | None]] = []
        self.segment_ix: dict[int, int] = {}
        self.functions: list[Any] = []
        self.retained: Retained = {}
        self.windows: list[int] = []
        self.bases: dict[int, Handle] = {}
        self.has_inner_windows = False
        self.shown: list[tuple[int, weakref.ref[Handle]]] = []
        self.token = object()
        self.visit = object()
        self.read: Any = None
        self.unread: list[tuple[int, Handle]] = []
        # By id of a tensor: it (kept alive), its entry, what its value was then (a buffer; or the token and the entry
        # of another thread's chapter).
        self.entered: dict[int, tuple[Handle, TrieNode, object]] = {}


windowed: set[weakref.ref[Chapter]] = set()  # while several threads record: the chapters that have windows


class Windows(list[int]):
    """The windows of a chapter while several threads record: once it has one the others find it in ``windowed``."""

    __slots__ = ("_chapter",)

    def __init__(self, chapter: Chapter) -> None:
        super().__init__()
        self._chapter = weakref.ref(chapter, windowed.discard)
        hash(self._chapter)  # which it keeps: the set can be asked for it when the chapter is gone

    def follow(self, before: list[int]) -> None:
        """These come before all others."""
        self[:0] = before
        if before:
            windowed.add(self._chapter)

    def append(self, ix: int) -> None:
        super().append(ix)
        windowed.add(self._chapter)


def show_to_others(chapter: Chapter) -> None:
    """Let other threads find the windows that ``chapter`` has and will have."""
    shown = Windows(chapter)
    before = chapter.windows
    chapter.windows = shown  # no call between the two lines: its thread may append meanwhile
    shown.follow(before)


class Trace:
    """One thread's recording: where it is in the trie, and the objects that stand for its entries.

    ``live[ix]`` is the tensor whose value entry ``ix`` is, or a placeholder nobody else holds. ``start`` is the user's
    instruction at which the chapter began, or the first that was new in it. ``watcher`` is told what a recording that
    will be run again must know.
    ``in_routine``: what is recorded now comes again as one, see routine.py.
    ``unheard`` is what failed on CUDA devices, by place, and was told to nobody yet.
    ``pace`` is how often values are looked at. ``running`` is held while a run may write to memory of the chapter's
    inputs: other threads do not read those then.
    """

    __slots__ = (
        "__weakref__",
        "builder",
        "chapter",
        "grad_enabled",
        "in_routine",
        "inference",
        "live",
        "node",
        "pace",
        "running",
        "sight",
        "start",
        "unheard",
        "watcher",
    )

    def __init__(self) -> None:
        self.grad_enabled = True
        self.in_routine = False
        self.inference = False
        self.watcher: Any = None
        self.running = threading.RLock()
        self.pace = Pace()
        self.unheard: dict[int, Exception] = {}
        self.reset()

    def reset(self) -> None:
        """Begin a new chapter."""
        self.pace.parts = 0
        self.node = ROOT
        self.chapter = Chapter(self)
        if threads.several:
            show_to_others(self.chapter)
        self.live: list[Any] = []
        self.builder: Any = None
        self.sight: Any = None
        self.start: tuple[Any, int] | None = None


class Threads:
    """Whether ``several`` threads have recorded so far. While only one has, it holds ``alone`` where another one, the
    first to join it, would have to wait. Whoever writes in place what depends on what is there holds ``writing``
    from reading it until it is written, as others may write other parts of it; so does whoever exports memory. Who
    takes long over that has ``claims`` instead. Memory that others see is written under ``storing``, which waits for
    nothing else."""

    __slots__ = ("_first", "_numbers", "alone", "claims", "several", "storing", "writing")

    def __init__(self) -> None:
        self.renew()
        self.several = False
        self._numbers = itertools.count()

    def join(self, trace: Trace) -> None:
        """A thread begins to record, as ``trace``."""
        if next(self._numbers) == 0:
            self._first = weakref.ref(trace)
            return
        was_first = not self.several
        self.several = True
        with self.alone:
            pass  # whoever comes to hold it from now on sees that there are several
        show_to_others(trace.chapter)
        first = self._first() if was_first else None
        if first is not None:
            show_to_others(first.chapter)

    def renew(self) -> None:
        """In a forked process: whoever held a lock is not there."""
        self.alone = threading.RLock()
        self.writing = threading.RLock()
        self.claims = Claims(self.writing)
        self.storing = threading.RLock()


threads = Threads()
os.register_at_fork(after_in_child=threads.renew)


class _Local(threading.local):
    def __init__(self) -> None:
        self.trace = Trace()
        threads.join(self.trace)


local = _Local()


def join() -> None:
    """Have this thread be one of those that record, if it is not yet: ``threads.several`` may become true by that."""
    _ = local.trace
