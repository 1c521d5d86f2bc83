"""New entries of the trie: what each gives is found out here, at first sight or by the graph. Runs on a miss only."""

from __future__ import annotations

import weakref
from typing import Any

from nbgrad.calls.key import NONE
from nbgrad.errors import NbgradError, user_line
from nbgrad.runtime import ahead
from nbgrad.trace.builder import Builder
from nbgrad.trace.handle import Handle, Trace
from nbgrad.trace.sight import NO_SIGHT, Sight, Unsupported, first_sight_allowed
from nbgrad.trace.trie import KINDS, Record, TrieNode, path_between

# A chapter longer than this flushes where the instruction that began it comes round again.
CHAPTER_LENGTH = 2000


def advance(trace: Trace, key: Any, record: Record | None = None, numbers: tuple[float | int, ...] = ()) -> TrieNode:
    """Record an entry that is no call, and that no tensor stands for (yet). Its record is its key where none is
    given."""
    node = trace.node.get(key)
    if node is None:
        node = grow(trace, key, key if record is None else record)
    trace.node = node
    if numbers:
        trace.chapter.scalars += numbers
    trace.live.append(None)
    return node


def advance_as(trace: Trace, y: Handle, record: Record) -> None:
    """Record an entry that is no call, and let ``y`` stand for its value."""
    node = trace.node.get(record)
    if node is None:
        node = grow(trace, record, record)
    unlive(trace, y)
    trace.node = node
    y.at, y.page = node, trace.page
    trace.live.append(y)


def unlive(trace: Trace, y: Handle) -> None:
    """``y`` will stand for another entry: nobody holds the value it stood for."""
    ix = left_by(trace, y, -1)
    if ix >= 0:
        trace.live[ix] = []  # a fresh object: the liveness bits see that only the list holds it


def left_by(trace: Trace, y: Handle, new: int) -> int:
    """The place of the entry that ``y``, which comes to stand for another one, stood for: fresh views of it find it
    there. ``new`` where there is none."""
    chapter, page = trace.chapter, y.page
    if page is None or page.chapter is not chapter or not isinstance(at := y.at, TrieNode):  # nested code may write it
        return new
    if (ix := at.ix) >= len(trace.live) or trace.live[ix] is not y:
        return new
    if trace.node.looks is not None:
        chapter.moved[ix] = weakref.ref(y)
    return ix


def grow(trace: Trace, key: Any, given: Record | None = None) -> TrieNode:
    """A new trie node: finds out what the entry gives, and raises the user's mistakes.

    What is no call is ``given``. It stays what it was, in inference mode too: views, aliases, tensors written in place.
    """
    entry = TrieNode(trace.node, key, given)
    if trace.sight is NO_SIGHT or not _at_first_sight(trace, entry):
        _by_graph(trace, entry)
    if given is None:
        if trace.inference:
            entry.inference = True
        return entry
    name, *arguments = given
    kind = KINDS[name]
    entry.inference = kind.inference(*arguments)
    entry.n_inputs += kind.n_inputs
    if kind.is_look:
        entry.look()
    return entry


def _at_first_sight(trace: Trace, entry: TrieNode) -> bool:
    """Take the entry in without building its graph; False where that is not to be had in this chapter."""
    sight: Sight = trace.sight or begin_sight(trace)
    if sight is NO_SIGHT:
        return False
    if ahead.is_due() and entry.ix >= ahead.LONG:
        ahead.compile_ahead()
        sight.go_on_until(CHAPTER_LENGTH)
    try:
        if sight.at is not trace.node or len(sight.entries) != entry.ix:
            sight.sync(trace.node)
        if sight.step(entry):
            entry.site = user_line()
    except (Unsupported, NbgradError):  # a mistake of the user's is found again, and explained, by the graph
        trace.sight = NO_SIGHT
        entry.meta = None
        return False
    except BaseException:  # it may be half-way through an entry
        trace.sight = NO_SIGHT
        raise
    return True


def begin_sight(trace: Trace) -> Sight:
    """What takes in the entries of the running chapter, as far as it is new."""
    length = ahead.LONG if ahead.is_due() else CHAPTER_LENGTH
    trace.sight = Sight(length) if first_sight_allowed() else NO_SIGHT
    return trace.sight  # type: ignore[no-any-return]


def _by_graph(trace: Trace, entry: TrieNode) -> None:
    builder = builder_of(trace, trace.node)
    builder.site = entry.site = user_line()
    n_scalars = builder.n_scalars
    try:
        builder.step(entry)
        if entry.record[0] in ("call", "look"):
            entry.n_scalars += sum([NONE < r < 0 for r in entry.record[2]])
    except BaseException as error:
        if entry.given is None and isinstance(error, NbgradError):  # the user's mistake: programs go on after those
            builder.forget_numbers(n_scalars)
        else:  # it may be half-way through an entry
            trace.builder = None
        raise


def builder_of(trace: Trace, node: TrieNode) -> Builder:
    """The graph of the running chapter up to ``node``."""
    if trace.builder is None or path_between(trace.builder.at, node) is None:  # ahead, where Ctrl-C came between
        trace.builder = Builder()
    builder: Builder = trace.builder
    try:
        return builder.sync(node)
    except BaseException:  # it may be half-way through an entry
        trace.builder = None
        raise
