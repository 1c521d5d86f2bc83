"""Computed tensors that keep their gradient (``retain_grad``): where each stands in the graph."""

from __future__ import annotations

import weakref

from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import Place
from nbgrad.trace.enter import enter
from nbgrad.trace.handle import Handle, Rare, Retained, Trace
from nbgrad.trace.views import show
from nbgrad.trace.watch import refuse


def retain(trace: Trace, a: Handle) -> None:
    """From now on derivatives that pass ``a``, as it stands now, are kept in its ``.grad``."""
    refuse("retain_grad() ties a gradient to a tensor of this call")
    if a.at.window:
        show(a)
    rare = a.rare = a.rare or Rare()
    if rare.retained is not None:
        book, ix = rare.retained
        book.pop(ix, None)
    if a.chapter is None and a.history is not None:
        segment, ix = a.history
        book = segment.retained
    else:
        book = trace.chapter.retained
        ix = a.at.ix if a.chapter is trace.chapter else enter(trace, a).ix
    book[ix] = weakref.ref(a)
    rare.retained = book, ix


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
