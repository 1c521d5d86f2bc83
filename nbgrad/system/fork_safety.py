"""Locks that neither Ctrl-C nor a fork leaves locked for good.

In a forked child those of objects are new, as the thread that held one is not there.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import Any, Final

_owners: Final[weakref.WeakSet[Any]] = weakref.WeakSet()
_RLock: Any = type(threading.RLock())


class Lock(_RLock):  # type: ignore[misc]
    """A lock that its holder may take again: signal handlers and finalizers come in between any two lines of ours."""

    __slots__ = ()

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


def give_lock(owner: Any) -> None:
    """Give ``owner`` its ``_lock``: in a forked child another one, which nobody holds."""
    owner._lock = Lock()
    _owners.add(owner)


def _renew_locks() -> None:
    for owner in _owners:
        owner._lock = Lock()


os.register_at_fork(after_in_child=_renew_locks)
