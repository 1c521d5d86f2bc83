"""Pinned memory that is handed on: to ask the driver for some takes milliseconds, and to give it back may wait for all
that a device does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from nbgrad.runtime.cuda.driver import Driver

_LEAST: Final = 512  # bytes of a block; all sizes are powers of 2

Uses = set[tuple[int, int]]  # (device, stream)


class _Waiting(NamedTuple):
    """A block that was given back, and the events behind what used it: (device, event)."""

    address: int
    size: int
    events: list[tuple[int, int]]


class PinnedPool:
    """The pinned memory that one device has asked for, which all devices can use. ``activate`` makes a device the one
    that calls mean."""

    def __init__(self, driver: Driver, index: int, activate: Callable[[int], None]) -> None:
        self._driver = driver
        self._index = index
        self._activate = activate
        self._idle: dict[int, list[int]] = {}  # by size
        self._dropped: deque[tuple[int, int, Uses]] = deque()
        self._waiting: deque[_Waiting] = deque()

    def take(self, nbytes: int) -> tuple[int, int]:
        """(address, size) of a block for ``nbytes``. One thread at a time, for which the device is activated."""
        size = max(_LEAST, 1 << (nbytes - 1).bit_length() if nbytes else 0)
        self._settle()
        idle = self._idle.setdefault(size, [])
        return (idle.pop() if idle else self._driver.alloc_pinned(size)), size

    def giver(self, address: int, size: int, uses: Uses) -> Callable[[], object]:
        """What says that nobody needs the block but what is enqueued. The garbage collector calls it anywhere: it takes
        no lock and calls no driver."""
        return partial(self._dropped.append, (address, size, uses))

    def _settle(self) -> None:
        """Find what can be had again."""
        while self._dropped:
            address, size, uses = self._dropped.popleft()
            self._waiting.append(_Waiting(address, size, [self._end_of(*use) for use in uses]))
        still: deque[_Waiting] = deque()
        while self._waiting:
            block = self._waiting.popleft()
            if all(self._driver.event_done(event) for _, event in block.events):
                for device, event in block.events:
                    self._activate(device)
                    self._driver.drop_event(event)
                self._idle.setdefault(block.size, []).append(block.address)
            else:
                still.append(block)
        self._waiting = still
        self._activate(self._index)

    def _end_of(self, device: int, stream: int) -> tuple[int, int]:
        """An event that is reached when all that a stream has now is done."""
        self._activate(device)
        event = self._driver.new_event()
        self._driver.record(event, stream)
        return device, event
