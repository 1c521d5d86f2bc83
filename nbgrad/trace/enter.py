"""Tensors from memory come into the running segment: leaves, values with a history, aliases, other threads' values."""

from __future__ import annotations

import weakref

from nbgrad.calls.views import structure
from nbgrad.trace.builder import OWN
from nbgrad.trace.export import has_rows, snapshot, stretch
from nbgrad.trace.grow import advance, begin_baseline, grow
from nbgrad.trace.handle import NOWHERE, Handle, Share, later, spec_of
from nbgrad.trace.segment import Segment
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import Leaf, TrieNode


def enter(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that comes in from memory, or has another page than the trace."""
    if a._share is None:
        segment = trace.segment
        if a._page is None:
            try:
                visit, entry = a._entered
                if visit is segment.visit and segment.inputs[entry.n_inputs - 1] is a._buffer:
                    return entry
            except AttributeError:
                a._entered = NOWHERE
            if len(segment.inputs) != trace.node.n_inputs:
                mend(trace)
            return enter_value(trace, a)
        if a._page.segment is segment:
            a._page = trace.page
            return a._at  # type: ignore[return-value]
    elif a._share.rows >= 0:
        rows = _enter_rows(trace, a, a._share, is_read=True)
        if rows is not None:
            return rows
    node = enter_unread(trace, a)
    if trace.segment.unread:
        read_exported(trace.segment)
    return node


def _come_in(trace: Trace, leaf: Leaf) -> TrieNode:
    """A new entry for a tensor in this state, whose value was just put among the inputs."""
    before = trace.node
    node = before.get(leaf)
    if node is None:
        node = (trace.baseline or begin_baseline(trace)).leaf(before, leaf)
    if node is None:  # a new node is empty, and so counts as false
        node = grow(trace, leaf, leaf.record)
    trace.node = node
    trace.live.append(None)
    return node


def _enter_rows(trace: Trace, a: Handle, share: Share, *, is_read: bool) -> TrieNode | None:
    """A new entry for rows of exported memory, which are copied now if they are read; None where more has to be asked
    than that."""
    root, export, leaf = share.root, share.storage.export, a._at
    if root is None or root._share is None or root._share.storage is not share.storage or root._page is not None:
        return None
    if root._share.error is not None or root._share.root is not None or root._at.requires_grad or leaf.requires_grad:
        return None
    if a._page is not None or trace.watcher is not None or export is None or not export.alive():
        return None
    if trace.duals is not None:  # a tangent is its root's
        return None
    segment, before = trace.segment, trace.node
    if len(segment.inputs) != before.n_inputs:
        mend(trace)
    if not is_read:
        segment.unread.append((before.n_inputs, a))
    segment.inputs.append(snapshot(a) if is_read else root._buffer)
    assert isinstance(leaf, Leaf)
    return _come_in(trace, leaf)


def read_exported(segment: Segment) -> None:
    """Copy the memory of exported tensors that came in: others may write it before the segment runs."""
    for place, a in segment.unread:
        segment.inputs[place] = snapshot(a)
    segment.unread.clear()


def enter_unread(trace: Trace, a: Handle) -> TrieNode:
    """The same, without the copy of exported memory, which a view of it does not read."""
    mend(trace)
    if a._share is not None:
        if a._share.rows >= 0 and (rows := _enter_rows(trace, a, a._share, is_read=False)) is not None:
            return rows
        return later.now(trace, a)
    if a._page is not None:
        return a._at if a._page.segment is trace.segment else later.read_foreign(trace, a)  # type: ignore[return-value]
    return enter_value(trace, a)


def enter_memory(trace: Trace, a: Handle) -> TrieNode:
    """A tensor whose memory others may write at any time is copied each time it is read. Its history stays."""
    _is_to_be_read(trace, a)
    node = _enter_anew(trace, a)
    if trace.duals is not None:
        trace.duals.come_in(a, node)
    return node


def enter_view(trace: Trace, a: Handle, share: Share, root: Handle) -> TrieNode | None:
    """A view of exported memory without gradient: what it shows is copied, and no more. None where it is no such
    view."""
    export = share.storage.export
    if export is None or not export.alive() or root._page is not None or root._at.requires_grad or a._at.requires_grad:
        return None
    if (trace.watcher is None or not has_rows(root)) and trace.duals is None:
        _is_to_be_read(trace, a)
        trace.segment.inputs.append(root._buffer)
        return _come_in(trace, Leaf.of(spec_of(a), False, True, a._at.inference, structure(spec_of(root), share.steps)))
    return None


def enter_stretch(trace: Trace, a: Handle, root: Handle) -> TrieNode | None:
    """The root of a view of exported memory, for a recording that will be run again: it finds the view in what is there
    then. Here no more is copied than the stretch that the view shows."""
    leaf = root._at
    if trace.watcher is None or root._page is not None or not isinstance(leaf, Leaf) or leaf.requires_grad:
        return None
    export = None if root._share is None else root._share.storage.export
    if export is None or not export.alive() or not has_rows(root):
        return None
    trace.watcher.lent(len(trace.segment.inputs), root)
    trace.segment.inputs.append(stretch(a, root))
    return _come_in(trace, leaf)


def _is_to_be_read(trace: Trace, a: Handle) -> None:
    """The next input is to be copied from exported memory."""
    place = len(trace.segment.inputs)
    trace.segment.unread.append((place, a))
    if trace.watcher is not None:
        trace.watcher.lent(place, a)


def mend(trace: Trace) -> None:
    """Drop the inputs that an operation had written down which Ctrl-C, or another signal's handler, cut short: they
    come before their entry."""
    node, segment = trace.node, trace.segment
    if len(segment.inputs) != node.n_inputs:
        del segment.inputs[node.n_inputs :]
        segment.unread = [(place, a) for place, a in segment.unread if place < node.n_inputs]


def enter_value(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor in memory, a new one where it has none in this segment. A history (trace/past.py) waits
    until a derivative asks for it."""
    segment, key = trace.segment, id(a)
    known, buffer, leaf = segment.entered.get(key), a._buffer, a._at
    if known is not None and known[2] is buffer:  # another thread may have written it meanwhile
        return known[1]
    if (
        known is None and a._history is None and type(leaf) is Leaf and key not in segment.leaf_places
    ):  # as most have it
        segment.inputs.append(buffer)
        node = _come_in(trace, leaf)
        if leaf.requires_grad:
            segment.leaves[node.ix] = a
            segment.leaf_places[key] = OWN, node.ix
        segment.entered[key] = a, node, buffer
    else:
        node = _enter_anew(trace, a)
        note_entry(segment, a, node, buffer)
    if trace.baseline is None:  # nothing here is new: a path that may never come again is not held on to
        a._entered = (segment.visit, node)
    return node


def note_entry(segment: Segment, a: Handle, node: TrieNode, value: object) -> None:
    """``a`` has come in by this entry, with that value. Fresh views of what it was before still find it."""
    known = segment.entered.get(id(a))
    if known is not None:
        segment.moved[known[1].ix] = weakref.ref(a)
    segment.entered[id(a)] = (a, node, value)


def _enter_anew(trace: Trace, a: Handle) -> TrieNode:
    segment = trace.segment
    buffer, leaf = a._buffer, a._at
    if not isinstance(leaf, Leaf):
        return enter_unread(trace, a)  # another thread has just written it
    segment.inputs.append(buffer)
    if a._history is not None:
        node = advance(trace, ("history", leaf.spec))
        segment.past[node.ix] = a._history
        return node
    return enter_leaf(trace, a, leaf)


def enter_leaf(trace: Trace, a: Handle, leaf: Leaf) -> TrieNode:
    """A new entry for a tensor without a history, whose value was just put among the inputs."""
    segment = trace.segment
    if not leaf.requires_grad:
        return _come_in(trace, leaf)
    known = segment.leaf_places.get(id(a))
    node = _come_in(trace, leaf) if known is None else advance(trace, ("leaf", leaf, *known))
    segment.leaves[node.ix] = a
    if known is None:
        segment.leaf_places[id(a)] = (OWN, node.ix)
    return node
