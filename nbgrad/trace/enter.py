"""Tensors from memory come into the running chapter: leaves, values with a history, aliases, other threads' values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.errors import user_frame
from nbgrad.trace.builder import OWN
from nbgrad.trace.grow import advance, begin_sight, grow
from nbgrad.trace.handle import NOWHERE, Chapter, Handle, Rare, Trace
from nbgrad.trace.trie import Leaf, Record, TrieNode
from nbgrad.trace.views import is_plain
from nbgrad.trace.window import snapshot

_foreign: Callable[[Trace, Handle], TrieNode]
_enter_rare: Callable[[Trace, Handle], TrieNode | None]


def use(foreign: Callable[[Trace, Handle], TrieNode], rare: Callable[[Trace, Handle], TrieNode | None]) -> None:
    """Say who reads other threads' values, and who knows aliases."""
    global _foreign, _enter_rare
    _foreign, _enter_rare = foreign, rare


def enter(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that the running chapter has not made: it comes in from memory."""
    if a.chapter is None and (a.rare is None or is_plain(a)):
        chapter = trace.chapter
        try:
            visit, entry = a.entered
            if visit is chapter.visit and chapter.inputs[entry.n_inputs - 1] is a.buffer:
                return entry
        except AttributeError:
            a.entered = NOWHERE
        place = id(a)
        known = chapter.entered.get(place)
        if known is None:
            if a.history is None and place not in chapter.leaf_places:
                return _enter_plain(trace, chapter, place, a)
        elif known[2] is a.buffer:  # another thread may have written it meanwhile
            return known[1]
    elif a.rare is not None and a.rare.rows >= 0:
        rows = _enter_rows(trace, a, a.rare, is_read=True)
        if rows is not None:
            return rows
    node = enter_unread(trace, a)
    if trace.chapter.unread:
        read_exported(trace.chapter)
    return node


def _enter_plain(trace: Trace, chapter: Chapter, place: int, a: Handle) -> TrieNode:
    """The entry of a tensor in memory that has nothing special: neither a history nor another entry."""
    buffer = a.buffer
    leaf: Any = a.at
    before = trace.node
    if len(chapter.inputs) != before.n_inputs:
        mend(trace)
    chapter.inputs.append(buffer)
    node = known = before.get(leaf)
    if node is None:
        if type(leaf) is not Leaf:  # another thread has just written it
            chapter.inputs.pop()
            return enter_unread(trace, a)
        node = (trace.sight or begin_sight(trace)).leaf(before, leaf)
        if node is None:
            node = grow(trace, leaf, leaf.record)
    trace.node = node
    trace.live.append(None)
    if leaf.requires_grad:
        chapter.leaves[node.ix] = a
        chapter.leaf_places[place] = (OWN, node.ix)
    chapter.entered[place] = (a, node, buffer)
    if known is not None:  # a path that may never come again is not held on to
        a.entered = (chapter.visit, node)
    return node


def _enter_rows(trace: Trace, a: Handle, rare: Rare, *, is_read: bool) -> TrieNode | None:
    """A new entry for rows of exported memory, which are copied now if they are read; None where more has to be asked
    than that."""
    base = rare.base
    own = None if base is None else base.rare
    if base is None or own is None or own.error is not None or own.stale or base.chapter is not None:
        return None
    export, leaf = own.export, a.at
    if rare.error is not None or rare.own_leaf or base.at.requires_grad or leaf.requires_grad:
        return None
    if a.chapter is not None or trace.watcher is not None or export is None or not export.alive():
        return None
    chapter, before = trace.chapter, trace.node
    if len(chapter.inputs) != before.n_inputs:
        mend(trace)
    if not is_read:
        chapter.unread.append((before.n_inputs, a))
    chapter.inputs.append(snapshot(a) if is_read else base.buffer)
    node = before.get(leaf)
    if node is None:
        assert isinstance(leaf, Leaf)
        node = (trace.sight or begin_sight(trace)).leaf(before, leaf) or grow(trace, leaf, leaf.record)
    trace.node = node
    trace.live.append(None)
    return node


def read_exported(chapter: Chapter) -> None:
    """Copy the memory of exported tensors that came in: others may write it before the chapter runs."""
    for place, a in chapter.unread:
        chapter.inputs[place] = snapshot(a)
    chapter.unread.clear()


def enter_unread(trace: Trace, a: Handle) -> TrieNode:
    """The same, without the copy of exported memory, which a view of it does not read."""
    mend(trace)
    if a.rare is not None:
        if a.rare.rows >= 0 and (rows := _enter_rows(trace, a, a.rare, is_read=False)) is not None:
            return rows
        found = _enter_rare(trace, a)
        if found is not None:
            return found
    if a.chapter is not None:
        return a.at if a.chapter is trace.chapter else _foreign(trace, a)  # type: ignore[return-value]
    chapter = trace.chapter
    known = chapter.entered.get(id(a))
    buffer = a.buffer
    if known is not None and known[2] is buffer:  # another thread may have written it meanwhile
        return known[1]
    node = enter_value(trace, a)
    chapter.entered[id(a)] = (a, node, buffer)
    return node


def mend(trace: Trace) -> None:
    """Drop the inputs that an operation had written down which Ctrl-C cut short: they come before their entry."""
    node, chapter = trace.node, trace.chapter
    if len(chapter.inputs) != node.n_inputs:
        del chapter.inputs[node.n_inputs :]


def enter_foreign(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that another thread has recorded."""
    return _foreign(trace, a)


def enter_value(trace: Trace, a: Handle) -> TrieNode:
    """A new entry for a tensor in memory. A history (trace/past.py) waits until a derivative asks for it."""
    chapter = trace.chapter
    buffer, leaf = a.buffer, a.at
    if not isinstance(leaf, Leaf):
        return enter_unread(trace, a)  # another thread has just written it
    chapter.inputs.append(buffer)
    if a.history is not None:
        past = ("history", leaf.spec)
        node = advance(trace, past, past)
        chapter.past[node.ix] = a.history
        return node
    return enter_leaf(trace, a, leaf)


def enter_leaf(trace: Trace, a: Handle, leaf: Leaf) -> TrieNode:
    """A new entry for a tensor without a history, whose value was just put among the inputs."""
    chapter = trace.chapter
    if not leaf.requires_grad:
        return advance(trace, leaf, leaf.record)
    known = chapter.leaf_places.get(id(a))
    record: Record = leaf.record if known is None else ("again", leaf, *known)
    node = advance(trace, leaf if known is None else record, record)
    chapter.leaves[node.ix] = a
    if known is None:
        chapter.leaf_places[id(a)] = (OWN, node.ix)
    return node


def instruction() -> tuple[Any, int] | None:
    """Where the user's code is."""
    frame = user_frame()
    return None if frame is None else (frame.f_code, frame.f_lasti)
