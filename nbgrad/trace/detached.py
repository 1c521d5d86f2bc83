"""Values of memory without their history: tensors that show memory of another (``detach``), and what others that show a
storage take once one of them was written."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.grow import advance_as
from nbgrad.trace.handle import PLAIN, Handle, Share, Storage, make_tensor, plain, tensor_in
from nbgrad.trace.nested import holding, in_hand
from nbgrad.trace.storage import Steps, entry_of, has_takers, held_sharing, holder_of, roots_of
from nbgrad.trace.thread import Trace, local, require_value, turn_page
from nbgrad.trace.trie import Leaf

# A tensor with the same memory and no history. ``counts``: PyTorch counts writes to the two together.
detach: Final[Callable[..., Handle]] = in_hand("", "a, counts=True", "return _detach_on(trace, a, counts)", globals())()


def _detach_on(trace: Trace, a: Handle, counts: bool) -> Handle:
    share, storage = held_sharing(a, trace)
    twin, steps = _twin(trace, a, storage, share.counter if counts else None)
    if trace.duals is not None:
        trace.duals.end_at(trace, twin)
    return _shown(trace, twin, steps, a) if steps else twin


@holding
def whole_behind(trace: Trace, a: Handle) -> tuple[Storage, Handle, Steps]:
    """The memory that ``a`` shows: what all who show it have in common, a tensor of all of it without history, and the
    steps from there to ``a``."""
    _, storage = held_sharing(a, trace)
    return storage, *_twin(trace, a, storage, None)


@holding
def shown_through(trace: Trace, whole: Handle, steps: Steps, like: Handle) -> Handle:
    """A tensor without history that shows of ``whole`` what ``steps`` lead to, which looks as ``like`` does."""
    _, storage = held_sharing(whole, trace)
    twin, before = _twin(trace, whole, storage, None)
    return _shown(trace, twin, (*before, *steps), like) if before or steps else twin


def _shown(trace: Trace, twin: Handle, steps: Steps, like: Handle) -> Handle:
    """The view that ``steps`` lead to from a root that nobody else holds."""
    assert twin._share is not None
    y = make_tensor()
    twin._share.shown = weakref.ref(y)
    y._share = Share(twin._share.storage, twin, steps, PLAIN, twin._share.counter)
    y._share.born = trace.segment.token
    y._at = plain(like)
    return y


def _twin(trace: Trace, a: Handle, storage: Storage, counter: list[int] | None) -> tuple[Handle, Steps]:
    """Another root of the storage that ``a`` shows, and the steps from there to what that is."""
    twin, version = make_tensor(), -1
    steps: Steps = ()
    while version != storage.version:  # once more where nested code wrote it meanwhile
        version, held = storage.version, a
        if (share := a._share) is None or share.root is not None or share.steps or share.seen != version:
            held, steps = holder_of(a)
        _have_value_of(trace, twin, held)
        own = twin._share
        if own is None:
            twin._share = own = Share(storage, None, (), PLAIN, counter)
            own.born = trace.segment.token
            if (count := len(storage.roots)) >= 16 and not count & (count - 1):  # now and then: there may be many
                roots_of(storage)
            storage.roots = [*storage.roots, weakref.ref(twin)]
        own.seen = version
    return twin, steps


def _have_value_of(trace: Trace, y: Handle, held: Handle) -> None:
    """Let ``y`` have the value of ``held``, and no history."""
    if (share := held._share) is not None and share.error is not None:
        require_value(held)
    if held._page is None:
        y._buffer, y._at, y._page = held._buffer, plain(held), None
    else:
        advance_as(trace, y, ("detach", entry_of(trace, held).ix, held._at.inference))


def keep_whole(trace: Trace, root: Handle, *, is_wanted: bool = False) -> None:
    """The value of ``root``, which was written last, without its history: for others that show its storage."""
    share = root._share
    assert share is not None
    storage, version = share.storage, -1
    if not (is_wanted or has_takers(storage)):
        return
    while version != storage.version:  # once more where nested code wrote it meanwhile
        whole, version = make_tensor(), storage.version
        _have_value_of(trace, whole, root)
        # In one line, as nothing may come between: another root may have been written.
        if storage.version == version and (share.seen == version or storage.whole is None): storage.whole = whole  # fmt: skip  # noqa: E501, E701  (nothing may come between)


def whole_of(root: Handle, buffer: Buffer, leaf: Leaf) -> Handle | None:
    """What others that show the storage of ``root`` take once that has ``buffer`` and is as ``leaf`` says; None where
    nobody does."""
    if root._share is None or not has_takers(root._share.storage):
        return None
    return tensor_in(buffer, Leaf.of(leaf.spec, False, True, leaf.inference))


def was_written(root: Handle) -> None:
    """``root`` has a new value in memory, and its storage another version."""
    keep_whole(local.trace, root)
    turn_page(local.trace)
