"""Errors of Python code that ``@njit`` code called, for who called that."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

_noted: dict[int, BaseException] = {}  # of each thread the last one that nobody has raised


def note(error: BaseException) -> None:
    """Keep an error for the ``Failed`` that the running thread is about to raise."""
    _noted[threading.get_ident()] = error


def noted() -> BaseException | None:
    """The error that was kept, which is no longer."""
    return _noted.pop(threading.get_ident(), None)


def can_raise() -> bool:
    """Whether somebody may catch what is raised in this thread: not in one that Python did not start, as those of
    ``prange`` are."""
    here = threading.get_ident()
    return any(t.ident == here and not isinstance(t, threading._DummyThread) for t in threading.enumerate())


def tell(error: BaseException) -> None:
    """Have ``sys.unraisablehook`` told of an error that nobody can raise: it writes it to stderr. ctypes does so with
    what a callback raises."""

    def raising() -> None:
        raise error

    ctypes.CFUNCTYPE(None)(raising)()


class Failed(Exception):
    """What ``@njit`` code raises. To hand an exception over to Python, Numba calls its class: this one raises the error
    that was noted, which so arrives as it is."""

    def __new__(cls, *args: Any) -> Failed:
        error = noted()
        if error is not None:
            raise error
        return super().__new__(cls, *args)
