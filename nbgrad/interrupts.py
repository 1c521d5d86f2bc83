"""Ctrl-C waits while code runs that it would break: libraries whose locks it leaves locked.

llvmlite takes its lock in a Python function, and so do ``subprocess`` and the import system: an exception at the wrong
instruction there leaves the lock to the main thread for good, and every other thread that asks for it hangs.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def uninterrupted(function: Callable[P, R]) -> Callable[P, R]:
    """``function``, at whose end Ctrl-C is heard that came meanwhile. Only the main thread ever hears it."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or threading.get_ident() != threading.main_thread().ident:
            return function(*args, **kwargs)
        came: list[tuple[Any, ...]] = []

        def note(*given: Any) -> None:
            came.append(given)

        def restore() -> None:
            if signal.getsignal(signal.SIGINT) is note:
                signal.signal(signal.SIGINT, handler)

        try:
            signal.signal(signal.SIGINT, note)
            return function(*args, **kwargs)
        finally:
            try:
                restore()
            finally:  # the handler of another signal, an alarm say, may have raised at any of these lines
                restore()
            if came:
                handler(*came[0])

    return run
