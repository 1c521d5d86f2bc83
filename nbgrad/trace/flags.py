"""Changing what a tensor is: whether it requires grad, its history, whose memory it shows.

Leaves may lie in memory without gaps, but not row-major, such as a transposed matrix: gradients are laid out alike. Few
programs have any, so it is written down where a tensor becomes one, and a backward looks only then.
"""

from __future__ import annotations

import weakref
from typing import Final

from nbgrad.errors import GradError
from nbgrad.graph.geometry import memory_order
from nbgrad.runtime.references import is_unique
from nbgrad.trace.detached import detach, keep_whole
from nbgrad.trace.flushing import flush
from nbgrad.trace.grow import advance, advance_as, left_by
from nbgrad.trace.handle import PLAIN, Handle, Share, make_tensor, plain, spec_of
from nbgrad.trace.history import is_leaf, requires_grad
from nbgrad.trace.nested import holding
from nbgrad.trace.now import follow
from nbgrad.trace.read import bring_up_on, materialize
from nbgrad.trace.storage import (
    Steps,
    alias_of,
    entry_of,
    forget_aliases,
    held_sharing,
    holder_of,
    is_view,
    keep_views,
    layout_of,
    memory_of,
    root_of,
    share_of,
    way_to,
)
from nbgrad.trace.thread import Trace, threads, turn_page
from nbgrad.trace.trie import Leaf

permuted_leaves: Final[dict[int, weakref.ref[Handle]]] = {}  # by ids


@holding
def set_requires_grad(trace: Trace, a: Handle, wanted: bool) -> None:
    """Make the leaf ``a`` require grad, or not. What was recorded before is as it was."""
    if wanted and a._at.inference and not trace.inference:
        raise GradError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. clone() it first"
        )
    if wanted and _begin_here(trace, a):
        return
    _come_out(trace, a)
    share = share_of(a)
    if share is not None and share.root is not None and wanted:
        root, share.steps = memory_of(a)
        _be_own(trace, a, share, root)
        a._history = None
    elif not wanted:
        _be_view(a, share)
    elif share is not None:  # its views ask whether they have a derivative now
        share.storage.version += 1
        share.seen = share.storage.version
        keep_whole(trace, a)
    a._at = Leaf.of(spec_of(a), wanted, True, a._at.inference)
    if share is not None and (share.steps or share.storage.strides) and wanted:
        note_layout(a)


def _begin_here(trace: Trace, a: Handle) -> bool:
    """Let a value that the running segment has made be a leaf from here on, or a detached alias made in it, which comes
    in as a leaf. False where it is of another kind.

    Only in a segment that will be run again, and in a vmap. Others end here: what made parameters is no part of the
    first step.
    """
    at = a._at
    if (trace.watcher is None and not trace.vmaps) or at.is_alias or at.inference:
        return False
    share = share_of(a)
    if share is not None and not _is_new_alias(trace, share):
        return False
    if a._segment is not trace.segment:
        if share is None or a._page is not None or id(a) in trace.segment.entered:
            return False
        a._at = Leaf.of(spec_of(a), True, True, False)
        return True
    if trace.node.aliases is not None:
        keep_views(trace)  # which show a leaf from here on, and have no place in the graph
    advance_as(trace, a, ("own", at.ix))
    trace.segment.leaves[a._at.ix] = a
    return True


def _is_new_alias(trace: Trace, share: Share) -> bool:
    """Whether the running segment has made this detached alias, and nobody has written it yet."""
    storage = share.storage
    is_own = share.born is trace.segment.token and share.root is None and share.seen == storage.version
    return is_own and storage.whole is None and storage.export is None and share.retained is None


@holding
def cut_history(trace: Trace, a: Handle) -> None:
    """Make ``a``, which is no view, a leaf without gradient."""
    _come_out(trace, a)
    _be_view(a, share_of(a))
    root = root_of(a)
    if alias_of(root) is a:  # a detached view has its history there
        _come_out(trace, root)
        root._history, root._at = None, plain(root)
    a._history, a._at = None, plain(a)


@holding
def set_data(trace: Trace, a: Handle, value: Handle) -> None:
    """Let ``a`` show the memory of ``value`` from now on, and keep its history. Its older views and
    aliases keep what they show."""
    _come_out(trace, a)
    materialize(trace, value)
    if a._share is not None and _shown_by(a) == _shown_by(value) and spec_of(a) is spec_of(value):
        return  # it does, as after p.data = p.data.to(device)
    if requires_grad(a) and not spec_of(value).dtype.is_inexact:
        raise GradError(
            "x.data = y: data set to a tensor that requires gradients must be floating point or complex dtype, not "
            f"{spec_of(value).dtype.name}: give it y.float()"
        )
    if requires_grad(a) and not is_leaf(a) and is_view(value):
        raise GradError(
            "x.data = y: y is a view, or lies as one, and x is computed and has a derivative: give it "
            "y.clone(memory_format=nbgrad.contiguous_format)"
        )
    wanted, was_leaf, history = requires_grad(a), is_leaf(a), a._history
    _leave_memory(trace, a)
    before, twin = a._share, detach(value, counts=False)
    assert twin._share is not None
    if before is not None:  # who counted its writes goes on to
        twin._share.counter, twin._share.counted = before.counter, before.counter[0]
        twin._share.retained = before.retained
    a._history, a._share, a._page = None if was_leaf else history, twin._share, None
    _be_in_place_of(trace, twin, a, wanted)
    a._at = Leaf.of(spec_of(twin), wanted, was_leaf, a._at.inference)
    if wanted and was_leaf:
        note_layout(a)


def _shown_by(a: Handle) -> tuple[int, Steps]:
    """Which memory ``a`` shows, by id, and through which steps."""
    root, steps = way_to(a)
    share = root._share
    return (id(root), steps) if share is None else (id(share.storage), (*share.steps, *steps))


@holding
def show_as(trace: Trace, a: Handle, view: Handle) -> None:
    """Let ``a``, a view, show its memory as ``view``, a view of it that nobody else has, does, with its gradient."""
    if requires_grad(view):
        share, node = share_of(view), entry_of(trace, view)
        assert share is not None and a._share is not None
        share.retained = a._share.retained
        was, gone = left_by(trace, a, node.ix), list[object]()
        # fmt: off
        trace.live[was] = gone; trace.live[node.ix] = a; a._at = node; a._share = share; a._history = None; a._page = trace.page  # noqa: E501, E702  (nothing may come between)
        # fmt: on
        turn_page(trace)
        return
    _come_out(trace, a)
    bring_up_on(trace, view)
    _leave_memory(trace, a)
    a._share, a._history, a._page = share_of(view), None, None
    a._at = Leaf.of(spec_of(view), False, True, a._at.inference)


@holding
def be_shown(trace: Trace, a: Handle) -> None:
    """Let ``a``, which is no view and no leaf with gradient, be a view of a tensor that nobody holds and that has its
    memory and history. Its own views are views of that."""
    share = None
    while share is None or a._share is share:  # once more where nested code wrote it meanwhile
        bring_up_on(trace, a)
        share, storage = held_sharing(a, trace)
        version, rest = storage.version, make_tensor()
        rest._buffer, rest._at, rest._history = a._buffer, a._at, a._history
        rest._share = Share(storage, None, (), share.kind, share.counter)
        rest._share.seen, rest._share.counted, rest._share.shown = share.seen, share.counted, weakref.ref(a)
        made = Share(storage, rest, (), PLAIN, share.counter)
        made.retained = share.retained
        roots = [*[ref for ref in storage.roots if ref() is not a], weakref.ref(rest)]
        # fmt: off
        if a._share is share and a._page is None and storage.version == version: share.rest = rest; storage.roots = roots; a._share = made  # noqa: E501, E701, E702  (nothing may come between)
        # fmt: on
    turn_page(trace)


def _be_in_place_of(trace: Trace, twin: Handle, a: Handle, wanted: bool) -> None:
    """Let the memory of ``twin``, which nobody else has and whose share ``a`` has got, be that of ``a``."""
    assert a._share is not None
    storage, root = a._share.storage, root_of(twin)
    if root is twin:
        a._buffer = twin._buffer
        storage.roots = [weakref.ref(a) if ref() is twin else ref for ref in storage.roots]
        return
    assert root._share is not None
    root._share.shown = weakref.ref(a)
    if wanted:  # a leaf that is a view
        materialize(trace, root)
        _be_own(trace, a, a._share, root)


def _be_own(trace: Trace, a: Handle, share: Share, root: Handle) -> None:
    """Let ``a``, a view of ``root``, be a leaf."""
    assert root._share is not None
    if root._share.storage.whole is None:  # others may have written it since ``root`` did
        keep_whole(trace, root, is_wanted=True)
    share.above, share.root, share.base = root, None, root._share
    if isinstance(root._share.shown, weakref.ref) and root._share.shown() is a:  # its views are no longer the root's
        root._share.shown = a


def _be_view(a: Handle, share: Share | None) -> None:
    """Let ``a`` be a view again where it is a leaf that was one."""
    if share is None or share.above is None:
        return
    root = share.root = share.above
    share.above = None
    if root._share is not None and root._share.shown is a:
        root._share.shown = weakref.ref(a)


def _come_out(trace: Trace, a: Handle) -> None:
    """Have ``a`` in memory and not in the running segment, where it would go on as it came in."""
    if trace.watcher is not None:
        trace.watcher.refuse("requires_grad_(), detach_() and .data= change what a tensor is: do that to a clone()")
    bring_up_on(trace, a)
    if a._page is not None or id(a) in trace.segment.entered:
        flush(trace)
    if a._share is not None or threads.several:
        turn_page(trace)


def _leave_memory(trace: Trace, a: Handle) -> None:
    """A tensor of its own takes over ``a``'s memory for those that show it too, with its history, or with ``a``, which
    is a leaf, for one."""
    forget_aliases(a)
    share = share_of(a)
    if share is None or share.root is not None or (share.steps and is_unique(a, "_share", 2)):
        return  # nobody has it for a root
    rest = make_tensor()
    held, _ = holder_of(a)
    materialize(trace, held)
    rest._buffer, rest._at, rest._history = held._buffer, a._at, a._history
    if a._at.requires_grad and a._at.is_leaf:
        rest._at = plain(held)
        history, value = entry_of(trace, a), entry_of(trace, rest)
        if share.steps:  # a leaf that is a view: part of the memory has its history
            history = advance(trace, ("put", value.ix, follow(trace, value, share.steps).ix, history.ix, False, -1))
        advance_as(trace, rest, ("rebase_history", history.ix, value.ix, -1))
        materialize(trace, rest)
    rest._share = Share(share.storage, None, (), share.kind, share.counter)
    share.storage.roots = [*[ref for ref in share.storage.roots if ref() is not a], weakref.ref(rest)]
    share.rest = rest


def note_layout(a: Handle) -> None:
    """``a`` is a leaf from here on."""
    strides = layout_of(a)
    if strides is not None and memory_order(spec_of(a).shape, strides) is not None:
        key = id(a)
        permuted_leaves[key] = weakref.ref(a, lambda _: permuted_leaves.pop(key, None))
