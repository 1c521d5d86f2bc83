"""Locks that neither Ctrl-C nor a fork leaves locked for good.

In a forked child a lock that another thread held is free: that thread is not there.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import Any, Final, Self

_RLock: Any = type(threading.RLock())


class Lock(_RLock):  # type: ignore[misc]
    """A lock that its holder may take again: signal handlers and finalizers come in between any two lines of ours."""

    __slots__ = ()

    def __new__(cls) -> Self:
        lock: Self = super().__new__(cls)
        _all.add(lock)
        return lock

    # Who reads this waits and has the lock (it is True), or what a handler raised meanwhile. Signals are heard after
    # each call of a function of C, as ``acquire()``, where what is raised would leave the lock locked: not after this.
    take: Any = property(_RLock.acquire)

    if sys.version_info >= (3, 14):  # where ``with`` calls ``__enter__`` like any function

        def __enter__(self) -> Any:
            return self.take

    def is_mine(self) -> bool:
        """Whether this thread holds it: then what it guards is half-way through something."""
        return bool(self._is_owned())

    def locked(self) -> bool:
        """Whether anybody holds it. To try to take it could leave it locked for good, where Ctrl-C comes right then."""
        return not repr(self).startswith("<unlocked")


_all: Final[weakref.WeakSet[Lock]] = weakref.WeakSet()


def _let_go() -> None:
    for lock in [*_all]:
        if not lock.is_mine():
            lock._at_fork_reinit()


os.register_at_fork(after_in_child=_let_go)
