"""Writes in place: a new value of the root, whose other views and aliases ask for it when they are used next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.calls.base import CALLS, Call
from nbgrad.errors import GradError, RunError, ShapeError
from nbgrad.graph.dtypes import DType, bool_
from nbgrad.trace import record as recording
from nbgrad.trace.grow import advance, advance_as, unlive
from nbgrad.trace.handle import PLAIN, Handle, Share, Trace, require_value, spec_of, threads, turn_page
from nbgrad.trace.nested import holding
from nbgrad.trace.now import look
from nbgrad.trace.record import record
from nbgrad.trace.retain import retain
from nbgrad.trace.storage import (
    Steps,
    entry_of,
    is_exported,
    is_leaf,
    keep_whole,
    require_kept,
    requires_grad,
    root_of,
    share_of,
    shows_twice,
    way_to,
)
from nbgrad.trace.together import apart
from nbgrad.trace.trie import TrieNode

INPLACE_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update"
)
_REFUSED: Final = (
    "this view was made in no_grad or inference mode, or by a function that gives several views or is the user's own, "
    "and is being modified inplace with grad mode enabled. Write to a view made by slicing, or to a clone()"
)
Places = Callable[[], Handle] | None


def require_writable(trace: Trace, a: Handle, what: str) -> None:
    """The errors by which PyTorch protects leaves that require grad, and some views."""
    if a.at.inference and not trace.inference:
        raise GradError(INPLACE_INFERENCE)
    if not trace.grad_enabled:
        return
    if not requires_grad(a):
        return
    share = share_of(a)
    if share is not None and share.kind != PLAIN and share.root is not None:
        raise GradError(f"{what}: {_REFUSED}")
    root = root_of(a)
    if is_leaf(root):
        if root is a:
            raise GradError(
                f"{what}: a leaf Variable that requires grad is being used in an in-place operation. "
                "Do it under nbgrad.no_grad(), or work on a clone()"
            )
        raise GradError(f"{what}: a view of a leaf Variable that requires grad is being used in an in-place operation")


@holding
def write(trace: Trace, a: Handle, value: Handle, what: str, *, covers: bool = False, places: Places = None) -> None:
    """Let ``a`` have ``value`` (same shape) from now on: through views, to aliases, with or without gradient.

    ``covers`` says that ``value`` was not computed from what ``a`` was. ``places``, of what writes one by one, gives a
    mask of those that are written: others may show the same memory.
    """
    require_writable(trace, a, what)
    require_kept(value)
    if trace.watcher is not None:
        trace.watcher.writes(a)
        if is_exported(a):
            trace.watcher.refuse_memory(
                "memory that a tensor shares with NumPy or another library is written: write a clone(), and copy it "
                "back with copy_() outside"
            )
    share = share_of(a)
    if share is None:
        looks = trace.node.looks
        if value.page is trace.page:
            _take_over(trace, a, value, covers)
        else:
            _replace(trace, a, entry_of(trace, value), covers)
        if looks is not None or threads.several or trace.strays:
            turn_page(trace)
            _stay(trace, a)
        return
    written = None if places is None or not shows_twice(a) else places()
    node = entry_of(trace, value)
    if share.kind != PLAIN and share.root is not None and trace.grad_enabled and node.requires_grad:
        raise GradError(f"{what}: {_REFUSED}")
    mask = -1 if written is None else entry_of(trace, written).ix
    if share.root is None and share.steps:
        _write_whole(trace, a, share, node, mask)
    else:
        _write_root(trace, a, share, node, covers, mask)


def _write_root(trace: Trace, a: Handle, share: Share, node: TrieNode, covers: bool, written: int) -> None:
    """Write what has a history of its own, or a view of that."""
    root, steps = way_to(a)
    own = share_of(root)
    assert own is not None
    if own.steps:  # a leaf that is a view
        _write_whole(trace, root, own, node, written, steps)
        return
    was_elsewhere = root.page is not None and root.chapter is not trace.chapter
    if root is not a:  # once: memory that others may write is copied each time it enters
        node = _put(trace, entry_of(trace, root), steps, node, covers, written)
        covers = False
    _replace(trace, root, node, covers)
    own.error = None
    own.storage.version += 1
    own.seen = own.storage.version
    keep_whole(trace, root)
    _turn(trace, share, root)
    if root is not a and share.retained is not None and trace.grad_enabled:
        retain(a)
    if was_elsewhere or is_exported(root):
        recording.flush_now(trace)
        require_value(root)


def _write_whole(trace: Trace, a: Handle, share: Share, node: TrieNode, written: int, steps: Steps = ()) -> None:
    """Write through a leaf that is a view, or what ``steps`` show of it: its history stays, and so do those of
    others."""
    whole = share.storage.whole
    assert whole is not None
    steps = (*share.steps, *steps)
    new = _put(trace, entry_of(trace, whole), steps, _still(trace, node), covers=False, written=written)
    advance_as(trace, whole, ("stop", new.ix, whole.at.inference))
    share.storage.version += 1
    _turn(trace, share, whole)
    if is_exported(a):
        recording.flush_now(trace)
        require_value(whole)
        share.storage.export.store(whole.buffer)
        whole.buffer = share.storage.export.buffer


def _still(trace: Trace, node: TrieNode) -> TrieNode:
    if not node.requires_grad:
        return node
    return advance(trace, ("stop", node.ix, node.inference))


def _turn(trace: Trace, share: Share, written: Handle) -> None:
    """What shows the storage asks from now on; what was written knows."""
    share.counter[0] += 1
    turn_page(trace)
    _stay(trace, written)
    if share.storage.whole is not None:
        _stay(trace, share.storage.whole)


def _stay(trace: Trace, a: Handle) -> None:
    """``a`` still stands for its entry."""
    a.page = trace.page if a.page is not None and a.page.chapter is trace.chapter else a.page


def _put(trace: Trace, base: TrieNode, steps: Any, node: TrieNode, covers: bool, written: int) -> TrieNode:
    """The value of a root in which ``node`` stands where ``steps`` look."""
    return advance(trace, ("put", base.ix, look(trace, base, steps).ix, node.ix, covers, written))


def _take_over(trace: Trace, a: Handle, value: Handle, covers: bool) -> None:
    """``value`` is a result of this chapter: the tensor ``a``, alone, stands for its entry from now on."""
    node: Any = value.at
    at = a.at
    if at.requires_grad and (covers or not (trace.grad_enabled and node.requires_grad)):
        _replace(trace, a, node, covers)
        return
    if trace.live[node.ix] is value and node.inference == at.inference and not node.is_look:
        unlive(trace, a)
        trace.live[node.ix] = a
        a.at, a.page = node, trace.page
    else:
        key = ("stop", node.ix, at.inference) if not node.requires_grad else ("graft", node.ix, node.ix, -1)
        advance_as(trace, a, key)


def _replace(trace: Trace, root: Handle, node: TrieNode, covers: bool) -> None:
    """``root`` stands for the value of ``node``; without grad mode it keeps its own history."""
    at = root.at
    key: tuple[Any, ...]
    if at.requires_grad and (covers or not (trace.grad_enabled and node.requires_grad)):
        history = entry_of(trace, root)
        key = ("cover", history.ix, node.ix) if trace.grad_enabled else ("graft", history.ix, node.ix, history.leaf)
    elif node.requires_grad and trace.grad_enabled:
        key = ("graft", node.ix, node.ix, -1)
    else:
        key = ("stop", node.ix, at.inference)
    advance_as(trace, root, key)
    if root.share is not None and root.share.retained is not None:
        retain(root)


@holding
def write_checked(
    trace: Trace, a: Handle, value: Handle, what: str, *, covers: bool = False, places: Places = None
) -> None:
    """``write`` after the checks of an in-place operation: the shape stays, the dtype can hold the result."""
    old, got = a.at.spec, value.at.spec
    if got is old:
        write(a, value, what, covers=covers, places=places)
        return
    assert old is not None and got is not None
    if got.shape != old.shape:
        raise ShapeError(
            f"{what}: output with shape {list(old.shape)} doesn't match the broadcast shape {list(got.shape)}"
        )
    if got.dtype is not old.dtype:
        if not _can_cast(got.dtype, old.dtype):
            raise RunError(
                f"{what}: result type {got.dtype.name} can't be cast to the desired output type {old.dtype.name}"
            )
        value = record(_cast_call(), (value,), (old.dtype,))
    if got.place != old.place:
        raise apart(what, old.place, got.place)
    write(a, value, what, covers=covers, places=places)


def _can_cast(source: DType, target: DType) -> bool:
    """PyTorch's rule: never to a lower category (bool < integer < floating)."""
    order = {"b": 0, "u": 1, "i": 1, "f": 2}
    return order[source.kind] <= order[target.kind]


def _cast_call() -> Call:
    return CALLS["to_dtype"]


def everywhere(a: Handle, wanted: bool = True) -> Callable[[], Handle]:
    """All places of ``a``; none where they are not ``wanted``."""
    return lambda: record(CALLS["filled"], (), (spec_of(a).shape, bool_, wanted))
