"""One thread at a time adds to the gradient of a tensor.

While only one thread has recorded, a backward that was recorded before does without: see ``Threads`` in handle.py.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from nbgrad.interrupts import uninterrupted
from nbgrad.trace.handle import Handle

Lock = AbstractContextManager[Any]

_making = threading.RLock()
_process = [0]  # counts forks: a lock that another thread of the parent held is nobody's in the child


class Locked:
    """Until its ``with`` block ends no other thread adds to the gradients of the tensors that were taken.

    Ctrl-C is heard before or after a lock is taken and noted down, never between the two.
    """

    __slots__ = ("_held",)

    def __enter__(self) -> Locked:
        self._held: list[Lock] = []
        return self

    @uninterrupted
    def take(self, tensors: Iterable[Handle]) -> None:
        """All take their locks in one order, so that nobody waits forever."""
        for x in sorted(tensors, key=id):
            lock = _lock_of(x)
            lock.__enter__()
            self._held.append(lock)

    @uninterrupted
    def __exit__(self, *error: object) -> None:
        while self._held:
            self._held.pop().__exit__(None, None, None)


def _lock_of(x: Handle) -> Lock:
    found = _known_lock(x)
    if found is None:
        with _making:
            found = _known_lock(x)
            if found is None:
                found = threading.RLock()
                x._lock = _process[0], found
    return found


def _known_lock(x: Handle) -> Lock | None:
    try:
        process, lock = x._lock
    except AttributeError:
        return None
    return lock if process == _process[0] else None


def _after_fork() -> None:
    global _making
    _making = threading.RLock()
    _process[0] += 1


os.register_at_fork(after_in_child=_after_fork)
