"""The state behind a user's tensor, and memory that several tensors may show."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nbgrad.calls.views import ViewStep
from nbgrad.graph.spec import Shape, Spec
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.trie import Leaf, TrieNode

if TYPE_CHECKING:
    from nbgrad.trace.segment import EarlierSegment, Page, Segment
    from nbgrad.trace.thread import Trace

ROOT = TrieNode(None, None, ("root",))
NOWHERE = (object(), ROOT)  # where a tensor came in that never did


class Handle:
    """State of a tensor.

    Pending: ``_page`` is one of the segment that recorded it and ``_at`` its trie node. In memory: ``_page`` is None,
    ``_at`` a Leaf and ``_buffer`` its bytes; ``_history`` then names the earlier segment and node it came from, where
    it has derivatives. ``_entered``, which is not set before that is asked, says where it came in last: the ``visit``
    of a segment, and the entry there. ``_share`` says whose memory it shows, where it is not alone with it. All names
    without an underscore are PyTorch's or the user's, whose ``__dict__`` is made when somebody asks.
    """

    __slots__ = ("__dict__", "__weakref__", "_at", "_buffer", "_entered", "_grad", "_history", "_page", "_share")

    _at: TrieNode | Leaf
    _page: Page | None
    _buffer: Buffer
    _entered: tuple[object, TrieNode]
    _history: tuple[EarlierSegment, int] | None
    _grad: Any
    _share: Share | None

    @property
    def _segment(self) -> Segment | None:
        """The segment that this is pending in."""
        page = self._page
        return None if page is None else page.segment


class Later:
    """What files that come later do for those before them: each says so itself."""

    tensor: Callable[[], Handle] = Handle  # makes one of the class of results
    from_array: Callable[[Any], Handle]  # takes in arrays
    flush: Callable[[Trace], object]
    enter_modes: Callable[[Trace], None]  # begins a segment in other modes than the usual ones
    now: Callable[[Trace, Handle], TrieNode]  # knows what a tensor shows now
    read_foreign: Callable[[Trace, Handle], TrieNode]  # reads other threads' values
    write_down: Callable[[Trace], None]  # has tensors stand for what they are already
    resolve: Callable[[Trace], Trace]  # finds the trace of whoever comes while one is in hand


later = Later()


def make_tensor() -> Handle:
    """A tensor object without a value yet."""
    y = later.tensor()
    y._page = None
    y._entered = NOWHERE
    y._history = None
    y._grad = None
    y._share = None
    return y


def tensor_in(buffer: Any, at: Leaf) -> Handle:
    """A tensor with its value in ``buffer``."""
    y = make_tensor()
    y._buffer, y._at = buffer, at
    return y


def spec_of(a: Handle) -> Spec:
    """What the value of ``a`` is."""
    spec = a._at.spec
    assert spec is not None
    return spec


def plain(a: Handle) -> Leaf:
    """The state of a tensor from memory with the value of ``a``, and no gradient."""
    at = a._at
    if a._page is not None or not isinstance(at, Leaf):
        return Leaf.of(spec_of(a), False, True, at.inference)
    if at.is_leaf and not at.requires_grad:
        return at
    if at.plain is None:
        at.plain = Leaf.of(at.spec, False, True, at.inference)
    return at.plain


class Storage:
    """Memory that several tensors may show. Nobody is told of a write: ``version`` counts up, and who is used asks.

    A *root* is a tensor with a history of its own, ``roots`` are those that show this. ``whole`` is the value without
    history, once several roots show it and one of them has written: the others take it from there. ``export``: others
    see this memory. When they come to, that is a new version, too: what was recorded of the old memory is read again.
    ``strides`` are those of others' memory, where it is not row-major.
    """

    __slots__ = ("__weakref__", "export", "roots", "strides", "version", "whole")

    def __init__(self) -> None:
        self.version = 0
        self.roots: list[weakref.ref[Handle]] = []
        self.whole: Handle | None = None
        self.export: Any = None
        self.strides: Shape | None = None


# How a view was made, as the errors tell them apart by which PyTorch protects it. Of 0 is what is none.
PLAIN, NO_GRAD, SEVERAL, INFERENCE, CUSTOM = 1, 2, 3, 4, 5


Retained = dict[int, weakref.ref[Handle]]  # tensors that keep their gradient, by entry


class Share:
    """What of a storage a tensor shows, and how.

    ``root`` is the tensor whose history it has (None: its own), seen through ``steps``. ``base`` is the share that the
    root had: where it has another one, it went on to other memory (``x.data = y``), and ``rest`` of the old one is the
    root that stays behind. ``seen`` is the version of the storage that its entry, history and value are of. ``counter``
    is one for a tensor, its views and what is detached from it, as PyTorch counts writes (a second item: somebody has
    read it, so it stays); ``counted`` what it was when the view was made. ``above``: of a leaf that is a view, the root
    that it had. ``shown``: of a root that nobody holds, the detached view that it was made for; strongly once that is a
    leaf. ``born``: the entry that it stood for when this was made, or the token of the segment that made a detached
    alias. ``retained`` is where a computed tensor that keeps its gradient is written down. ``error``: why the value
    could not be computed. ``watched``: whoever watches the trace hears of a write before it, however it is recorded.
    ``rows``: a view of exported memory that shows whole rows of it, one after the other, begins so many bytes behind
    the root, if that is row-major; -1 where that is not known.
    """

    __slots__ = (
        *("above", "base", "born", "counted", "counter", "error", "kind", "rest", "retained", "root", "rows", "seen"),
        *("shown", "steps", "storage", "watched"),
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
        self.base = None if root is None else root._share
        self.rest: Handle | None = None
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


def is_lost(a: Handle) -> bool:
    """Whether the value of ``a`` could not be computed."""
    return a._share is not None and a._share.error is not None
