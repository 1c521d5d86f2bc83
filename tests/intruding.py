"""Code that comes in between two lines of other code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

ALL = ("call", "line", "exception", "return")


def at_moment(
    number: int,
    run: Callable[[], object],
    intrude: Callable[[], object],
    where: Callable[[CodeType], bool],
    events: tuple[str, ...] = ALL,
) -> bool:
    """Run, and ``intrude`` at the ``number``th of the ``events`` in the code that ``where`` knows; whether it came."""
    count, came = 0, False

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count, came
        if came or not where(frame.f_code):
            return None
        count += event in events
        if count == number:
            came = True
            sys.settrace(None)
            intrude()
        return trace

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(None)
    return came
