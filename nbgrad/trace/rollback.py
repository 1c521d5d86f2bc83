"""Taking back what was recorded since a point, after an error or Ctrl-C in the middle of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbgrad.errors import NbgradError
from nbgrad.trace.baseline_builder import NO_BASELINE
from nbgrad.trace.builder import OWN
from nbgrad.trace.flush_plan import held_entries
from nbgrad.trace.flushing import bits_of, flush, lose
from nbgrad.trace.handle import FRESH_VIEW, PLAIN, Handle, Share
from nbgrad.trace.mode import switch_on
from nbgrad.trace.now import value_at
from nbgrad.trace.segment import Segment
from nbgrad.trace.storage import keep_views, root_of
from nbgrad.trace.thread import Trace, turn_page
from nbgrad.trace.trie import Record, TrieNode, entry_at

FAILED_LENGTH = 100  # entries whose graph takes about 2 ms to build

Kept = tuple[Any, str, Any]  # an object, an attribute, what it was


def go_back(trace: Trace, node: TrieNode, kept: list[Kept]) -> None:
    """Take back what was recorded after ``node`` without entering segments or custom functions, and ``kept``."""
    mark = Bookmark(trace)
    mark._node, mark.kept = node, kept
    mark.restore()


class Bookmark:
    """Where a trace was. ``restore`` brings it back there, and the tensors given to ``keep`` with their gradients."""

    __slots__ = ("_earlier", "_functions", "_linked", "_mode", "_node", "_segment", "_trace", "_users_mode", "kept")

    def __init__(self, trace: Trace) -> None:
        segment = trace.segment
        self._trace, self._segment, self._node = trace, segment, trace.node
        self._mode, self._users_mode = (trace.grad_enabled, trace.inference, trace.autocast), trace.users_mode
        self._earlier, self._functions = len(segment.earlier), len(segment.functions)
        self._linked = set(segment.linked) if segment.linked else None
        self.kept: list[Kept] = []

    def keep(self, x: Handle) -> None:
        """Remember ``x.grad``, the state of that tensor and of those that show its memory, before they are written."""
        grad = x._grad
        self.kept.append((x, "_grad", grad))
        if grad is None:
            return
        root = root_of(grad)
        self._note(root, "_at", "_page")
        if root._share is None:
            return
        storage = root._share.storage
        self._note(root._share, "seen", "retained")
        self._note(storage, "version", "whole")
        if storage.whole is not None:
            self._note(storage.whole, "_at", "_page")

    def _note(self, thing: Any, *names: str) -> None:
        self.kept += [(thing, name, getattr(thing, name)) for name in names]

    def has_users_code(self) -> bool:
        """Whether code of the user's, a hook's or a custom function's, has recorded or was given something since."""
        return any(end > self._node.ix for _, end in self._segment.by_user)

    def restore_modes(self) -> None:
        """End a mode that did not end, as a signal's handler raised before it could."""
        self._trace.users_mode = self._users_mode
        switch_on(self._trace, *self._mode[:2])

    def restore(self) -> None:
        """Undo, unless the segment was flushed meanwhile: what ran cannot be taken back, and is complete. What code of
        the user's has computed, written or kept meanwhile, a hook's or a custom function's, has its value and its
        history."""
        trace, segment = self._trace, self._segment
        if trace.segment is not segment:
            self.restore_modes()
            return
        values: list[tuple[Handle, Handle | Exception]] = []
        try:
            if self.has_users_code():
                written = [(a, at) for a, name, at in self.kept if name == "_at" and isinstance(at, TrieNode)]
                kept = [(a, at) for a, at in written if entry_at(trace.node, at.ix) is at]
                values += _values_by_user(trace, self._node.ix, kept)
        finally:
            self._take_back(trace, segment)
            for a, value in values:
                if isinstance(value, Handle):
                    a._buffer, a._history, a._at, a._page = value._buffer, value._history, value._at, None
                else:
                    lose(trace, a, value)

    def cut(self, error: BaseException) -> None:
        """After ``restore``, run what was recorded before, where that is long: its graph is gone, and in a loop in
        which derivatives fail, each would build all of it again. Ctrl-C waits for nothing."""
        t = self._trace
        is_one = t.watcher is not None or t.in_block or t.transforms or t.vmaps
        if t.node.ix >= FAILED_LENGTH and not is_one and isinstance(error, Exception):
            flush(t)

    def _take_back(self, trace: Trace, segment: Segment) -> None:
        trace.users_mode = self._users_mode
        trace.node = self._node
        trace.builder = None
        trace.baseline = NO_BASELINE
        trace.grad_enabled, trace.inference, trace.autocast = self._mode
        node = self._node
        for a in trace.live[node.ix + 1 :]:
            if isinstance(a, Handle) and a._share is not None and a._share is not FRESH_VIEW:
                _put_back(trace, a, a._share)
        del trace.live[node.ix + 1 :]
        del segment.inputs[node.n_inputs :]
        del segment.scalars[node.n_scalars :]
        del segment.earlier[self._earlier :]
        del segment.buffers[self._earlier :]
        del segment.functions[self._functions :]
        last = node.ix
        segment.by_user = [(begin, end) for begin, end in segment.by_user if end <= last]
        others = ("moved", "shown", "leaves", "past", "lines", "hooks", "nodes", "duals")  # go on with theirs, perhaps
        for name in others:
            setattr(segment, name, {ix: x for ix, x in getattr(segment, name).items() if ix <= last})
        segment.visit = object()
        segment.entered = {k: v for k, v in segment.entered.items() if v[1].ix <= last}
        while segment.retained and (ix := max(segment.retained)) > last:
            _retain_as_before(segment, ix)
        segment.linked = set() if self._linked is None else self._linked
        places = segment.leaf_places.items()
        segment.leaf_places = {i: p for i, p in places if (p[1] <= last if p[0] == OWN else p[0] < self._earlier)}
        for thing, name, value in reversed(self.kept):
            setattr(thing, name, value)
        for thing, name, _ in self.kept:
            if name == "_at" and thing._segment is segment and thing._at.ix <= last:
                trace.live[thing._at.ix] = thing
        turn_page(trace)  # views that were read since stand for what is no more


def _values_by_user(
    trace: Trace, last: int, kept: list[tuple[Handle, TrieNode]]
) -> Iterator[tuple[Handle, Handle | Exception]]:
    """What somebody holds, or is ``kept``, that code of the user's has recorded, or was given, after entry ``last``;
    and its value with its history, or why that cannot be computed."""
    keep_views(trace)
    spans = trace.segment.by_user
    for a, entry in (*held_entries(trace, bits_of(trace.live)), *kept):
        if entry.ix <= last or entry.is_alias or not any(i < entry.ix <= k for i, k in spans):
            continue
        try:
            yield a, value_at(trace, entry)
        except (NbgradError, MemoryError) as error:
            yield a, error


def _retain_as_before(segment: Segment, ix: int) -> None:
    """Have the tensor that keeps its gradient at an entry keep it where it did before."""
    reference, before = segment.retained.pop(ix), (segment.retained_before or {}).pop(ix, None)
    a = reference()
    share = None if a is None else a._share
    if share is not None and share.retained is not None and share.retained[0] is segment.retained:
        share.retained = before
        if before is not None:
            known, at = before
            known[at] = reference


def _put_back(trace: Trace, a: Handle, share: Share) -> None:
    """Have ``a``, which was read anew of what others have written, as it was before."""
    at: Any = a._at
    if share.root is None and share.storage.whole is None:
        return  # its value is its own
    given: Record = at.given or ("call",)
    # Then by its root's entry.
    is_renewed = given[0] == "rebase_history" or (given[0] == "renewed" and given[1] != given[2])
    if is_renewed and given[1] <= trace.node.ix:
        a._at = entry_at(trace.node, given[1])
        trace.live[a._at.ix] = a
        share.seen = -1  # it may be of before others saw the memory
    else:
        a._history = getattr(a, "_history", None)  # a view that was made since has none
        a._at, a._page = at.in_memory, None
        if a._history is None and share.kind == PLAIN and share.root is not None:
            share.seen = share.counted = -1  # it may have moved with its root, and moves again
    share.seen = share.seen if share.root is not None else -1
