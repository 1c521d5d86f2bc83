"""Earlier chapters come in when a derivative is asked for.

Until then a computed tensor from memory is an input that requires grad, so a loop that looks at values records the same
structure every time round. Then every flushed chapter behind what is differentiated enters, the oldest first, and each
history is tied to the node that it is. Others stay out: a running sum of losses goes back through all steps so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrad.graph.node import reach
from nbgrad.runtime.cuda.tracks import current_streams, track_number
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import ROOT, Chapter, Segment, Trace
from nbgrad.trace.trie import KINDS, TrieNode, path_between


def bring_in(trace: Trace, roots: Iterable[int] | None = None) -> None:
    """Enter the flushed chapters behind the histories that ``roots`` (entries; None: all) need, as far as it has not
    been done before."""
    chapter = trace.chapter
    if len(chapter.linked) == len(chapter.past):
        return
    new = [ix for ix in chapter.past if ix not in chapter.linked]
    if roots is not None:
        needed = _behind(trace.node, roots)
        new = [ix for ix in new if ix in needed]
    if not new:
        return
    number = {segment: k for k, segment in enumerate(chapter.segments)}
    for segment in _with_ancestors([chapter.past[ix][0] for ix in new]):
        if segment not in number:
            _enter_segment(trace, segment, number)
    places = [(ix, chapter.past[ix]) for ix in new]
    advance(trace, ("link", tuple([(ix, number[segment], there) for ix, (segment, there) in places])))
    chapter.linked.update(new)


def _behind(end: TrieNode, roots: Iterable[int]) -> dict[int, None]:
    """The entries of the running chapter that derivatives of ``roots`` pass."""
    path = path_between(ROOT, end)
    assert path is not None

    def sources(ix: int) -> Sequence[int]:
        kind, *arguments = path[ix].record
        return [r for r in KINDS[kind].sources(*arguments) if r >= 0]

    return reach([r for r in roots if r >= 0], sources)


def _with_ancestors(segments: Iterable[Segment]) -> list[Segment]:
    """``segments`` and all that they go back to, the oldest first."""
    found = reach(segments, lambda s: [*s.segments, *[behind for behind, _ in s.past.values()]])
    return sorted(found, key=lambda segment: segment.born)


def _enter_segment(trace: Trace, segment: Segment, number: dict[Segment, int]) -> None:
    chapter = trace.chapter
    end = segment.struct.end.ix
    inner = tuple([number[s] for s in segment.segments])
    links = tuple([(ix, number[s], there) for ix, (s, there) in segment.past.items()])
    rank = sum([s.born < segment.born for s in chapter.segments])
    same = _same_leaves(chapter, segment, end)
    track = 0 if segment.streams == current_streams() else track_number(segment.streams)
    advance(trace, ("segment", segment.struct, inner, segment.freed, links, same, rank, track))
    chapter.segments.append(segment)
    chapter.buffers.append(segment.buffers)
    number[segment] = len(number)


def _same_leaves(chapter: Chapter, segment: Segment, end: int) -> tuple[tuple[int, int, int], ...]:
    """(entry in ``segment``, segment, entry there) of the leaves that came in elsewhere before."""
    same = []
    k = len(chapter.segments)
    for ix, a in list(segment.leaves.items()):
        if ix > end:
            continue  # of another thread's chapter, recorded after what is entered
        place = chapter.leaf_places.setdefault(id(a), (k, ix))
        if place != (k, ix):
            same.append((ix, *place))
    return tuple(same)
