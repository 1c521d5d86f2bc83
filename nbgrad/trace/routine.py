"""A routine: a fixed series of operations on given tensors, such as an optimiser's step.

Where it comes first it is recorded operation by operation; from then on its entries are taken over at once.

Nothing here knows what the operations are: the entries stand in the trie as they would without this file, behind one
event by which they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgrad.trace.builder import OWN
from nbgrad.trace.enter import enter, mend
from nbgrad.trace.grow import advance, unlive
from nbgrad.trace.handle import Chapter, Handle, Trace, threads, turn_page
from nbgrad.trace.nested import holding
from nbgrad.trace.record import cut_before_routine
from nbgrad.trace.storage import is_alone
from nbgrad.trace.trie import TrieNode


class Recorded(NamedTuple):
    """What a routine left behind, ``meta`` of its event: the last entry, and where each written tensor stands.

    ``entries`` are those of the tensors that came in from memory, in the order given. ``written``: (which tensor, its
    entry, how far that is behind the event).
    """

    end: TrieNode
    entries: tuple[TrieNode, ...]
    written: tuple[tuple[int, TrieNode, int], ...]
    length: int


@holding
def record_routine(
    trace: Trace,
    structure: tuple[Any, ...],
    tensors: Sequence[Handle],
    numbers: Sequence[Any],
    body: Callable[[], None],
) -> None:
    """Record what ``body`` does: it reads and writes ``tensors`` alone, and uses ``numbers`` in their order.

    ``structure`` names the routine with all else that decides what it records. Tensors with aliases, views or
    histories, and numbers that are tensors, are left to ``body``.
    """
    chapter = trace.chapter
    if len(chapter.inputs) != trace.node.n_inputs:
        mend(trace)
    fresh: dict[int, Handle] = {}
    refs = standing(chapter, tensors, fresh)
    if refs is None or not set(map(type, numbers)) <= {float}:
        body()
        return
    key = ("routine", structure, tuple(refs))
    event = trace.node.get(key)
    if event is None or event.meta is None:
        if cut_before_routine(trace):
            record_routine(structure, tensors, numbers, body)
        else:
            _record_first(trace, key, tensors, numbers, fresh, body)
        return
    if not take_over(trace, event.meta, tensors, numbers, fresh):
        body()


def standing(chapter: Chapter, tensors: Sequence[Handle | None], fresh: dict[int, Handle]) -> list[Any] | None:
    """How each tensor stands in the chapter: its entry, ~entry where it came in from memory, or the Leaf with which it
    will come in; those are put into ``fresh``. None where one of them is not as simple as that, or nested code may have
    moved them."""
    entered = chapter.entered
    if chapter.trace.strays:
        return None
    if not (entered or chapter.leaf_places or fresh):  # it begins the chapter, as a step mostly does
        leaves = _all_from_memory(tensors, fresh)
        if leaves is not None:
            return leaves
    refs: list[Any] = []
    for a in tensors:
        if a is None:
            refs.append(None)
            continue
        if a.share is not None and not is_alone(a):
            return None
        page = a.page
        if page is not None and page.chapter is chapter:
            refs.append(a.at.ix)
            continue
        key = id(a)
        if page is not None or a.history is not None or key in fresh:
            return None
        known = entered.get(key)
        if known is not None and known[2] is a.buffer:
            refs.append(~known[1].ix)
        elif key in chapter.leaf_places:
            return None
        else:
            refs.append(a.at)
            fresh[key] = a
    return refs


def _all_from_memory(tensors: Sequence[Handle | None], fresh: dict[int, Handle]) -> list[Any] | None:
    """The same for the first to come into a chapter, where all lie in memory and have nothing that few tensors have;
    None where one does, or comes twice."""
    for a in tensors:
        if a is None or a.page is not None or a.share is not None or a.history is not None:
            break
        fresh[id(a)] = a
    else:
        if len(fresh) == len(tensors):
            return [a.at for a in fresh.values()]
    fresh.clear()
    return None


def _record_first(
    trace: Trace,
    key: tuple[Any, ...],
    tensors: Sequence[Handle],
    numbers: Sequence[Any],
    fresh: dict[int, Handle],
    body: Callable[[], None],
) -> None:
    """Record operation by operation, and write down at the event what to take over when it comes again."""
    event = advance(trace, key, ("routine",))
    chapter, n_numbers, before = trace.chapter, len(trace.chapter.scalars), [(a.at, a.chapter) for a in tensors]
    entries = tuple([enter(trace, a) for a in fresh.values()])
    trace.in_routine = True
    try:
        body()
    finally:
        trace.in_routine = False
    if trace.chapter is not chapter or trace.strays:  # something in it had to be looked at; or nested code has looked
        return  # at it in the midst of a write, which was recorded again
    assert chapter.scalars[n_numbers:] == list(numbers), "a routine records its numbers, each once and in their order"
    written = [(i, a) for i, (a, was) in enumerate(zip(tensors, before, strict=True)) if (a.at, a.chapter) != was]
    remember(trace, event, entries, written)


def remember(
    trace: Trace, event: TrieNode, entries: tuple[TrieNode, ...], written: Sequence[tuple[int, Handle]]
) -> None:
    """Write down at ``event`` what was recorded after it: ``entries`` brought tensors in, others were written. Nobody
    holds what else was recorded."""
    places = tuple([(i, a.at, a.at.ix - event.ix - 1) for i, a in written if isinstance(a.at, TrieNode)])
    if trace.strays or trace.node.n_inputs != event.n_inputs + len(entries):
        return  # nested code may have read, written or exported one of them, which stands elsewhere then
    own = {place for _, _, place in places}
    length = trace.node.ix - event.ix
    for place in range(length):
        if place not in own:
            trace.live[event.ix + 1 + place] = None
    event.meta = Recorded(trace.node, entries, places, length)


def take_over(
    trace: Trace,
    recorded: Recorded,
    tensors: Sequence[Any],
    numbers: Sequence[float],
    fresh: dict[int, Handle],
) -> bool:
    """Go to where the routine ended, as if every operation had been recorded. False, with nothing done, where nested
    code has used the trace since ``standing`` looked."""
    block: list[Any] = [None] * (recorded.length + 1)
    for i, _, place in recorded.written:
        block[1 + place] = tensors[i]
    buffers = [a.buffer for a in fresh.values()] if fresh else ()
    if buffers:
        mend(trace)
    if trace.strays:
        return False
    trace.chapter.inputs += buffers
    trace.chapter.scalars += numbers
    trace.node = recorded.end
    trace.live.extend(block)
    try:
        _write_down(trace, recorded, tensors, fresh)
    except BaseException:  # Ctrl-C: what was done the first time is left alone
        _write_down(trace, recorded, tensors, fresh)
        raise
    return True


def _write_down(trace: Trace, recorded: Recorded, tensors: Sequence[Any], fresh: dict[int, Handle]) -> None:
    """The chapter knows what came in, and every written tensor stands for its new value."""
    chapter = trace.chapter
    if fresh:
        for (key, a), node in zip(fresh.items(), recorded.entries, strict=True):
            if node.requires_grad:
                chapter.leaves[node.ix] = a
                chapter.leaf_places[key] = (OWN, node.ix)
            chapter.entered[key] = (a, node, a.buffer)
    may_be_shown = recorded.end.looks is not None or threads.several or trace.strays
    for i, node, _ in recorded.written:
        a = tensors[i]
        if a.at is not node:  # what was made for this nobody shows
            if may_be_shown:
                turn_page(trace)
                may_be_shown = False
            if a.page is not None:
                unlive(trace, a)
        a.at, a.page = node, trace.page
