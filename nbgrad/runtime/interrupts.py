"""Ctrl-C that has to wait: for what must be done whole, and is done in several steps."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Uninterrupted:
    """A ``with`` block in which Ctrl-C waits; it is heard at the end.

    Python hears signals in the main thread alone, so elsewhere there is nothing to do. Costs a microsecond.
    """

    __slots__ = ("_before", "_heard")

    def __enter__(self) -> None:
        self._before: Any = None
        self._heard: tuple[int, FrameType | None] | None = None
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._heard = number, frame

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self._heard is not None:
                self._before(*self._heard)
