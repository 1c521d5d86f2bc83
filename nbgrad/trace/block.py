"""A block: a series of operations on given tensors that recurs, such as an optimiser's step or a derivative.

It is recorded operation by operation at first; from then on its op records are taken over at once.

Nothing here knows what the operations are: the op records stand in the trie as they would without this file, behind one
event by which they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgrad.errors import user_instruction
from nbgrad.trace.builder import OWN
from nbgrad.trace.enter import enter, mend
from nbgrad.trace.grow import advance, left_by
from nbgrad.trace.handle import Handle, later
from nbgrad.trace.nested import holding
from nbgrad.trace.recording import cut
from nbgrad.trace.segment import Segment
from nbgrad.trace.storage import is_alone
from nbgrad.trace.thread import Trace, threads, turn_page
from nbgrad.trace.trie import TrieNode, path_between

Key = tuple[Any, ...]
Fresh = dict[int, Handle]  # tensors that come in from memory, by their ids


class Recorded(NamedTuple):
    """What a block left behind, ``meta`` of its event: the last op record, and where each written tensor stands.

    ``entries`` are those of the tensors that came in from memory, in the order given. ``written``: (which tensor, its
    op record, how far that is behind the event). ``failing``: the entries that can fail.
    """

    end: TrieNode
    entries: tuple[TrieNode, ...]
    written: tuple[tuple[int, TrieNode, int], ...]
    length: int
    failing: tuple[int, ...]


@holding
def record_block(
    trace: Trace,
    structure: tuple[Any, ...],
    tensors: Sequence[Handle],
    numbers: Sequence[Any],
    body: Callable[[], None],
) -> None:
    """Record what ``body`` does: it reads and writes ``tensors`` alone, and uses ``numbers`` in their order.

    ``structure`` names the block with all else that decides what it records. Tensors with aliases, views or histories,
    and numbers that are tensors, are left to ``body``.
    """
    segment = trace.segment
    if len(segment.inputs) != trace.node.n_inputs:
        mend(trace)
    fresh: Fresh = {}
    refs = standing(segment, tensors, fresh)
    if refs is None or not set(map(type, numbers)) <= {float}:
        body()
        return
    key = ("block", structure, tuple(refs))
    if (recorded := known(trace, key)) is not None:
        if not take_over(trace, recorded, tensors, numbers, fresh):
            body()
        return
    if cut(trace):
        record_block(structure, tensors, numbers, body)
        return
    n_numbers, block = len(segment.scalars), Block(trace, key, fresh, tensors)
    trace.in_block = True
    try:
        body()
    finally:
        trace.in_block = False
    if block.is_whole:
        assert segment.scalars[n_numbers:] == list(numbers), "a block records its numbers, each once and in their order"
        block.end(tensors)


def known(trace: Trace, key: Key) -> Recorded | None:
    """What the block of this key left behind, where it was recorded here before."""
    event = trace.node.get(key)
    return None if event is None else event.meta


def standing(segment: Segment, tensors: Sequence[Handle | None], fresh: Fresh) -> list[Any] | None:
    """How each tensor stands in the segment: its entry, ~entry where it came in from memory, or the Leaf with which it
    will come in; those are put into ``fresh``. None where one of them is not as simple as that, or nested code may have
    moved them."""
    entered, places = segment.entered, segment.leaf_places
    if segment.trace.strays:
        return None
    if not (entered or places or fresh):  # it begins the segment, as a step mostly does
        leaves = _all_from_memory(tensors, fresh)
        if leaves is not None:
            return leaves
    refs: list[Any] = []
    for a in tensors:
        if a is None:
            refs.append(None)
            continue
        if a._share is not None and not is_alone(a, segment.trace):
            return None
        page, key = a._page, id(a)
        if page is not None:
            if page.segment is not segment:
                return None
            refs.append(a._at.ix)
        elif a._history is not None or key in fresh:
            return None
        elif (known := entered.get(key)) is not None and known[2] is a._buffer:
            refs.append(~known[1].ix)
        elif key in places:
            return None
        else:
            refs.append(a._at)
            fresh[key] = a
    return refs


def _all_from_memory(tensors: Sequence[Handle | None], fresh: Fresh) -> list[Any] | None:
    """The same for the first to come into a segment, where all lie in memory and have nothing that few tensors have;
    None where one does, or comes twice."""
    for a in tensors:
        if a is None or a._page is not None or a._share is not None or a._history is not None:
            break
        fresh[id(a)] = a
    else:
        if len(fresh) == len(tensors):
            return [a._at for a in fresh.values()]
    fresh.clear()
    return None


class Block:
    """One that is recorded next. What came once may never come again: it is written down where the
    trie leads to it.

    ``tensors`` are those that it may write, None for those that it will make.
    """

    __slots__ = ("_before", "_entries", "_event", "_recurs", "_segment", "_trace")

    def __init__(self, trace: Trace, key: Key, fresh: Fresh, tensors: Sequence[Handle | None]) -> None:
        self._trace, self._segment = trace, trace.segment
        self._recurs = key in trace.node
        self._event = advance(trace, key, ("block",))
        self._before = [None if a is None else (a, a._at, a._segment) for a in tensors]
        self._entries = tuple([enter(trace, a) for a in fresh.values()])

    @property
    def is_whole(self) -> bool:
        """Whether it is one segment's: nothing in it had to be looked at, and no nested code, which may have looked at
        it in the midst of a write, came between."""
        return self._trace.segment is self._segment and not self._trace.strays

    def end(self, tensors: Sequence[Handle | None]) -> None:
        """It was recorded, and these are its tensors now: write down what to take over. Nobody holds what else was
        recorded, also where it is not written down yet: the plan of this segment serves the later ones."""
        trace, event = self._trace, self._event
        if not self.is_whole or trace.node.n_inputs != event.n_inputs + len(self._entries):
            return  # or nested code may have read, written or exported one of them, which stands elsewhere then
        written = [
            (i, a._at, a._at.ix - event.ix - 1)
            for i, (a, before) in enumerate(zip(tensors, self._before, strict=True))
            if isinstance(a, Handle) and not _stands_as(a, before) and isinstance(a._at, TrieNode)
        ]
        own = {place for _, _, place in written}
        length = trace.node.ix - event.ix
        for place in range(length):
            if place not in own:
                trace.live[event.ix + 1 + place] = None
        if self._recurs:
            failing = tuple([entry.ix for entry in path_between(event, trace.node) or () if entry.can_fail])
            event.meta = Recorded(trace.node, self._entries, tuple(written), length, failing)


def _stands_as(a: Handle, before: tuple[Handle, object, object] | None) -> bool:
    return before is not None and a is before[0] and a._at is before[1] and a._segment is before[2]


def take_over(trace: Trace, recorded: Recorded, tensors: Sequence[Any], numbers: Sequence[float], fresh: Fresh) -> bool:
    """Go to where the block ended, as if every operation had been recorded. False, with nothing done, where nested code
    has used the trace since ``standing`` looked."""
    block: list[Any] = [None] * (recorded.length + 1)
    for i, _, place in recorded.written:
        block[1 + place] = tensors[i]
    segment, buffers = trace.segment, [a._buffer for a in fresh.values()]
    if buffers:
        mend(trace)
    lines = dict.fromkeys(recorded.failing, user_instruction(2)) if recorded.failing else {}
    unwritten = segment, recorded, tensors, fresh, buffers
    # All or nothing is recorded where a signal's handler raises. In one line, as nothing may come between.
    # fmt: off
    if not trace.strays: segment.inputs += buffers; segment.scalars += numbers; segment.lines |= lines; trace.node = recorded.end; trace.live += block; trace.unwritten = unwritten  # noqa: E501, E701, E702  (nothing may come between)
    else: return False  # noqa: E701  (nothing may come between)
    # fmt: on
    try:
        _write_down(trace)
    except BaseException:  # Ctrl-C: what was done the first time is left alone
        _write_down(trace)
        raise
    return True


def _write_down(trace: Trace) -> None:
    """The segment knows what came in, and every written tensor stands for its new value. Nested code that comes in
    between does this before all else, so that nobody sees half of it; then the rest of it is left out here."""
    unwritten = trace.unwritten
    if unwritten is None or unwritten[0] is not trace.segment:
        return
    segment, recorded, tensors, fresh, buffers = unwritten
    if fresh:
        for (key, a), node, buffer in zip(fresh.items(), recorded.entries, buffers, strict=True):
            if node.requires_grad:
                segment.leaves[node.ix] = a
                segment.leaf_places[key] = (OWN, node.ix)
            segment.entered[key] = (a, node, buffer)
    written, aliases = recorded.written, recorded.end.aliases
    may_be_shown = aliases is not None or threads.several or trace.strays
    if may_be_shown and any(tensors[i]._at is not node for i, node, _ in written):  # nobody shows what was made now
        turn_page(trace)
    live, page = trace.live, trace.page
    for i, node, _ in written:
        a = tensors[i]
        if a._page is None:
            if trace.unwritten is unwritten: a._at, a._page = node, page  # fmt: skip  # noqa: E701  (nothing may come between)
        elif (at := a._at) is not node:
            was = at.ix if aliases is None and a._page is page and live[at.ix] is a else left_by(trace, a, node.ix)
            gone: list[object] = []
            # fmt: off
            if trace.unwritten is unwritten: live[was] = gone; live[node.ix] = a; a._at = node; a._page = page  # noqa: E701, E702  (nothing may come between)
            # fmt: on
    trace.unwritten = None


later.write_down = _write_down
