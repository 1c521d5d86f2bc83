"""Pinned host memory through which small copies go to a device, so that no copy waits and nothing is overwritten early.

Each stream has a ring of segments. Leaving a segment records an event; coming back to it waits for that event, which
was reached long ago unless the host is a whole ring ahead of the device.
"""

from __future__ import annotations

from typing import Final

from nbgrad.runtime.cuda.driver import Driver

SEGMENTS: Final = 4
SEGMENT: Final = 256 << 10  # bytes
_ALIGNMENT: Final = 64


class Staging:
    """The ring of one stream. One thread at a time uses a stream."""

    def __init__(self, driver: Driver, stream: int) -> None:
        self._driver = driver
        self._stream = stream
        self._segment = 0  # the size of one; 0: there is no ring yet
        self._address = 0
        self._events: list[int] = []
        self._at = 0  # the segment in use
        self._used = 0  # bytes of it

    def take(self, nbytes: int) -> int:
        """The address of ``nbytes`` that nobody reads any more. Enqueue the copy from there before asking again."""
        if nbytes > self._segment:
            self._grow(nbytes)
        if self._used + nbytes > self._segment:
            self._next_segment()
        address = self._address + self._at * self._segment + self._used
        self._used += (nbytes + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
        return address

    def _next_segment(self) -> None:
        driver = self._driver
        driver.record(self._events[self._at], self._stream)
        self._at = (self._at + 1) % SEGMENTS
        self._used = 0
        if not driver.event_done(self._events[self._at]):
            driver.wait_event(self._events[self._at])

    def _grow(self, nbytes: int) -> None:
        """Make a ring whose segments hold ``nbytes``."""
        driver = self._driver
        if self._segment:
            driver.wait_stream(self._stream)
            driver.free_pinned(self._address)
        else:
            self._events = [driver.new_event() for _ in range(SEGMENTS)]
        size = max(SEGMENT, 1 << (nbytes - 1).bit_length())
        self._segment = 0  # should there be no memory
        self._address = driver.alloc_pinned(SEGMENTS * size)
        self._segment, self._at, self._used = size, 0, 0
