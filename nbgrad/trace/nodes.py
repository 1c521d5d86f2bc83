"""The graph of op records as derivatives walk it: which entry is a node, what it read, tensors that stand where it
does, and those that keep their gradient."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from nbgrad.calls.key import NONE
from nbgrad.graph.spec import Spec
from nbgrad.trace.builder import OWN
from nbgrad.trace.flush_plan import NOTHING
from nbgrad.trace.grow import advance_as
from nbgrad.trace.handle import Handle, make_tensor
from nbgrad.trace.nested import holding
from nbgrad.trace.segment import Book, Page, Segment
from nbgrad.trace.storage import entry_of, sharing
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import KINDS, Leaf, TrieNode, entry_at
from nbgrad.trace.watch import refuse

Spot = tuple[Book, TrieNode]

_HISTORIES = frozenset(["rebase_history", "renewed", "resume"])  # of one entry the history, of another the value
_WITH_NUMBERS = frozenset(["add", "sub", "mul", "div"])  # to PyTorch, a number is an operand of these


def books(trace: Trace) -> Iterator[tuple[int, Book, int]]:
    """The segments that the running one goes back to, and that itself: the number of each, and its last entry."""
    for k, earlier in enumerate(trace.segment.earlier):
        yield k, earlier, earlier.end.ix
    yield OWN, trace.segment, trace.node.ix


def noted(trace: Trace, what: str) -> list[tuple[tuple[int, int], Any]]:
    """What those have by entry under this name, "hooks" say: (place, it). Most have nothing."""
    return [((k, ix), x) for k, book, end in books(trace) for ix, x in [*getattr(book, what).items()] if ix <= end]


def spot_of(trace: Trace, a: Handle) -> Spot:
    """The node that made ``a``, which requires grad, or the entry of a leaf."""
    if a._share is None and a._page is None and a._history is not None:
        book, ix = a._history
        return origin(book, entry_at(book.end, ix))
    return origin(trace.segment, entry_of(trace, a))


def origin(book: Book, entry: TrieNode) -> Spot:
    """What has the derivative of an entry: a value that was written without gradient, or read again, has that of an
    older entry. What begins anew with the value of a leaf is a node of its own, not the leaf."""
    while True:
        kind, *arguments = entry.record
        if entry.ix in book.past:
            book, ix = book.past[entry.ix]
            entry = entry_at(book.end, ix)
        elif kind in _HISTORIES:
            found = origin(book, entry_at(entry, arguments[0]))
            begins = kind == "rebase_history" and arguments[0] == arguments[1]
            return (book, entry) if begins and found[1].ix in found[0].leaves else found
        elif kind == "past":
            book = book.earlier[arguments[0]]
            entry = entry_at(book.end, arguments[1])
        else:
            return book, entry


def operands_of(book: Book, entry: TrieNode, path: Sequence[TrieNode] | None = None) -> list[int]:
    """The entries that the node at ``entry`` may send cotangents on to, one for each argument; -1: none. Who has the
    ``path`` that leads there spares looking for them."""
    kind, *arguments = entry.record
    refs = KINDS[kind].sources(*arguments)
    if kind == "put":
        refs = (refs[0], refs[2])
    if kind == "function":
        custom, requires = book.functions[arguments[0]]
        return [r for r, is_tensor in zip(requires, custom.takes, strict=True) if is_tensor]
    found: list[int] = []
    for r in refs:
        if r >= 0:
            found += _sent(entry_at(entry, r) if path is None else path[r])
        elif r != NONE and kind == "call" and arguments[0].name in _WITH_NUMBERS:
            found.append(-1)
    return found


def _sent(operand: TrieNode) -> Iterator[int]:
    """The entry of an operand, or those that an event sends cotangents to."""
    spec: Spec | None = operand.spec
    if spec is None:
        kind, *arguments = operand.record
        for r in KINDS[kind].sources(*arguments):
            if r >= 0:
                yield from _sent(entry_at(operand, r))
    elif spec.dtype.is_inexact:
        yield operand.ix if operand.requires_grad else -1


def tensor_at(trace: Trace, book: Book, entry: TrieNode) -> Handle:
    """A tensor that has the place of an entry in the graph, and no value that may be read; a leaf itself."""
    book, entry = origin(book, entry)
    leaf = book.leaves.get(entry.ix)
    if leaf is not None:
        return leaf
    y: Any = make_tensor()
    assert entry.spec is not None
    if book is trace.segment:
        advance_as(trace, y, ("rebase_history", entry.ix, entry.ix, -1))
    elif isinstance(book, Segment):  # another thread records it
        y._at, y._page = entry, Page(book)
    else:
        y._at, y._history = Leaf.of(entry.spec, True, False, entry.inference), (book, entry.ix)
        y._buffer = NOTHING
    return y  # type: ignore[no-any-return]


@holding
def retain(trace: Trace, a: Handle) -> None:
    """From now on derivatives that pass ``a``, as it stands now, are kept in its ``.grad``."""
    refuse("retain_grad() gives a gradient to a tensor of this call")
    share, segment = sharing(a), trace.segment
    before = share.retained
    if before is not None:
        known, ix = before
        known.pop(ix, None)
    book, entry = spot_of(trace, a)
    book.retained[entry.ix] = weakref.ref(a)
    share.retained = book.retained, entry.ix
    if book is segment:
        if segment.retained_before is None:
            segment.retained_before = {}
        segment.retained_before[entry.ix] = before
