"""Ctrl-C waits while code runs that it would break: libraries whose locks it leaves locked. Where a module is imported,
the handlers of all signals wait: they would see it half made.

llvmlite takes its lock in a Python function, and so do ``subprocess`` and the import system: an exception at the wrong
instruction there leaves the lock to the main thread for good, and every other thread that asks for it hangs.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# What is behind ``signal``, whose functions look for the handler among names, which takes 2 us each time.
_plain: Final[Any] = sys.modules.get("_signal", signal)
_CTRL_C: Final = int(signal.SIGINT)


def uninterrupted(function: Callable[P, R], signals: Sequence[int] = (_CTRL_C,)) -> Callable[P, R]:
    """``function``, at whose end ``signals`` are heard that came meanwhile. Only the main thread ever hears them."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        handlers = {s: handler for s in signals if callable(handler := _plain.getsignal(s))}
        if not handlers or threading.get_ident() != threading.main_thread().ident:
            return function(*args, **kwargs)
        came: dict[int, Any] = {}

        def note(number: int, frame: Any) -> None:
            came.setdefault(number, frame)

        def restore() -> None:
            for number, handler in handlers.items():
                if _plain.getsignal(number) is note:
                    _plain.signal(number, handler)

        def hear() -> None:
            while came:
                number = next(iter(came))
                frame = came.pop(number)
                try:
                    handlers[number](number, frame)
                finally:
                    hear()

        try:
            for number in handlers:
                _plain.signal(number, note)
            return function(*args, **kwargs)
        finally:
            try:
                restore()
            finally:  # the handler of another signal, an alarm say, may have raised at any of these lines
                restore()
            hear()

    return run


def is_of_handler(error: BaseException) -> bool:
    """Whether a signal's handler has raised it, as far as can be seen: something was called with the frame into which
    it came, and still has it."""
    at = error.__traceback__
    while at is not None and (inner := at.tb_next) is not None:
        given = [y for x in inner.tb_frame.f_locals.values() for y in (x if type(x) is tuple else (x,))]
        if any(x is at.tb_frame for x in given):
            return True
        at = inner
    return False
