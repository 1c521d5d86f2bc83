"""Computed tensors that keep their gradient (``retain_grad``): where each stands in the graph."""

from __future__ import annotations

import weakref

from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import Place
from nbgrad.trace.handle import Handle, Retained, Trace
from nbgrad.trace.nested import holding
from nbgrad.trace.storage import entry_of, sharing
from nbgrad.trace.trie import TrieNode, entry_at
from nbgrad.trace.watch import refuse


@holding
def retain(trace: Trace, a: Handle) -> None:
    """From now on derivatives that pass ``a``, as it stands now, are kept in its ``.grad``."""
    refuse("retain_grad() ties a gradient to a tensor of this call")
    share = sharing(a)
    if share.retained is not None:
        book, ix = share.retained
        book.pop(ix, None)
    book, ix = _place(trace, entry_of(trace, a))
    book[ix] = weakref.ref(a)
    share.retained = book, ix


def _place(trace: Trace, entry: TrieNode) -> tuple[Retained, int]:
    """Where that stands in the graph which has the history of ``entry``: what was written without gradient since, older
    values do not go back through."""
    book, past = trace.chapter.retained, trace.chapter.past
    while True:
        while entry.record[0] in ("graft", "renewed") and entry.record[1] != entry.record[2]:
            entry = entry_at(entry, entry.record[1])
        if entry.ix not in past:
            return book, entry.ix
        segment, ix = past[entry.ix]
        book, past, entry = segment.retained, segment.past, entry_at(segment.struct.end, ix)


def retained(trace: Trace) -> tuple[list[Handle], tuple[Place, ...]]:
    """The tensors in the running chapter's reach that keep their gradient, and their places."""
    chapter = trace.chapter
    books: list[tuple[int, Retained, int]] = [
        (k, s.retained, s.struct.end.ix) for k, s in enumerate(chapter.segments) if s.retained
    ]
    if chapter.retained:
        books.append((OWN, chapter.retained, trace.node.ix))
    if not books:
        return [], ()
    found = [
        (a, (k, ix)) for k, book, end in books for ix, ref in book.items() if ix <= end and (a := ref()) is not None
    ]
    return [a for a, _ in found], tuple([place for _, place in found])
