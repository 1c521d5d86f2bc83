"""Writes in place: a new value of the root, whose other views and aliases ask for it when they are used next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS, Call
from nbgrad.calls.device_check import apart
from nbgrad.errors import GradError, RunError, ShapeError
from nbgrad.graph.dtypes import bool_, category
from nbgrad.graph.spec import HOST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.system.collector import collector_paused
from nbgrad.trace.builder import depends_on_examples
from nbgrad.trace.enter import enter_value, mend
from nbgrad.trace.flushing import flush
from nbgrad.trace.grow import advance, builder_of, left_by, new_tensor
from nbgrad.trace.handle import FRESH_VIEW, NO_GRAD, PLAIN, Handle, Share, is_lost, make_tensor, spec_of
from nbgrad.trace.history import WRITTEN, is_leaf, protected_view, require_kept, requires_grad
from nbgrad.trace.mode import grad_mode
from nbgrad.trace.nested import holding
from nbgrad.trace.nodes import origin, retain, spot_of
from nbgrad.trace.now import follow, note_known
from nbgrad.trace.recording import record, record_on
from nbgrad.trace.storage import (
    Steps,
    alias_of,
    entry_of,
    has_takers,
    is_exported,
    is_shown_by_views,
    root_of,
    share_of,
    shows_twice,
    value_of,
    way_to,
)
from nbgrad.trace.thread import Trace, next_page, require_value, threads, turn_page
from nbgrad.trace.trie import TrieNode, entry_at

INPLACE_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update"
)
Compute = Callable[[], Any] | tuple[Call, tuple[Any, ...], tuple[Any, ...]]
Places = Callable[[], Handle] | None
State = tuple[Any, Any]  # of a tensor: the storage and its version; where it is alone, its entry and whose that is


def shown_alone(trace: Trace, a: Handle) -> tuple[Handle, int, int] | None:
    """The tensor that a fresh view is of, where nothing but views shows its memory: it may be written like one that no
    view shows. And the entries of the two. None where that is not so, or there is more to ask."""
    if a._share is not FRESH_VIEW or a._page is not trace.page or trace.vmaps or trace.duals or trace.watcher:
        return None
    segment, live, grad_enabled, first = trace.segment, trace.live, trace.grad_enabled, -1
    while a._share is FRESH_VIEW:
        node = a._at
        first = node.ix if first < 0 else first
        if node.inference or not (node.lazy_view == PLAIN or (node.lazy_view == NO_GRAD and not grad_enabled)):
            return None
        ix = node.key[1]  # type: ignore[union-attr]
        found = live[ix]
        if found is None:  # a tensor from memory
            found = next((b for b, entry, _ in list(segment.entered.values()) if entry.ix == ix), None)
        if not isinstance(found, Handle):
            return None
        a = found
    at, page, share = a._at, a._page, a._share
    if at.inference or (at.requires_grad and at.is_leaf and grad_enabled):
        return None
    if share is not None and not is_shown_by_views(share):
        return None
    if page is None:
        known = segment.entered.get(id(a))
        is_it = known is not None and known[1].ix == ix and known[2] is a._buffer
    else:
        is_it = page.segment is segment and at.ix == ix
    return (a, ix, first) if is_it else None


def require_writable(trace: Trace, a: Handle, what: str) -> None:
    """The errors by which PyTorch protects leaves that require grad, and some views."""
    if a._at.inference and not trace.inference:
        raise GradError(INPLACE_INFERENCE)
    if trace.duals is not None:
        trace.duals.refuse_write(a, what)
    if not trace.grad_enabled:
        return
    if not requires_grad(a) or (a._share is None and not a._at.is_leaf) or shown_alone(trace, a) is not None:
        return
    share = share_of(a)
    if share is not None and share.kind != PLAIN and share.root is not None:
        raise GradError(f"{what}: {protected_view(share, WRITTEN)}")
    root = root_of(a)
    if is_leaf(root):
        if root is a:
            raise GradError(
                f"{what}: a leaf Variable that requires grad is being used in an in-place operation. "
                "Do it under nbgrad.no_grad(), or work on a clone()"
            )
        raise GradError(f"{what}: a view of a leaf Variable that requires grad is being used in an in-place operation.")


def _refuse_outer(trace: Trace, a: Handle, value: Handle, what: str) -> None:
    """RuntimeError where ``a``, which one vmap or all have outside, would get a value for each of its examples."""
    root = root_of(a)
    ref, builder = entry_of(trace, value).ix, builder_of(trace, trace.node)
    for level in trace.vmaps:
        outer = level.outer
        if id(root) not in outer and root._segment is trace.segment and root._at.ix >= level.entries[0].ix:
            continue
        if depends_on_examples(builder, ref, level.entries):
            raise RunError(
                f"vmap: {what} is not possible: it writes, in place, a value for each example into a tensor that is "
                "the same for all. Use an out-of-place operation, or write to a tensor that depends on the examples"
            )
        outer[id(root)] = root  # and stays so, though it has an entry inside now


def state_of(a: Handle) -> State:
    """What tells whether what ``a`` shows was written meanwhile."""
    share = share_of(a)
    if share is not None:
        return share.storage, share.storage.version
    return value_of(a)


@holding
def write_checked(
    trace: Trace, a: Handle, compute: Compute, what: str, *, covers: bool = False, places: Places = None
) -> Any:
    """``write`` of what ``compute`` gives, or of a call, its operands and its static arguments, after the checks of an
    in-place operation: the shape stays, the dtype can hold the result. It is computed again where nested code wrote to
    ``a`` meanwhile. Gives ``a``; or NotImplemented, where ``compute`` does.

    ``covers`` says that the value is not computed from what ``a`` was. ``places``, of what writes one by one, gives a
    mask of those that are written: others may show the same memory.
    """
    done = _attempt(trace, a, compute, what, covers, places)
    if done is None:
        with collector_paused():  # what its callbacks run may be what comes between, each time
            while done is None:
                done = _attempt(trace, a, compute, what, covers, places)
    return done


def _attempt(trace: Trace, a: Handle, compute: Compute, what: str, covers: bool, places: Places) -> Any:
    """None where nested code wrote meanwhile."""
    shown = shown_alone(trace, a) if places is None else None
    before = state_of(a) if shown is None else value_of(shown[0])
    value = record_on(trace, *compute) if isinstance(compute, tuple) else compute()
    if value is NotImplemented:
        return value
    if value._at.spec is not a._at.spec:
        value = _fitting(a, value, what)
    return a if write_on(trace, a, value, what, before, covers, places) else None


def write_on(
    trace: Trace, a: Handle, value: Handle, what: str, before: State, covers: bool = False, places: Places = None
) -> bool:
    """Let ``a`` have ``value`` (same shape) from now on: through views, to aliases, with or without gradient. False,
    with nothing done, where it is no longer what it was ``before``."""
    shown = shown_alone(trace, a) if places is None else None
    if shown is None:
        require_writable(trace, a, what)
    if trace.duals is not None and trace.duals.follows(a):
        return trace.duals.write(a, value, what, before, covers, places)  # type: ignore[no-any-return]
    require_kept(value)
    if shown is not None:
        return _write_part(trace, *shown, value, before, covers)
    if trace.vmaps:
        _refuse_outer(trace, a, value, what)
    if trace.watcher is not None:
        trace.watcher.writes(a)
        if is_exported(a):
            trace.watcher.refuse(
                "memory that a tensor shares with NumPy or another library is written: write a clone(), and copy it "
                "back with copy_() outside",
                of_memory=True,
            )
    share = share_of(a)
    if share is None or (trace.watcher is trace.duals is None and is_shown_by_views(share)):
        return _write_alone(trace, a, value, before, covers)
    written = None if places is None or not shows_twice(a) else places()
    node = entry_of(trace, value)
    if share.kind != PLAIN and share.root is not None and trace.grad_enabled and node.requires_grad:
        raise GradError(f"{what}: {protected_view(share, WRITTEN)}")
    if trace.duals is not None and node.requires_grad and trace.grad_enabled:
        trace.duals.refuse_history(a, what)
    mask = -1 if written is None else entry_of(trace, written).ix
    if share.root is None and share.steps:
        return _write_whole(trace, a, share, node, before, mask)
    return _write_root(trace, a, share, node, before, covers, mask)


write = holding(write_on)


# All is recorded first. Then, in one line as nothing may come between, what is written is compared and changed.


def _write_part(trace: Trace, base: Handle, was: int, view: int, value: Handle, before: State, covers: bool) -> bool:
    """Write through a fresh view of what nobody else shows, whose entries these are: the new value is like any computed
    one."""
    whole = new_tensor(trace, "put", was, view, entry_of(trace, value).ix, covers, -1)
    return _write_alone(trace, base, whole, before, covers=False)


def _write_alone(trace: Trace, a: Handle, value: Handle, before: State, covers: bool) -> bool:
    """Write what nobody else shows but views of it: it takes over what a result of this segment stands for."""
    looks, live, at, share = trace.node.aliases, trace.live, a._at, a._share
    node: Any = entry_of(trace, value)
    if (
        _keeps_history(trace, at, node, covers)
        or live[node.ix] is not value
        or node.inference != at.inference
        or node.is_alias
    ):
        node = _new_value(trace, a, node, covers)
    was = left_by(trace, a, node.ix)
    gone: list[object] = []
    if share is not None:
        storage, counter, roots = share.storage, share.counter, share.storage.roots
        if has_takers(storage):
            return False
        segment, had, turned = trace.segment, trace.segment.known, next_page(trace)
        # fmt: off
        if a._share is share and storage.whole is None and storage.roots is roots and ((storage is before[0] and storage.version == before[1]) or (a._at is before[0] and (a._buffer if (page := a._page) is None else page.segment) is before[1])): live[was] = gone; live[node.ix] = a; a._at = node; segment.known = turned.known; trace.page = turned; a._page = turned; storage.version += 1; share.seen = storage.version; counter[0] += 1; share.counted = counter[0]  # noqa: E501, E701, E702  (nothing may come between)
        else: return False  # noqa: E701  (nothing may come between)
        # fmt: on
        turn(trace, a)
        had.clear()
        return True
    # fmt: off
    if a._share is None and a._at is before[0] and (a._buffer if (page := a._page) is None else page.segment) is before[1]: live[was] = gone; live[node.ix] = a; a._at = node; a._page = trace.page  # noqa: E501, E701, E702  (nothing may come between)
    else: return False  # noqa: E701  (nothing may come between)
    # fmt: on
    if looks is not None or threads.several or trace.strays:
        turn_page(trace)
        stay(trace, a)
    return True


def _write_root(
    trace: Trace, a: Handle, share: Share, node: TrieNode, before: State, covers: bool, written: int
) -> bool:
    """Write what has a history of its own, or a view of that. Who has the value without that history, has it, too."""
    root, steps = way_to(a)
    own = share_of(root)
    if own is None:  # nested code was the last to show the same
        return False
    if own.steps:  # a leaf that is a view
        return _write_whole(trace, root, own, node, before, written, steps)
    was_elsewhere = root._page is not None and root._segment is not trace.segment
    base = None
    if root is not a:  # once: memory that others may write is copied each time it enters
        base = _past_hooks(trace, root)
        node = _put(trace, base, steps, node, covers, written)
        covers = False
    node = _new_value(trace, root, node, covers, base)
    storage, live = own.storage, trace.live
    has_others, roots, known = has_takers(storage), storage.roots, storage.whole
    whole, still, kept = root, node, known
    if has_others:
        whole = kept = make_tensor() if known is None else known
        still = advance(trace, ("detach", node.ix, node.inference))
    was, whole_was = left_by(trace, root, node.ix), left_by(trace, whole, still.ix)
    gone: list[object] = []
    whole_gone: list[object] = []
    segment, had, page = trace.segment, trace.segment.known, next_page(trace)
    # fmt: off
    if root._share is own and storage is before[0] and storage.version == before[1] and storage.roots is roots and storage.whole is known: live[was] = gone; live[whole_was] = whole_gone; live[still.ix] = whole; whole._at = still; segment.known = page.known; trace.page = page; whole._page = page; live[node.ix] = root; root._at = node; root._page = page; storage.whole = kept; storage.version = own.seen = before[1] + 1; own.error = None; share.counter[0] += 1; own.counted = share.counter[0]  # noqa: E501, E701, E702  (nothing may come between)
    else: return False  # noqa: E701  (nothing may come between)
    # fmt: on
    turn(trace, root, storage.whole)
    had.clear()
    if own.retained is not None and node.requires_grad:
        retain(root)
    if root is not a and share.retained is not None and trace.grad_enabled:
        retain(a)
    if was_elsewhere or is_exported(root):
        flush(trace)
        require_value(root)
    return True


def _write_whole(
    trace: Trace, a: Handle, share: Share, node: TrieNode, before: State, written: int, steps: Steps = ()
) -> bool:
    """Write through a leaf that is a view, or what ``steps`` show of it: its history stays, and so do those of
    others."""
    storage, live = share.storage, trace.live
    whole = storage.whole
    assert whole is not None
    steps = (*share.steps, *steps)
    if node.requires_grad:
        node = advance(trace, ("detach", node.ix, node.inference))
    base: Any = share.above if is_exported(a) else whole  # others' memory may lie otherwise than row by row
    new = _put(trace, entry_of(trace, base), steps, node, covers=False, written=written)
    new = advance(trace, ("detach", new.ix, whole._at.inference))
    was = left_by(trace, whole, new.ix)
    gone: list[object] = []
    segment, had, page = trace.segment, trace.segment.known, next_page(trace)
    # fmt: off
    if storage is before[0] and storage.version == before[1] and storage.whole is whole: live[was] = gone; live[new.ix] = whole; whole._at = new; segment.known = page.known; trace.page = page; whole._page = page; storage.version = before[1] + 1; share.counter[0] += 1  # noqa: E501, E701, E702  (nothing may come between)
    else: return False  # noqa: E701  (nothing may come between)
    # fmt: on
    turn(trace, whole, whole)
    had.clear()
    if is_exported(a):
        flush(trace)
        require_value(whole)
        storage.export.store(whole._buffer)
        whole._buffer = storage.export.buffer
    return True


def turn(trace: Trace, *written: Handle | None) -> None:
    """What shows the storage asks from now on, on other traces, too; what was written knows."""
    if threads.several or trace.strays:
        turn_page(trace)
    for a in written:
        if a is not None:
            stay(trace, a)


def stay(trace: Trace, a: Handle) -> None:
    """``a`` still stands for its entry, unless nested code has written it since, or what shows its memory."""
    # fmt: off
    if (page := a._page) is not None and page.segment is trace.segment and ((share := a._share) is None or share.seen == share.storage.version): a._page = trace.page  # noqa: E501, E701  (nothing may come between)
    # fmt: on
    if (share := a._share) is not None and share is not FRESH_VIEW:
        note_known(trace, a, share, a._at)  # type: ignore[arg-type]


def _put(trace: Trace, base: TrieNode, steps: Any, node: TrieNode, covers: bool, written: int) -> TrieNode:
    """The value of a root in which ``node`` stands where ``steps`` look."""
    return advance(trace, ("put", base.ix, follow(trace, base, steps).ix, node.ix, covers, written))


def _past_hooks(trace: Trace, root: Handle) -> TrieNode:
    """The entry of ``root``, with the history that the tensor that it was made for has, where there are hooks on its
    way."""
    base, alias = entry_of(trace, root), alias_of(root)
    if alias is None or not base.requires_grad:
        return base
    shown, (book, entry), end = entry_of(trace, alias), spot_of(trace, alias), spot_of(trace, root)[1]
    while entry is not end:
        kind, *arguments = entry.record
        if entry.ix in book.hooks or kind not in ("call", "view") or not entry.is_alias:
            with grad_mode(True, trace):
                put = _put(trace, base, alias._share.steps, shown, covers=False, written=-1)  # type: ignore[union-attr]
            return advance(trace, ("rebase_history", put.ix, base.ix, -1))
        book, entry = origin(book, entry_at(entry, arguments[1][0]))
    return base


def _keeps_history(trace: Trace, at: Any, node: TrieNode, covers: bool) -> bool:
    """Whether what is ``at`` keeps its history when it gets the value of ``node``."""
    return bool(at.requires_grad and (covers or not (trace.grad_enabled and node.requires_grad)))


def _new_value(trace: Trace, root: Handle, node: TrieNode, covers: bool, base: TrieNode | None = None) -> TrieNode:
    """The entry of the value of ``node`` in ``root``; without grad mode it keeps its own history, that of ``base``."""
    at = root._at
    key: tuple[Any, ...]
    if _keeps_history(trace, at, node, covers):
        history = base
        if history is None:
            history = _lost_value(trace, root) if covers and is_lost(root) else entry_of(trace, root)
        key = (
            ("overwrite_history", history.ix, node.ix)
            if trace.grad_enabled
            else ("rebase_history", history.ix, node.ix, history.leaf, *([True] if at.inference else []))
        )
    elif node.requires_grad and trace.grad_enabled:
        key = ("rebase_history", node.ix, node.ix, -1)
    else:
        key = ("detach", node.ix, at.inference)
    return advance(trace, key)


def _lost_value(trace: Trace, root: Handle) -> TrieNode:
    """The entry of a leaf whose value could not be computed, and is not read: all of it is written."""
    spec = spec_of(root)
    root._buffer = at_place(Buffer.alloc(spec.size_bytes), HOST, spec.place)
    mend(trace)
    return enter_value(trace, root)


def _fitting(a: Handle, value: Handle, what: str) -> Handle:
    """``value`` in the dtype of ``a``, whose shape and place it has."""
    old, got = spec_of(a), spec_of(value)
    if got.shape != old.shape:
        raise ShapeError(
            f"{what}: output with shape {list(old.shape)} doesn't match the broadcast shape {list(got.shape)}"
        )
    if got.dtype is not old.dtype:
        if category(got.dtype) > category(old.dtype):
            raise RunError(
                f"{what}: result type {got.dtype.name} can't be cast to the desired output type {old.dtype.name}"
            )
        value = record(CALLS["to_dtype"], (value,), (old.dtype,))
    if got.place != old.place:
        raise apart(what, old.place, got.place)
    return value


def everywhere(a: Handle, wanted: bool = True) -> Callable[[], Handle]:
    """All places of ``a``; none where they are not ``wanted``."""
    return lambda: record(CALLS["filled"], (), (spec_of(a).shape, bool_, wanted))
