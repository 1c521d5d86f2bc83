"""Ctrl-C waits while code runs that it would break: libraries whose locks it leaves locked. Where a module is imported,
the handlers of all signals wait: they would see it half made.

llvmlite takes its lock in a Python function, and so do ``subprocess`` and the import system: an exception at the wrong
instruction there leaves the lock to the main thread for good, and every other thread that asks for it hangs.
"""

from __future__ import annotations

import ctypes
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
_sigaction: Final = ctypes.PyDLL(None).sigaction
_Action: Final = ctypes.c_char * 256  # at least as large as what the system knows of a signal
_CTRL_C: Final = int(signal.SIGINT)


class _Note:
    """The handler of signals that wait until a function is over."""

    def __init__(self, handlers: dict[int, Any]) -> None:
        self.handlers, self.is_over = handlers, False
        self.came: dict[int, Any] = {}

    def __call__(self, number: int, frame: Any) -> None:
        if self.is_over:  # called by a handler that took over from it
            self.handlers[number](number, frame)
        else:
            self.came.setdefault(number, frame)


def uninterrupted(function: Callable[P, R], signals: Sequence[int] = (_CTRL_C,)) -> Callable[P, R]:
    """``function``, at whose end ``signals`` are heard that came meanwhile, or of another such function around it.
    Only the main thread ever hears them."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        handlers = {}
        for number in signals:
            handler = _plain.getsignal(number)
            if callable(handler) and (type(handler) is not _Note or handler.is_over):
                handlers[number] = handler
        if not handlers or threading.get_ident() != threading.main_thread().ident:
            return function(*args, **kwargs)
        actions = {number: _action(number) for number in handlers}
        note = _Note(handlers)
        came = note.came

        def restore() -> None:
            for number, handler in handlers.items():
                if _plain.getsignal(number) in (note, handler):
                    _exchange(number, handler, actions[number])

        def hear() -> None:
            while came:
                number = next(iter(came))
                frame = came.pop(number)
                try:
                    handlers[number](number, frame)
                finally:
                    hear()

        try:
            for number, action in actions.items():
                _exchange(number, note, action)
            return function(*args, **kwargs)
        finally:
            try:
                restore()
            except BaseException:  # of the handler of another signal, an alarm say
                restore()
                raise
            finally:
                note.is_over = True
                hear()

    return run


def _action(number: int) -> ctypes.Array[ctypes.c_char]:
    found = _Action()
    _sigaction(number, None, found)
    return found


def _exchange(number: int, handler: Any, action: ctypes.Array[ctypes.c_char]) -> None:
    """Have ``handler`` called, and else what the system has done so far: Python forgets ``siginterrupt``."""
    _plain.signal(number, handler)
    _sigaction(number, action, None)


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
