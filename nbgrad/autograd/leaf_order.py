"""The order in which PyTorch's engine comes to leaves, for their hooks.

It goes back by the order in which operations were recorded, the last one first, and adds to a leaf as soon as nothing
that was recorded before uses it: right after the first operation that did. Leaves that one operation ends at come in
the order of its operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.trace import ROOT, Book, Handle, Segment, Trace, TrieNode, operands_of, origin, path_between

# Where PyTorch has the operands otherwise: F.linear adds to the bias first, and has a node for the weight's transpose.
_OPERANDS = {"linear": (1, 2, 0)}


def leaf_order(trace: Trace, outputs: Sequence[int], leaves: Sequence[Handle]) -> list[int]:
    """The numbers of ``leaves``, which derivatives of the entries ``outputs`` come to, in that order."""
    paths: dict[int, list[TrieNode]] = {}
    ends: dict[int, tuple[float, int, int]] = {}  # by leaf: when the first operation on it was recorded, its operand
    pending = [origin(trace.segment, _path(paths, trace.segment)[ix]) for ix in outputs]
    seen = {(id(book.leaves), entry.ix) for book, entry in pending}
    while pending:
        book, entry = pending.pop()
        if entry.ix in book.leaves:
            continue
        path = _path(paths, book)
        operands = operands_of(book, entry, path)
        places = _OPERANDS.get(entry.record[1].name, ()) if entry.record[0] == "call" else ()
        for k, r in enumerate(operands):
            if r < 0:
                continue
            found = origin(book, path[r])
            leaf, spot = found[0].leaves.get(found[1].ix), (id(found[0].leaves), found[1].ix)
            if leaf is not None:
                at = -_age(book), -entry.ix, places[k] if len(places) > k else k
                ends[id(leaf)] = max(at, ends.get(id(leaf), at))
            if spot not in seen:
                seen.add(spot)
                pending.append(found)
    return sorted(range(len(leaves)), key=lambda k: ends.get(id(leaves[k]), (1.0,)))


def _path(paths: dict[int, list[TrieNode]], book: Book) -> list[TrieNode]:
    """The entries of a segment."""
    found = paths.get(id(book))
    if found is None:
        found = paths[id(book)] = path_between(ROOT, book.end) or []
    return found


def _age(book: Book) -> float:
    """When a segment was run, among others; the running one comes last."""
    return float("inf") if isinstance(book, Segment) else book.born  # type: ignore[attr-defined]
