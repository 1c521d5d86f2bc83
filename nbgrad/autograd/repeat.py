"""A backward that was recorded from here before: its entries are taken over in one go, see trace/routine.py.

That is the step of a training loop: one scalar, all leaves behind it, nothing from earlier chapters, no hooks of the
user's in between. Everything else is recorded piece by piece each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbgrad.errors import NbgradError
from nbgrad.runtime.collector import collector_paused
from nbgrad.trace.enter import enter
from nbgrad.trace.flush import flush
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import Chapter, Handle, Trace, make_tensor
from nbgrad.trace.rollback import Bookmark, Kept, go_back
from nbgrad.trace.routine import Recorded, remember, standing, take_over
from nbgrad.trace.trie import TrieNode, expect

BACKWARD: Final = "backward"  # what ``expect`` knows one by
LONG: Final = 100  # entries; Python collects after 700 new objects


def is_simple(trace: Trace, output: Handle) -> bool:
    """Whether the gradients of ``output`` are those of one value of the running chapter, which needs no other."""
    chapter, page = trace.chapter, output.page
    return (
        page is not None
        and page.chapter is chapter
        and output.share is None
        and not (chapter.functions or chapter.segments or chapter.past or chapter.retained)
    )


def run_again(trace: Trace, output: Handle) -> bool:
    """All of a ``backward`` from a simple output: take over what was recorded here before, run it.

    What a long chapter holds is dropped when it has run: a garbage collection just before would look at all of it.

    False, with nothing done, where it was never written down, where somebody watches, and where an instruction failed:
    the long way finds out which.
    """
    if trace.node.ix < LONG:
        return _run_again(trace, output)
    with collector_paused():
        return _run_again(trace, output)


def _run_again(trace: Trace, output: Handle) -> bool:
    if trace.watcher is not None:
        return False
    chapter, begun = trace.chapter, trace.node
    leaves = list(chapter.leaves.values())
    fresh: dict[int, Handle] = {}
    event = begun.ahead
    grads = _as_expected(event, output, chapter)
    if grads is None:
        grads = [x._grad for x in leaves]
        refs = standing(chapter, grads, fresh)
        known = None if refs is None else begun.get(_key(output, False, refs))
        if known is None or known.meta is None:
            return False
        event = known
        if not fresh:
            expect(begun, event, BACKWARD, output.at, [None if g is None else g.at for g in grads])
    kept: list[Kept] = []
    try:
        if not _take_over(trace, event.meta, leaves, grads, fresh, kept):
            return False
        flush(trace, isolate=False)
    except BaseException as error:
        if trace.chapter is chapter:  # otherwise Ctrl-C came when all was done
            go_back(trace, begun, kept)
            if isinstance(error, NbgradError):
                return False
        raise
    return True


def _as_expected(event: TrieNode, output: Handle, chapter: Chapter) -> list[Handle | None] | None:
    """The gradients of all leaves, where ``event`` is a backward from ``output`` and they stand where they did then, in
    this chapter. None where they do not."""
    if event.call is not BACKWARD or event.first is not output.at or event.meta is None:
        return None  # a path that nothing links to forgets what its backwards recorded
    grads: list[Handle | None] = []
    for x, at in zip(chapter.leaves.values(), event.second, strict=True):
        g = x._grad
        if g is None:
            if at is not None:
                return None
        elif g.at is not at or (page := g.page) is None or page.chapter is not chapter or g.share is not None:
            return None
        grads.append(g)
    return grads


def _key(output: Handle, retain: bool, refs: list[Any]) -> tuple[Any, ...]:
    return ("routine", ("backward", output.at.ix, retain), tuple(refs))


def _take_over(
    trace: Trace,
    recorded: Recorded,
    leaves: Sequence[Handle],
    grads: list[Handle | None],
    fresh: dict[int, Handle],
    kept: list[Kept],
) -> bool:
    """Record the entries of a backward and give the leaves their gradients; ``kept`` is what these were. False, with
    nothing done, where nested code came between."""
    made: list[tuple[Handle, Handle]] = []
    grads = grads.copy()
    for i, node, _ in recorded.written:
        g = grads[i]
        if g is None:
            x = leaves[i]
            kept.append((x, "_grad", None))
            grads[i] = g = make_tensor()
            g.at = node
            made.append((x, g))
        else:
            kept += ((g, "at", g.at), (g, "page", g.page))
    if not take_over(trace, recorded, grads, (), fresh):
        return False
    for x, g in made:
        x._grad = g
    return True


class Repeat:
    """One backward, to be taken over or written down.

    ``leaves`` are all of the chapter. ``grads`` are what they had before.
    """

    __slots__ = ("_before", "_entries", "_event", "_fresh", "_grads", "_key", "_leaves", "_recurs", "_trace")

    def __init__(self, trace: Trace, output: Handle, retain: bool, leaves: Sequence[Handle]) -> None:
        self._trace = trace
        self._leaves = leaves
        self._grads: list[Handle | None] = [x._grad for x in leaves]
        self._fresh: dict[int, Handle] = {}
        refs = standing(trace.chapter, self._grads, self._fresh)
        self._key = None if refs is None else _key(output, retain, refs)

    def take_over(self, mark: Bookmark) -> bool:
        """Record it all, if it was recorded here before, and give the leaves their gradients."""
        trace = self._trace
        event = None if self._key is None else trace.node.get(self._key)
        if event is None or event.meta is None:
            return False
        return _take_over(trace, event.meta, self._leaves, self._grads, self._fresh, mark.kept)

    def begin(self) -> None:
        """It is recorded next. What came once may never come again: it is written down the second time."""
        if self._key is None:
            return
        trace = self._trace
        self._recurs = self._key in trace.node
        self._event: TrieNode = advance(trace, self._key, ("routine",))
        self._before = [None if g is None else (g.at, g.chapter) for g in self._grads]
        self._entries = tuple([enter(trace, g) for g in self._fresh.values()])

    def end(self) -> None:
        """It was recorded: write it down, for the next time."""
        trace = self._trace
        if self._key is None or not self._recurs or len(trace.live) <= self._event.ix or trace.chapter.segments:
            return
        written = []
        for i, (x, before, was) in enumerate(zip(self._leaves, self._grads, self._before, strict=True)):
            now: Handle | None = x._grad
            if now is not None and (now is not before or (now.at, now.chapter) != was):
                written.append((i, now))
        remember(trace, self._event, self._entries, written)
