"""Streams and events of simulated devices: what is enqueued, and how far it is done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

Work = Callable[[], None]


class Mark:
    """A place in a stream: done when all that stood before it is."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.done = False
        self.at_s = 0.0

    def reached(self) -> None:
        self.done = True
        self.at_s = time.perf_counter()

    def reach(self) -> None:
        """Do what stands before it."""
        while not self.done and self.stream.queue:
            self.stream.queue.popleft()()


class Stream:
    """What is still to do, in its order."""

    def __init__(self, device: int) -> None:
        self.device = device
        self.queue: deque[Work] = deque()

    def drain(self) -> None:
        """Do all of it."""
        while self.queue:
            self.queue.popleft()()
