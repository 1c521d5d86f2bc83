"""Views of tensors: recorded like any value as long as nobody can tell, then tied to the tensor whose memory they show.

Most views are read once and dropped, ``u[1:]`` in a stencil for one. Such a *window* is an entry like others. It
becomes a view, with a ``Rare`` that says of what, when memory is about to be written or exported, when the chapter ends
while somebody holds it, or when somebody asks.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.errors import ShapeError
from nbgrad.trace.handle import Chapter, Handle, Rare, Trace, ViewStep, local, rare_of, threads, windowed
from nbgrad.trace.trie import Leaf, TrieNode, split_key
from nbgrad.trace.window import shares_memory

getrefcount = sys.getrefcount
MANY = 64  # views of one tensor: so many are looked through for dead ones


def _held(live: Sequence[Any], places: Sequence[int], alone: int) -> list[int]:
    return [ix for ix in places if getrefcount(live[ix]) > alone]


def held_windows(trace: Trace) -> bool:
    """Whether somebody holds a window of the chapter."""
    live = trace.live
    return bool(_held(live, [ix for ix in trace.chapter.windows if ix < len(live)], ALONE))


def _references_of_a_list_item() -> int:
    """What ``getrefcount`` says inside ``_held`` of an object that only the list holds (it differs between Pythons)."""
    return next(alone for alone in range(8) if not _held([[]], [0], alone))


ALONE = _references_of_a_list_item()


def show(a: Handle) -> None:
    """Make a view of the window ``a``: it shows the memory of its base from now on. Others of its chapter become views
    with it, those of a window before that window."""
    chapter = a.chapter
    if chapter is not None and chapter.trace.chapter is chapter:  # otherwise it was given up, after an error
        show_windows(chapter.trace)


def show_windows(trace: Trace) -> None:
    """Make views of all windows of the chapter that somebody holds."""
    if not threads.several:
        _show_windows(trace)
        return
    with _one_at_a_time[0]:
        windowed.add(_AT_WORK)  # those who ask meanwhile have to wait until it is done
        try:
            _show_windows(trace)
        finally:
            windowed.discard(_AT_WORK)


def show_all_windows() -> None:
    """Make views of the windows that any thread holds: memory that they may show is written next, or exported."""
    trace = local.trace
    if trace.chapter.windows:
        show_windows(trace)
    if windowed:
        for chapter in _windowed_chapters():
            show_windows(chapter.trace)


def _windowed_chapters() -> list[Chapter]:
    """Those that have windows, of any thread, while several record; when nobody makes views of any."""
    found = []
    with _one_at_a_time[0]:
        known = list(windowed)
    for ref in known:
        chapter = ref()
        if ref is _AT_WORK:  # of this very thread
            continue
        if chapter is not None and chapter.trace.chapter is chapter:
            found.append(chapter)
        else:
            windowed.discard(ref)  # what it has is lost
    return found


def _show_windows(trace: Trace) -> None:
    chapter, live = trace.chapter, trace.live
    places = chapter.windows
    if windowed:
        windowed.discard(weakref.ref(chapter))  # first: its thread may record another one meanwhile
    known = len(live)
    n = sum([ix < known for ix in places])  # of one that is being recorded there is no tensor yet
    for ix in reversed(_held(live, places[:n], ALONE)):
        a = live[ix]
        if isinstance(a, Handle) and a.chapter is chapter and isinstance(a.at, TrieNode) and a.at.window:
            _show(trace, a, a.at)
    del places[:n]  # the others are gone


def show_written(trace: Trace, written: Sequence[Handle | None]) -> None:
    """Make views of windows, of any thread, where one of them may show a tensor of ``written``, which are written next,
    and nothing else is. A step writes gradients and parameters while somebody holds its batch of data."""
    chapters = _windowed_chapters() if windowed else ()
    for chapter in (trace.chapter, *chapters):
        if chapter.windows and (chapter.has_inner_windows or _is_written(list(chapter.bases.values()), written)):
            show_windows(chapter.trace)


def _is_written(bases: Iterable[Handle], written: Sequence[Handle | None]) -> bool:
    for base in bases:
        if base.at.requires_grad:
            return True  # its windows have derivatives
        for x in written:
            if x is base:
                return True
    return False


def _show(trace: Trace, a: Handle, node: TrieNode) -> None:
    chapter = trace.chapter
    base, chain = base_and_chain(a)
    assert node.spec is not None
    leaf = Leaf.of(node.spec, node.requires_grad, not node.requires_grad)
    rare = tie(a, base, chain)
    # Another thread may have written its base before it could find the window. One with a derivative stays one value.
    if node.requires_grad or not threads.several:
        rare.entered = (chapter.token, node)
    if node.requires_grad:
        chapter.shown.append((node.ix, weakref.ref(a)))
    # No call from here on: whenever Ctrl-C comes, all of it is done or nothing.
    a.history = None
    a.chapter = None
    a.at = leaf
    if trace is local.trace:  # another one may be running, and finds out that this is no longer its own
        trace.live[node.ix] = None


def base_and_chain(a: Handle) -> tuple[Handle, tuple[ViewStep, ...]]:
    """The tensor whose memory ``a`` shows, and the view calls from there to ``a``."""
    if threads.several and a.at.window:
        with _one_at_a_time[0]:  # another thread may be about to make views of the windows on the way
            return _base_and_chain(a)
    return _base_and_chain(a)


def _base_and_chain(a: Handle) -> tuple[Handle, tuple[ViewStep, ...]]:
    steps: list[ViewStep] = []
    while a.at.window and a.chapter is not None:
        node = a.at
        assert isinstance(node, TrieNode) and node.parent is not None
        refs, statics = split_key(node.key)
        numbers = tuple(a.chapter.scalars[node.parent.n_scalars : node.n_scalars])
        steps.append((CALLS_BY_NUMBER[node.key[0]], refs[1:], numbers, statics))
        source = a.chapter.bases.get(refs[0])
        a = a.chapter.trace.live[refs[0]] if source is None else source
    steps.reverse()
    if a.rare is not None and a.rare.base is not None:
        return a.rare.base, (*a.rare.chain, *steps)
    return a, tuple(steps)


def may_be_window(trace: Trace, a: Handle, node: TrieNode, base: TrieNode, step: ViewStep, refs: Sequence[int]) -> bool:
    """Whether a view call on ``a``, whose entry is ``base``, may be recorded like any value: the same for all tensors
    that come this way, except those that ``is_plain`` leaves out."""
    if base.inference or trace.inference or (base.requires_grad and not node.requires_grad):
        return False
    return shows_memory(a, step, refs)


def is_plain(a: Handle) -> bool:
    """Whether ``a`` is a tensor of its own, or a window, and nobody outside sees its memory."""
    rare = a.rare
    return rare is None or (rare.base is None and rare.export is None and not rare.stale and rare.error is None)


def shows_memory(a: Handle, step: ViewStep, refs: Sequence[int]) -> bool:
    """Whether a view call gives a window on ``a``'s memory; otherwise its result is a value of its own."""
    if any(r >= 0 for r in refs[1:]):
        return False
    base, chain = base_and_chain(a)
    if not chain:
        return True  # one view over row-major memory
    spec = base.at.spec
    assert spec is not None
    if shares_memory(spec, (*chain, step)):
        return True
    call: Call = step[0]
    if call.name == "view":
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return False


def link(y: Handle, a: Handle, step: ViewStep) -> Rare:
    """Make ``y`` a view of ``a``'s base."""
    base, chain = base_and_chain(a)
    return tie(y, base, (*chain, step))


def tie(y: Handle, base: Handle, chain: tuple[ViewStep, ...]) -> Rare:
    """Make ``y`` what ``chain`` shows of ``base``, which is a view of nothing."""
    rare = Rare()
    rare.base, rare.chain = base, chain
    known = rare_of(base)
    count = len(known.views)
    if count >= MANY and count & (count - 1) == 0:  # the dead ones are most of them
        living_views(known)
    known.views.append(weakref.ref(y))
    y.rare = rare
    return rare


def living_views(rare: Rare) -> list[Handle]:
    """The views of a base, whose dead ones are forgotten. Others may be appended meanwhile."""
    with _one_at_a_time[0]:
        views = rare.views
        count = len(views)
        alive = [(ref, view) for ref in views[:count] if (view := ref()) is not None]
        views[:count] = [ref for ref, _ in alive]
    return [view for _, view in alive]


def forget_entries(rare: Rare) -> None:
    """The views of a base enter anew when they are read next: others may have written its memory then."""
    if rare.views:
        for view in living_views(rare):
            if view.rare is not None:
                view.rare.entered = None


def _renew_lock() -> None:
    _one_at_a_time[0] = threading.RLock()  # another thread may have held it when the process forked
    windowed.discard(_AT_WORK)


class _AtWork:
    """Somebody makes views of windows: an element of ``windowed`` like chapters."""


_at_work: Any = _AtWork()
_AT_WORK: weakref.ref[Chapter] = weakref.ref(_at_work)
_one_at_a_time = [threading.RLock()]
os.register_at_fork(after_in_child=_renew_lock)
