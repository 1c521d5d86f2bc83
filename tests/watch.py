"""A test that hangs says where, and its process ends.

As pytest's ``faulthandler_timeout`` has it, but what watches is a thread: to start and end one for each of twenty
thousand tests took 3 ms a test where all cores were busy. Here one watches all tests that begin within a minute.
"""

from __future__ import annotations

import faulthandler
import os
import time
from typing import TextIO

import pytest

LIMIT_S = 600.0 * max(int(os.environ.get("NBGRAD_FUZZ", 0)) / 300, 1)  # what a test may take
SHARED_S = 60.0  # how long tests begin under one watch: it takes as much longer to end them

WATCH = pytest.StashKey["Watch"]()


class Watch:
    """Ends this process, after all its threads have told ``file`` where they are, unless tests go on beginning."""

    def __init__(self, file: TextIO | int, limit_s: float = LIMIT_S, shared_s: float = SHARED_S) -> None:
        self._file = file
        self._after_s = limit_s + shared_s
        self._shared_s = shared_s
        self._since: float | None = None

    def begin(self) -> None:
        """A test begins: it has ``limit_s`` at least."""
        now = time.monotonic()
        if self._since is None or now - self._since > self._shared_s:
            faulthandler.dump_traceback_later(self._after_s, exit=True, file=self._file)
            self._since = now

    def end(self) -> None:
        """Nobody watches before the next test begins."""
        faulthandler.cancel_dump_traceback_later()
        self._since = None
