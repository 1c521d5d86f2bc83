"""Computed tensors that keep their gradient (``retain_grad``): where each stands in the graph."""

from __future__ import annotations

import weakref

from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import Place
from nbgrad.trace.handle import Handle, Retained, Trace
from nbgrad.trace.nested import holding
from nbgrad.trace.storage import entry_of, sharing
from nbgrad.trace.watch import refuse


@holding
def retain(trace: Trace, a: Handle) -> None:
    """From now on derivatives that pass ``a``, as it stands now, are kept in its ``.grad``."""
    refuse("retain_grad() ties a gradient to a tensor of this call")
    share = sharing(a)
    if share.retained is not None:
        book, ix = share.retained
        book.pop(ix, None)
    ix = entry_of(trace, a).ix
    past = trace.chapter.past.get(ix)
    book, ix = (trace.chapter.retained, ix) if past is None else (past[0].retained, past[1])
    book[ix] = weakref.ref(a)
    share.retained = book, ix


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
