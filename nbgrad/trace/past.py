"""Earlier segments come in when a derivative is asked for.

Until then a computed tensor from memory is an input that requires grad, so a loop that looks at values records the same
structure every time round. Then every flushed segment behind what is differentiated enters, the oldest first, and each
history is tied to the node that it is. Others stay out: a running sum of losses goes back through all steps so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrad.graph.node import reach
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.builder import OWN
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import ROOT
from nbgrad.trace.segment import EarlierSegment, Segment
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import KINDS, TrieNode, path_between


def bring_in(trace: Trace, roots: Iterable[int] | None = None) -> None:
    """Enter the flushed segments behind the histories that ``roots`` (entries; None: all) need, as far as it has not
    been done before."""
    segment = trace.segment
    if len(segment.linked) == len(segment.past):
        return
    new = [ix for ix in segment.past if ix not in segment.linked]
    if roots is not None:
        needed = _behind(trace.node, roots)
        new = [ix for ix in new if ix in needed]
    if not new:
        return
    number = {earlier: k for k, earlier in enumerate(segment.earlier)}
    behind = _with_ancestors([segment.past[ix][0] for ix in new])
    read = {a: buffers for s in behind for a, buffers in zip(s.earlier, s.read, strict=True)}
    for earlier in behind:
        if earlier not in number:
            _enter_earlier(trace, earlier, number, read.get(earlier, earlier.buffers))
    places = [(ix, segment.past[ix]) for ix in new]
    advance(trace, ("link", tuple([(ix, number[earlier], there) for ix, (earlier, there) in places])))
    segment.linked.update(new)


def _behind(end: TrieNode, roots: Iterable[int]) -> dict[int, None]:
    """The entries of the running segment that derivatives of ``roots`` pass."""
    path = path_between(ROOT, end)
    assert path is not None

    def sources(ix: int) -> Sequence[int]:
        kind, *arguments = path[ix].record
        return [r for r in KINDS[kind].sources(*arguments) if r >= 0]

    return reach([r for r in roots if r >= 0], sources)


def _with_ancestors(earlier_segments: Iterable[EarlierSegment]) -> list[EarlierSegment]:
    """``earlier`` and all that they go back to, the oldest first."""
    found = reach(earlier_segments, lambda s: [*s.earlier, *[behind for behind, _ in s.past.values()]])
    return sorted(found, key=lambda earlier: earlier.born)


def _enter_earlier(
    trace: Trace, earlier: EarlierSegment, number: dict[EarlierSegment, int], buffers: list[Buffer | None]
) -> None:
    segment = trace.segment
    end = earlier.end.ix
    inner = tuple([number[s] for s in earlier.earlier])
    links = tuple([(ix, number[s], there) for ix, (s, there) in earlier.past.items()])
    rank = sum([s.born < earlier.born for s in segment.earlier])
    same, places = _same_leaves(segment, earlier, end)
    begun = trace.node
    try:
        advance(trace, ("earlier segment", earlier.struct, inner, earlier.freed, links, same, rank))
    finally:
        if trace.node is not begun:  # a signal's handler may raise behind it: its entry counts on these
            segment.earlier += (earlier,)
            segment.buffers += (buffers,)
            segment.leaf_places |= places
    number[earlier] = len(number)
    ends = [(s.born, number[s], s.end) for s in segment.earlier if s.leaves is earlier.leaves]
    if segment.leaves is earlier.leaves:
        ends.append((EarlierSegment.now(), OWN, trace.node))
    for other in ends:
        if other[1] != number[earlier]:  # both are one segment, as far as it had come when another thread read it
            _unite(trace, *sorted([other, (earlier.born, number[earlier], earlier.end)]))


def _unite(trace: Trace, older: tuple[int, int, TrieNode], younger: tuple[int, int, TrieNode]) -> None:
    """Tie what both have to the older one, which cotangents reach last."""
    paths = [path_between(ROOT, end) or [] for _, _, end in (older, younger)]
    both = [a.ix for a, b in zip(*paths, strict=False) if a is b and a.spec is not None and a.requires_grad]
    advance(trace, ("same", younger[1], tuple([(ix, older[1], ix) for ix in both])))


def _same_leaves(
    segment: Segment, earlier: EarlierSegment, end: int
) -> tuple[tuple[tuple[int, int, int], ...], dict[int, tuple[int, int]]]:
    """(entry in ``earlier segment``, earlier segment, entry there) of the leaves that came in elsewhere before; and the
    places of the others, by their ids."""
    same: list[tuple[int, int, int]] = []
    places: dict[int, tuple[int, int]] = {}
    k = len(segment.earlier)
    for ix, a in list(earlier.leaves.items()):
        if ix > end:
            continue  # of another thread's segment, recorded after what is entered
        key = id(a)
        place = segment.leaf_places.get(key) or places.setdefault(key, (k, ix))
        if place != (k, ix):
            same.append((ix, *place))
    return tuple(same), places
