"""Taking back what was recorded since a point, after an error or Ctrl-C in the middle of it."""

from __future__ import annotations

from typing import Any

from nbgrad.trace.builder import OWN
from nbgrad.trace.handle import LOOKS, Handle, Share, Trace, turn_page
from nbgrad.trace.sight import NO_SIGHT
from nbgrad.trace.storage import root_of
from nbgrad.trace.trie import Record, TrieNode, entry_at

Kept = tuple[Any, str, Any]  # an object, an attribute, what it was


def go_back(trace: Trace, node: TrieNode, kept: list[Kept]) -> None:
    """Take back what was recorded after ``node`` without entering chapters or custom functions, and ``kept``."""
    mark = Bookmark(trace)
    mark._node, mark.kept = node, kept
    mark.restore()


class Bookmark:
    """Where a trace was. ``restore`` brings it back there, and the tensors given to ``keep`` with their gradients."""

    __slots__ = (
        "_chapter",
        "_functions",
        "_linked",
        "_mode",
        "_node",
        "_segments",
        "_trace",
        "kept",
    )

    def __init__(self, trace: Trace) -> None:
        chapter = trace.chapter
        self._trace, self._chapter, self._node = trace, chapter, trace.node
        self._mode = trace.grad_enabled, trace.inference
        self._segments, self._functions = len(chapter.segments), len(chapter.functions)
        self._linked = set(chapter.linked) if chapter.linked else None
        self.kept: list[Kept] = []

    def keep(self, x: Handle) -> None:
        """Remember ``x.grad``, the state of that tensor and of those that show its memory, before they are written."""
        grad = x._grad
        self.kept.append((x, "_grad", grad))
        if grad is None:
            return
        root = root_of(grad)
        self._note(root, "at", "page")
        if root.share is None:
            return
        storage = root.share.storage
        self._note(root.share, "seen", "retained")
        self._note(storage, "version", "whole")
        if storage.whole is not None:
            self._note(storage.whole, "at", "page")

    def _note(self, thing: Any, *names: str) -> None:
        self.kept += [(thing, name, getattr(thing, name)) for name in names]

    def restore(self) -> None:
        """Undo, unless the chapter was flushed meanwhile: what ran cannot be taken back, and is complete."""
        trace, chapter = self._trace, self._chapter
        if trace.chapter is not chapter:
            return
        trace.node = self._node
        trace.builder = None
        trace.sight = NO_SIGHT
        trace.grad_enabled, trace.inference = self._mode
        node = self._node
        for a in trace.live[node.ix + 1 :]:
            if isinstance(a, Handle) and a.share is not None and a.share is not LOOKS:
                _put_back(trace, a, a.share)
        del trace.live[node.ix + 1 :]
        del chapter.inputs[node.n_inputs :]
        del chapter.scalars[node.n_scalars :]
        del chapter.segments[self._segments :]
        del chapter.buffers[self._segments :]
        del chapter.functions[self._functions :]
        last = node.ix
        chapter.moved = {ix: x for ix, x in chapter.moved.items() if ix <= last}
        chapter.visit = object()
        chapter.entered = {k: v for k, v in chapter.entered.items() if v[1].ix <= last}
        chapter.leaves = {ix: x for ix, x in chapter.leaves.items() if ix <= last}
        chapter.past = {ix: x for ix, x in chapter.past.items() if ix <= last}
        chapter.linked = set() if self._linked is None else self._linked
        places = chapter.leaf_places.items()
        chapter.leaf_places = {i: p for i, p in places if (p[1] <= last if p[0] == OWN else p[0] < self._segments)}
        for thing, name, value in reversed(self.kept):
            setattr(thing, name, value)
        for thing, name, _ in self.kept:
            if name == "at" and thing.chapter is chapter:
                trace.live[thing.at.ix] = thing
        turn_page(trace)  # views that were read since stand for what is no more


def _put_back(trace: Trace, a: Handle, share: Share) -> None:
    """Have ``a``, which was read anew of what others have written, as it was before."""
    at: Any = a.at
    if share.root is None and share.storage.whole is None:
        return  # its value is its own
    given: Record = at.given or ("call",)
    is_renewed = given[0] == "graft" or (given[0] == "renewed" and given[1] != given[2])  # then by its root's entry
    if is_renewed and given[1] <= trace.node.ix:
        a.at = entry_at(trace.node, given[1])
        trace.live[a.at.ix] = a
        share.seen = -1  # it may be of before others saw the memory
    else:
        a.history = getattr(a, "history", None)  # a view that was made since has none
        a.at, a.page = at.in_memory, None
    share.seen = share.seen if share.root is not None else -1
