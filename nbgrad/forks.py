"""Locks of objects that a forked child may use: there they are new, as the thread that held one is not in the child."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Final

_owners: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


def give_lock(owner: Any) -> None:
    """Give ``owner`` its ``_lock``: in a forked child another one, which nobody holds."""
    owner._lock = threading.Lock()
    _owners.add(owner)


def _renew_locks() -> None:
    for owner in _owners:
        owner._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_locks)
