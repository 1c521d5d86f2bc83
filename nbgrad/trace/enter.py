"""Tensors from memory come into the running segment: leaves, values with a history, aliases, other threads' values."""

from __future__ import annotations

import weakref
from typing import Any, Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.builder import OWN
from nbgrad.trace.export import has_rows, snapshot, stretch
from nbgrad.trace.grow import advance, begin_baseline, grow
from nbgrad.trace.handle import NOWHERE, Handle, Share, later, spec_of
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import Leaf, TrieNode

# What is said to be shown where others' memory was copied: a view that could be had of it has no entry (recording.py).
COPIED: Final = "copied"


def enter(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that comes in from memory, or has another page than the trace."""
    segment, share = trace.segment, a._share
    if share is None:
        if a._page is None:
            try:
                visit, node = a._entered
            except AttributeError:
                visit, node = a._entered = NOWHERE
            buffer = a._buffer
            if visit is segment.visit and segment.inputs[node.n_inputs - 1] is buffer:
                return node
            leaf, key = a._at, id(a)
            known = segment.entered.get(key)
            if known is not None and known[2] is buffer:
                a._entered = segment.visit, known[1]
                return known[1]
            before = trace.node
            if len(segment.inputs) != before.n_inputs:
                mend(trace)
            entry = before.get(leaf)
            if entry is None or known is not None or a._history is not None or key in segment.leaf_places:
                return enter_value(trace, a)
            segment.inputs += (buffer,)  # no call from here on
            trace.node = entry
            trace.live += (None,)
            if leaf.requires_grad:
                segment.leaves[entry.ix] = a
                segment.leaf_places[key] = OWN, entry.ix
            segment.entered[key] = a, entry, buffer
            return entry
        mend(trace)
        if (page := a._page) is None:
            return enter(trace, a)  # nested code has just brought it into memory
        if page.segment is not segment:
            return later.read_foreign(trace, a)
        a._page = trace.page
        return a._at  # type: ignore[return-value]
    known = segment.known.get(share)
    if known is not None and known[2] is a._buffer and a._page is None:
        return known[1]
    if share.rows >= 0 and (rows := enter_view(trace, a, share)) is not None:
        return rows
    mend(trace)
    return later.now(trace, a)


def enter_leaf(trace: Trace, a: Handle, leaf: Leaf) -> TrieNode:
    """A new entry for a tensor in this state, without a history, whose value was just put among the inputs."""
    segment, before, key = trace.segment, trace.node, id(a)
    known = segment.leaf_places.get(key) if leaf.requires_grad else None
    if known is not None:
        node = advance(trace, ("leaf", leaf, *known))
    else:
        node = before.get(leaf)  # type: ignore[assignment]
        if node is None:
            node = (trace.baseline or begin_baseline(trace)).leaf(before, leaf)
        if node is None:  # a new node is empty, and so counts as false
            node = grow(trace, leaf, leaf.record)
        trace.node = node
        trace.live += (None,)  # no call from here on: no handler of a signal raises in between
    if leaf.requires_grad:
        segment.leaves[node.ix] = a
        if known is None:
            segment.leaf_places[key] = OWN, node.ix
    return node


def enter_view(trace: Trace, a: Handle, share: Share, root: Handle | None = None) -> TrieNode | None:
    """A view of exported memory without gradient: what it shows is copied, and no more. None where it is no such view.
    Without ``root`` it is to be rows of that, of which nothing else has to be asked, as of most."""
    if root is None:
        root = share.root
        own = None if root is None else root._share
        if root is None or own is None or own is not share.base or own.error or own.root is not None:
            return None
        if a._page is not None or trace.watcher is not None:
            return None
        if len(trace.segment.inputs) != trace.node.n_inputs:
            mend(trace)
    export = share.storage.export
    if export is None or not export.alive() or root._page is not None or root._at.requires_grad or a._at.requires_grad:
        return None
    if trace.duals is not None or (trace.watcher is not None and has_rows(root)):
        return None
    leaf: Any = a._at
    if share.rows < 0 or share.storage.strides is not None or not isinstance(leaf, Leaf):
        leaf = Leaf.of(spec_of(a), False, True, leaf.inference, COPIED)
    return enter_copy(trace, a, leaf, snapshot(a))


def enter_stretch(trace: Trace, a: Handle, root: Handle) -> TrieNode | None:
    """The root of a view of exported memory, for a recording that will be run again: it finds the view in what is there
    then. Here no more is copied than the stretch that the view shows."""
    leaf = root._at
    if trace.watcher is None or root._page is not None or not isinstance(leaf, Leaf) or leaf.requires_grad:
        return None
    export = None if root._share is None else root._share.storage.export
    if export is None or not export.alive() or not has_rows(root):
        return None
    return enter_copy(trace, root, leaf, stretch(a, root))


def enter_copy(trace: Trace, a: Handle, leaf: Leaf, copied: Buffer) -> TrieNode:
    """A new entry for a copy of what ``a`` shows, which others may write before the segment runs."""
    segment = trace.segment
    if trace.watcher is not None:
        trace.watcher.lent(len(segment.inputs), a)
    segment.inputs += (copied,)
    return enter_leaf(trace, a, leaf)


def mend(trace: Trace) -> None:
    """Drop the inputs that an operation had written down which Ctrl-C, or another signal's handler, cut short: they
    come before their entry."""
    n_inputs, inputs = trace.node.n_inputs, trace.segment.inputs
    if len(inputs) != n_inputs:
        del inputs[n_inputs:]


def enter_value(trace: Trace, a: Handle, *, is_exported: bool = False) -> TrieNode:
    """The entry of a tensor in memory, a new one where it has none in this segment. What ``is_exported``, so that
    others may write its memory at any time, is copied each time it is read. A history (trace/past.py) waits until a
    derivative asks for it."""
    segment, buffer, leaf = trace.segment, a._buffer, a._at
    known = None if is_exported else segment.entered.get(id(a))
    if known is not None and known[2] is buffer:  # another thread may have written it meanwhile
        return known[1]
    if not isinstance(leaf, Leaf):
        return enter(trace, a)  # another thread has just written it
    strides = None
    if is_exported:
        strides = a._share.storage.strides  # type: ignore[union-attr]
        buffer = snapshot(a)
        if trace.watcher is not None:
            trace.watcher.lent(len(segment.inputs), a)
    segment.inputs.append(buffer)
    if a._history is None:
        if strides is not None:
            shown = strides if leaf.requires_grad or trace.duals is not None else COPIED
            leaf = Leaf.of(leaf.spec, leaf.requires_grad, True, leaf.inference, shown)
        node = enter_leaf(trace, a, leaf)
    else:
        node = advance(trace, ("history", leaf.spec, *(() if strides is None else (strides,))))
        segment.past[node.ix] = a._history
    if is_exported:
        if trace.duals is not None:
            trace.duals.come_in(a, node)
        return node
    if known is not None:  # fresh views of what it was before still find it
        segment.moved[known[1].ix] = weakref.ref(a)
    segment.entered[id(a)] = a, node, buffer
    return node
