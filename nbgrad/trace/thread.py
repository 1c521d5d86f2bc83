"""What each thread records on, and whose turn it is where several threads record."""

from __future__ import annotations

import copy
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import DType
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.handle import ROOT, Handle, Storage, later
from nbgrad.trace.segment import Page, Segment
from nbgrad.trace.trie import TrieNode

NESTED: Final = object()  # of a trace over another one: whoever begins to use it looks whether that is free again
SHARED: Final = object()  # of a trace that nobody has in hand, while other threads record: they take turns
HELD: Final = object()  # of a trace in hand, whose thread's turn it is
APART: Final = object()  # of a trace in hand, while it is the turn of others


class Vmap(NamedTuple):
    """A vmap that is open: the entries that stand for one of its ``size`` examples, which custom functions add to, the
    tensors from outside that were written inside, by id, and what calls of custom functions have saved. ``shown``:
    storages, with their versions, of arguments and results of such that show the same memory outside. ``depth``: in how
    many transforms that differentiate it is."""

    entries: list[Any]
    size: int
    randomness: str
    outer: dict[int, Handle]
    calls: list[Any]
    shown: list[tuple[Storage, int]]
    depth: int


@dataclass(slots=True, weakref_slot=True, eq=False)
class Trace:
    """One thread's recording: where it is in the trie, and the objects that stand for its entries.

    ``live[ix]`` is the tensor whose value entry ``ix`` is, or a placeholder nobody else holds. ``start`` is the user's
    instruction at which the segment began, or the first that was new in it. ``watcher`` is told what a recording that
    will be run again must know.
    ``transforms``: how many function transforms what is recorded now is inside; ``vmaps``: of those in which
    nothing can run the first entry, and by id the tensors from outside that were written.
    ``autocast``: (dtype on the CPU, on CUDA devices) of lower precision, None where there is none; None: nowhere.
    ``anomaly``: the user's lines of all operations are noted, and whether a backward looks for NaN; None: neither.
    ``callbacks`` are called at the end of the derivative that code of the user's runs in; None: it runs in none.
    ``duals``: the dual level that is open.
    ``in_block``: what is recorded now comes again as one, see block.py. ``unwritten``: of one that is taken over, what
    its tensors do not stand for yet.
    ``saver``: who is called after each operation, to save in another way what it saves, or to keep what a checkpoint is
    to keep. The trace rests SHARED then.
    ``unheard`` is what failed on CUDA devices, by place, and was told to nobody yet.
    ``taken`` is True, HELD or APART while an operation or a flush has the trace in hand, see nested.py. At ``rest``
    it is False, or SHARED, or NESTED where it was put over ``below``, which was in hand then and has it ``above``.
    ``strays`` counts who came with such a trace: where it is not 0, tensors of the segment may stand for what was
    recorded there. Who comes in between has the modes of the user's code: ``users_mode`` where what is in hand records
    in another grad mode meanwhile (None: it does not); ``begun_in`` is what they were when this was put over ``below``.
    """

    below: Trace | None = None
    above: Trace | None = None
    grad_enabled: bool = True
    inference: bool = False
    users_mode: tuple[bool, bool] | None = None
    begun_in: tuple[Any, ...] = (True, False, None)
    in_block: bool = False
    autocast: tuple[DType | None, DType | None] | None = None
    anomaly: bool | None = None
    callbacks: list[Callable[[], object]] | None = None
    duals: Any = None
    saver: Callable[[], None] | None = None
    unwritten: Any = None
    transforms: int = 0
    vmaps: list[Vmap] = field(default_factory=list)
    watcher: Any = None
    unheard: dict[int, Exception] = field(default_factory=dict)
    thread: int = field(default_factory=threading.get_ident)
    rest: bool | object = field(init=False)
    taken: bool | object = field(init=False)
    strays: int = field(init=False)
    start: tuple[Any, int] | None = field(init=False)
    node: TrieNode = field(init=False)
    segment: Segment = field(init=False)
    page: Page = field(init=False)
    live: list[Any] = field(init=False)
    builder: Any = field(init=False)
    baseline: Any = field(init=False)

    def __post_init__(self) -> None:
        self.taken = self.rest = False if self.below is None else NESTED
        self.reset()

    def reset(self) -> None:
        """Begin a new segment, as ``AtOnce`` does, too."""
        self.node = ROOT
        self.segment = Segment(self)
        self.page = Page(self.segment)
        self.live = []
        self.builder = self.baseline = self.start = None
        self.strays = 0 if self.below is self.above is None else 1

    @property
    def users_modes(self) -> tuple[Any, ...]:
        """Grad mode, inference mode and autocast of the user's code."""
        return *(self.users_mode or (self.grad_enabled, self.inference)), self.autocast

    @property
    def is_in_hand(self) -> bool:
        """Whether an operation or a flush is at work on it."""
        return self.taken is True or self.taken is HELD or self.taken is APART


class Threads:
    """Whether ``several`` threads have recorded so far. Then whoever takes a trace in hand holds ``lock`` until it is
    given back, but for runs and code of the user's; what reads and writes in more than one operation holds it
    throughout. ``traces`` are those of all threads, ``living`` stands for the threads that have not ended. ``watched``
    are the traces that have a watcher: nearly always none."""

    __slots__ = ("_numbers", "living", "lock", "several", "traces", "watched")

    def __init__(self) -> None:
        self.lock = Lock()
        self.several = False
        self.watched: set[Trace] = set()
        self.traces: weakref.WeakSet[Trace] = weakref.WeakSet()
        self.living: weakref.WeakSet[Living] = weakref.WeakSet()
        self._numbers = itertools.count()

    def join(self, trace: Trace, thread: Living) -> None:
        """A thread begins to record, as ``trace``. Whoever recorded alone ends what it has begun."""
        with self.lock:
            others = list(self.traces)
            self.traces.add(trace)
            self.living.add(thread)
            if next(self._numbers) == 0:
                return
            self.several, trace.rest, trace.taken = True, SHARED, SHARED
        for other in others:
            other.rest = SHARED
            while True:
                other.taken = SHARED if other.taken is False else other.taken  # one line: it may not begin meanwhile
                if other.taken is not True:
                    break
                time.sleep(_WAIT_S)

    def watch(self, trace: Trace, watcher: Any) -> None:
        """``watcher`` is told what is recorded in ``trace``; None: nobody."""
        trace.watcher = watcher
        (self.watched.discard if watcher is None else self.watched.add)(trace)

    def after_fork(self) -> None:
        """In a forked process: the other threads are not there."""
        self.traces = weakref.WeakSet([trace for trace in self.traces if trace.thread == threading.get_ident()])
        self.watched.intersection_update(self.traces)


class Living:
    """Is there as long as its thread."""

    __slots__ = ("__weakref__",)


_WAIT_S: Final = 1e-4  # for an operation to end: they take microseconds, flushes milliseconds

threads = Threads()
os.register_at_fork(after_in_child=threads.after_fork)


here: Final = threading.local()  # ``top`` is the trace that this thread used last, if it used any; a plain one is quick


def begin() -> Trace:
    """The trace of a thread that used none yet."""
    trace, here.thread = Trace(), Living()
    threads.join(trace, here.thread)  # before it is found: Ctrl-C may come meanwhile
    return here.__dict__.setdefault("top", trace)  # type: ignore[no-any-return]


class _Local:
    """``top`` is the trace that this thread used last, ``trace`` the one that whoever asks records on."""

    __slots__ = ()

    @property
    def top(self) -> Trace:
        try:
            return here.top  # type: ignore[no-any-return]
        except AttributeError:
            return begin()

    @property
    def trace(self) -> Trace:
        try:
            top = here.top
        except AttributeError:
            top = begin()
        return later.resolve(top) if top.taken else top


local = _Local()


def turn_page(trace: Trace) -> None:
    """Have whatever is used next on this thread ask whether it still stands for its entry: something is written that
    others may show. While several threads record, on all of them."""
    _turn_page(trace)
    if threads.several:
        with threads.lock:
            for other in threads.traces:
                _turn_page(other)


def next_page(trace: Trace) -> Page:
    """The page that whoever writes turns to in the line that writes, where nobody is known."""
    page = Page(trace.segment)
    page.known = {}
    return page


def _turn_page(trace: Trace) -> None:
    """Turn it on each trace of the thread."""
    while trace.below is not None:
        trace = trace.below
    one: Trace | None = trace
    while one is not None:
        one.segment.known.clear()
        page = Page(one.segment)
        one.page = page if one.segment is page.segment else one.page  # nested code may have begun another one
        one = one.above


def require_value(a: Handle) -> None:
    """Raise why the value of ``a`` could not be computed, if so: then somebody was told of it, on whatever device it
    was, as the value may have been brought to this one since."""
    if a._share is not None and (error := a._share.error) is not None:
        unheard = local.trace.unheard
        for place, other in list(unheard.items()):
            if type(other) is type(error) and str(other) == str(error):
                unheard.pop(place, None)
        raise copy.copy(error)  # one that was raised holds on to the frames that it passed
