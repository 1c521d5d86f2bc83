"""The state behind a user's tensor, and what a thread has recorded."""

from __future__ import annotations

import copy
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from nbgrad.calls.views import ViewStep
from nbgrad.graph.spec import Spec
from nbgrad.runtime.buffers import Buffer
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.trie import Leaf, TrieNode

ROOT = TrieNode(None, None, ("root",))
NOWHERE: tuple[object, TrieNode] = (None, ROOT)  # where a tensor came in that never did, by a known way


class Handle:
    """State of a tensor.

    Pending: ``page`` is one of the segment that recorded it and ``at`` its trie node. In memory: ``page`` is None,
    ``at`` a Leaf and ``buffer`` its bytes; ``history`` then names the earlier segment and node it came from, where it
    has derivatives. ``share`` says whose memory it shows, where it is not alone with it. ``entered`` is where it came
    in last from memory: the entry, and the visit (of a segment) that knows it. (NOWHERE says without an exception,
    which takes a microsecond, that it never did.) ``__dict__`` is the user's: it is made when somebody asks.
    """

    __slots__ = ("__dict__", "__weakref__", "_grad", "at", "buffer", "entered", "history", "page", "share")

    at: TrieNode | Leaf
    page: Page | None
    buffer: Buffer
    history: tuple[EarlierSegment, int] | None
    _grad: Any
    entered: tuple[object, TrieNode]  # missing where nobody said so yet
    share: Share | None

    @property
    def segment(self) -> Segment | None:
        """The segment that this is pending in."""
        page = self.page
        return None if page is None else page.segment


class Later:
    """What files that come later do for those before them: each says so itself."""

    tensor: type[Handle] = Handle  # the class of results
    from_array: Callable[[Any], Handle]  # takes in arrays
    flush: Callable[[Trace], object]
    enter_mode: Callable[[Trace], None]  # begins a segment in another grad mode than the usual one
    now: Callable[[Trace, Handle], TrieNode]  # knows what a tensor shows now
    read_foreign: Callable[[Trace, Handle], TrieNode]  # reads other threads' values
    resolve: Callable[[Trace], Trace]  # finds the trace of whoever comes while one is in hand


later = Later()


def make_tensor() -> Handle:
    """A tensor object without a value yet."""
    y = later.tensor()
    y.page = None
    y.history = None
    y._grad = None
    y.share = None
    y.entered = NOWHERE
    return y


def spec_of(a: Handle) -> Spec:
    """What the value of ``a`` is."""
    spec = a.at.spec
    assert spec is not None
    return spec


def plain(a: Handle) -> Leaf:
    """The state of a tensor from memory with the value of ``a``, and no gradient."""
    at = a.at
    if a.page is None and at.is_leaf and not at.requires_grad:
        return at  # type: ignore[return-value]
    return Leaf.of(spec_of(a), False, True, at.inference)


class Page:
    """What tensors of a segment have in common as long as nothing is written that others may show.

    A tensor whose page is that of the trace stands for its entry. Any other page only means: ask. So a page may be
    turned at any moment.
    """

    __slots__ = ("scalars", "segment")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.scalars = segment.scalars


class Storage:
    """Memory that several tensors may show. Nobody is told of a write: ``version`` counts up, and who is used asks.

    A *root* is a tensor with a history of its own, ``roots`` are those that show this. ``whole`` is the value without
    history, once several roots show it and one of them has written: the others take it from there. ``rest`` is the
    root that stays behind for its views where a tensor, ``gone``, went on to other memory (``x.data = y``). ``onto``:
    all of this is memory of another storage from now on, what a share of that shows. ``export``: others see this
    memory. When they come to, that is a new version, too: what was recorded of the old memory is read again.
    """

    __slots__ = ("__weakref__", "export", "gone", "onto", "rest", "roots", "version", "whole")

    def __init__(self) -> None:
        self.version = 0
        self.roots: list[weakref.ref[Handle]] = []
        self.whole: Handle | None = None
        self.rest: Handle | None = None
        self.gone: weakref.ref[Handle] | None = None
        self.onto: Share | None = None
        self.export: Any = None


# How a view was made, as the errors tell them apart by which PyTorch protects it. Of 0 is what is none.
PLAIN, NO_GRAD, SEVERAL, INFERENCE, CUSTOM = 1, 2, 3, 4, 5


class Share:
    """What of a storage a tensor shows, and how.

    ``root`` is the tensor whose history it has (None: its own), seen through ``steps``. ``seen`` is the version of the
    storage that its entry, history and value are of. ``counter`` is one for a tensor, its views and what is detached
    from it, as PyTorch counts writes (a second item: somebody has read it, so it stays); ``counted`` what it was when
    the view was made. ``above``: of a leaf that is a view, the root that it had. ``shown``: of a root that nobody
    holds, the detached view that it was made for; strongly once that is a leaf. ``born``: the entry that it stood for
    when this was made, or the token of the segment that made a detached alias. ``retained`` is where a computed tensor
    that keeps its gradient is written down. ``error``: why the value could not be computed.
    ``watched``: whoever watches the trace hears of a write before it, however it is recorded. ``rows``: a view of
    exported memory that shows whole rows of it, one after the other, begins so many bytes behind the root; -1 where
    that is not known.
    """

    __slots__ = (
        "above",
        "born",
        "counted",
        "counter",
        "error",
        "kind",
        "retained",
        "root",
        "rows",
        "seen",
        "shown",
        "steps",
        "storage",
        "watched",
    )

    def __init__(
        self,
        storage: Storage,
        root: Handle | None = None,
        steps: tuple[ViewStep, ...] = (),
        kind: int = PLAIN,
        counter: list[int] | None = None,
    ) -> None:
        self.storage = storage
        self.root = root
        self.steps = steps
        self.kind = kind
        self.seen = storage.version
        self.counter = [0] if counter is None else counter
        self.counted = self.counter[0]
        self.above: Handle | None = None
        self.shown: Handle | weakref.ref[Handle] | None = None
        self.born: object = None
        self.retained: tuple[Retained, int] | None = None
        self.error: Exception | None = None
        self.watched = False
        self.rows = -1


FRESH_VIEW = Share(Storage())  # of a fresh view: what it shows, the key of its entry says (storage.py)


def require_value(a: Handle) -> None:
    """Raise why the value of ``a`` could not be computed, if so."""
    if a.share is not None and a.share.error is not None:
        _hear(local.trace, a.share.error)
        raise copy.copy(a.share.error)  # one that was raised holds on to the frames that it passed


def is_lost(a: Handle) -> bool:
    """Whether the value of ``a`` could not be computed."""
    return a.share is not None and a.share.error is not None


def _hear(trace: Trace, error: Exception) -> None:
    """Somebody is told of ``error``: on whatever device it was, the value may have been brought to this one since."""
    for place, other in list(trace.unheard.items()):
        if type(other) is type(error) and str(other) == str(error):
            trace.unheard.pop(place, None)


class Hooks(dict[int, Any]):
    """Those on a gradient, functions or NodeHooks, by the numbers of their handles, in order. ``depth``: how many
    function transforms what has them belongs to; gradients outside of these are others."""

    depth = 0


Retained = dict[int, weakref.ref[Handle]]  # tensors that keep their gradient, by entry


class EarlierSegment:
    """A flushed segment that derivatives still need.

    ``struct`` is its structure (which trie path, which nodes were kept). ``buffers`` are its inputs, then its kept
    values. ``freed`` are the nodes that a backward without ``retain_graph`` has used up. ``hooks`` are those on
    gradients, ``retained`` the tensors that keep their gradient, ``nodes`` what users know of nodes, by entry, and
    ``duals`` what a dual level does. ``past`` are the histories it had from memory: (earlier segment, entry there), by
    entry. ``born`` counts up. What came after the end of ``struct`` is no part of it: it would hold on to what its own
    derivatives went back through.
    """

    __slots__ = (
        "born",
        "buffers",
        "duals",
        "earlier",
        "freed",
        "functions",
        "hooks",
        "leaves",
        "lines",
        "nodes",
        "past",
        "retained",
        "scalars",
        "struct",
    )
    _count = itertools.count()

    def __init__(self, struct: Any, segment: Segment, buffers: list[Buffer | None], freed: frozenset[int]) -> None:
        self.struct = struct
        self.buffers = buffers
        self.scalars = segment.scalars
        self.leaves = segment.leaves
        self.lines = segment.lines
        self.earlier = segment.earlier[: struct.n_earlier]
        self.functions = segment.functions
        self.hooks = segment.hooks
        self.retained = segment.retained
        self.nodes = segment.nodes
        self.duals = segment.duals
        self.past = {ix: h for ix, h in list(segment.past.items()) if ix <= struct.end.ix}
        self.freed = freed
        self.born = next(EarlierSegment._count)

    @staticmethod
    def now() -> int:
        """A number between those of the segments so far and of all to come."""
        return next(EarlierSegment._count)

    def used_up(self) -> bool:
        """Whether no derivative will read a kept value any more."""
        return bool(self.struct.readers <= self.freed)


class Segment:
    """What was recorded since the last flush, in data: inputs, numbers, leaves, earlier segments entered, custom
    functions.

    ``buffers[k]`` are those of earlier segment k as it came in: a backward recorded later frees them for others only.
    ``lines`` are the user's, by entry, where something can fail.
    ``duals`` are the tangents that entries were given, or None where tangents end (autograd/forward_ad.py).
    ``moved``: by entry the tensor that stood for it before it was written. ``past`` are the histories that came from
    memory, ``linked`` those tied to the earlier segments they are in. ``unread`` are inputs whose exported memory is
    still to be copied: (place, tensor). ``leaf_places`` says by its id where a leaf came in first. Other threads know
    what they took of it by its ``token``. Tensors that came in know its ``visit``, another one where entries were taken
    back. ``read`` is its graph as far as another thread has read it. ``run`` is what a run that may write to memory of
    its inputs needs to be handed over. Lists only grow.
    """

    __slots__ = (
        "__weakref__",
        "buffers",
        "duals",
        "earlier",
        "entered",
        "functions",
        "hooks",
        "inputs",
        "leaf_places",
        "leaves",
        "lines",
        "linked",
        "moved",
        "nodes",
        "past",
        "patience",
        "read",
        "retained",
        "run",
        "scalars",
        "token",
        "trace",
        "unread",
        "visit",
    )

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self.inputs: list[Buffer] = []
        self.scalars: list[float | int] = []
        self.leaves: dict[int, Handle] = {}
        self.lines: dict[int, tuple[Any, int] | None] = {}
        self.past: dict[int, tuple[EarlierSegment, int]] = {}
        self.linked: set[int] = set()
        self.leaf_places: dict[int, tuple[int, int]] = {}
        self.earlier: list[EarlierSegment] = []
        self.buffers: list[list[Buffer | None]] = []
        self.functions: list[Any] = []
        self.hooks: dict[int, Hooks] = {}
        self.retained: Retained = {}
        self.nodes: dict[int, Any] = {}
        self.duals: dict[int, Any] = {}
        self.moved: dict[int, weakref.ref[Handle]] = {}
        self.patience: Any = None
        self.token = object()
        self.visit = self.token
        self.read: Any = None
        self.run: Any = None
        self.unread: list[tuple[int, Handle]] = []
        # By id of a tensor: it (kept alive), its entry, what its value was then (a buffer; or the token and the entry
        # of another thread's segment).
        self.entered: dict[int, tuple[Handle, TrieNode, object]] = {}


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


class Trace:
    """One thread's recording: where it is in the trie, and the objects that stand for its entries.

    ``live[ix]`` is the tensor whose value entry ``ix`` is, or a placeholder nobody else holds. ``start`` is the user's
    instruction at which the segment began, or the first that was new in it. ``watcher`` is told what a recording that
    will be run again must know.
    ``transforms``: how many function transforms what is recorded now is inside; ``vmaps``: of those in which
    nothing can run the first entry, and by id the tensors from outside that were written.
    ``anomaly``: the user's lines of all operations are noted, and whether a backward looks for NaN; None: neither.
    ``callbacks`` are called at the end of the derivative that code of the user's runs in; None: it runs in none.
    ``duals``: the dual level that is open. ``is_plain``: for either, compiled functions run as they are written.
    ``in_block``: what is recorded now comes again as one, see block.py.
    ``unheard`` is what failed on CUDA devices, by place, and was told to nobody yet.
    ``taken`` is True, HELD or APART while an operation or a flush has the trace in hand, see nested.py. At ``rest``
    it is False, or SHARED, or NESTED where it was put over ``below``, which was in hand then and has it ``above``.
    ``strays`` counts who came with such a trace: where it is not 0, tensors of the segment may stand for what was
    recorded there.
    """

    __slots__ = (
        "__weakref__",
        "above",
        "anomaly",
        "baseline",
        "below",
        "builder",
        "callbacks",
        "duals",
        "grad_enabled",
        "in_block",
        "inference",
        "is_plain",
        "live",
        "node",
        "page",
        "rest",
        "segment",
        "start",
        "strays",
        "taken",
        "thread",
        "transforms",
        "unheard",
        "vmaps",
        "watcher",
    )

    def __init__(self, below: Trace | None = None) -> None:
        self.below = below
        self.above: Trace | None = None
        self.thread = threading.get_ident()
        self.rest: bool | object = False if below is None else NESTED
        self.taken = self.rest
        self.grad_enabled = True
        self.in_block = False
        self.inference = False
        self.anomaly: bool | None = None
        self.callbacks: list[Callable[[], object]] | None = None
        self.duals: Any = None
        self.is_plain = False
        self.transforms = 0
        self.vmaps: list[Vmap] = []
        self.watcher: Any = None
        self.unheard: dict[int, Exception] = {}
        self.reset()

    def reset(self) -> None:
        """Begin a new segment."""
        self.node = ROOT
        self.segment = Segment(self)
        self.page = Page(self.segment)
        self.live: list[Any] = []
        self.builder: Any = None
        self.baseline: Any = None
        self.start: tuple[Any, int] | None = None
        self.strays = 0 if self.below is self.above is None else 1

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
        if not self.lock.is_mine():
            self.lock = Lock()


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


def _turn_page(trace: Trace) -> None:
    """Turn it on each trace of the thread."""
    while trace.below is not None:
        trace = trace.below
    one: Trace | None = trace
    while one is not None:
        page = Page(one.segment)
        one.page = page if one.segment is page.segment else one.page  # nested code may have begun another one
        one = one.above
