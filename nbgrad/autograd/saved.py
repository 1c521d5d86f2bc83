"""What a custom function has saved for its backward: tensors as they were then, whatever is written since."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from nbgrad.errors import RunError
from nbgrad.trace import (
    Handle,
    Leaf,
    Trace,
    entry_of,
    holder_of,
    holding,
    is_leaf,
    make_tensor,
    new_tensor,
    requires_grad,
    share_of,
    sharing,
)


class Kept(Protocol):
    """A tensor that was saved, however."""

    def tensor(self) -> Handle: ...


class Hooks(Protocol):
    """What saves tensors in another way, see saved_hooks.py."""

    def packed(self, a: Handle) -> Kept: ...


class _Packing(threading.local):
    """The ``hooks`` that save what custom functions of this thread save, if any; or why there may be none.
    ``is_free``: transforms leave hooks alone."""

    hooks: Hooks | None = None
    refused: str | None = None
    is_free = False


packing = _Packing()


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, hooks on saved tensors are a RuntimeError with this message; so is this where there are some."""
    if packing.hooks is not None:
        raise RunError(error_message)
    before, packing.refused = packing.refused, error_message
    try:
        yield
    finally:
        packing.refused = before


class Saved:
    """A tensor and its version; with a reading of it, a tensor of its own that has the value and the history.

    What waits in the running segment is read at once; what lies in memory when somebody asks and it was written since.
    """

    __slots__ = ("_at", "_buffer", "_history", "_reading", "_storage", "_tensor", "_version")

    def __init__(self, a: Handle) -> None:
        self._tensor = a
        storage = self._storage = sharing(a).storage
        self._version = storage.version
        self._reading: Handle | None = None
        held, steps = holder_of(a)
        if steps or held is not a or a._page is not None or (storage.export is not None and storage.export.alive()):
            self._reading = reading(a)
        else:
            self._at: Any = a._at
            self._buffer, self._history = a._buffer, a._history

    def tensor(self) -> Handle:
        """The tensor that was saved where nobody has written it, its reading otherwise."""
        share = share_of(self._tensor)
        if share is not None and share.storage is self._storage and self._storage.version == self._version:
            return self._tensor
        if self._reading is None:
            self._reading = self._from_memory()
        return self._reading

    def _from_memory(self) -> Handle:
        y: Any = make_tensor()
        y._at, y._buffer, y._history = self._at, self._buffer, self._history
        a = self._tensor
        if self._at.is_leaf and self._at.requires_grad and is_leaf(a) and requires_grad(a):
            y._at = Leaf.of(self._at.spec, False, True, self._at.inference)
            y = with_history_of(a, y)
        return y  # type: ignore[no-any-return]


@holding
def with_history_of(trace: Trace, a: Handle, y: Handle) -> Handle:
    """A tensor with the value of ``y`` and the history of ``a``."""
    history, value = entry_of(trace, a), entry_of(trace, y)
    return new_tensor(trace, "rebase_history", history.ix, value.ix, history.leaf)


@holding
def reading(trace: Trace, a: Handle) -> Handle:
    """A tensor of its own with the value and the history that ``a`` has now."""
    node = entry_of(trace, a)
    key = ("rebase_history", node.ix, node.ix, -1) if node.requires_grad else ("detach", node.ix, node.inference)
    return new_tensor(trace, *key)
