"""Modules that are imported by who first needs them, in the midst of what they do."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from functools import partial
from types import ModuleType
from typing import Any, Final

from nbgrad.system.collector import collector_paused
from nbgrad.system.fork_safety import Lock
from nbgrad.system.interrupts import uninterrupted

_SIGNALS: Final = tuple([int(number) for number in signal.valid_signals()])
_importing: Final = Lock()
# What a fork waits for, as it would be locked in the child for ever: others' imports, and locks of libraries.
held_at_forks: Final[list[Any]] = [_importing]
_held: Final[list[Any]] = []


def import_module(name: str) -> ModuleType:
    """The module of that name. Where it is imported now, no handler of a signal and no finalizer of the collector's
    comes in between, which would find it half made and perhaps needs it, too."""
    found = sys.modules.get(name)
    if found is None or getattr(getattr(found, "__spec__", None), "_initializing", False):
        return _imported(name)
    return found


class _Later:
    """A module that is imported when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # which ``copy`` asks of what is not made yet
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def later(name: str) -> Any:
    """The module of that name, for what most programs do without: it is imported when it is first used."""
    return _Later(name)


@partial(uninterrupted, signals=_SIGNALS)
@collector_paused()
def _imported(name: str) -> ModuleType:
    with _importing:
        return importlib.import_module(name)


def _before_fork() -> None:
    for lock in held_at_forks:
        lock.__enter__()
        _held.append(lock)


def _after_fork() -> None:
    while _held:
        _held.pop().__exit__(None, None, None)


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
