"""Places of their own for inputs that a library reads and that lie elsewhere in each run, such as batches of a list.

They are copied there first, so that a graph, which knows one address, serves all runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from nbgrad.errors import OutOfMemoryError
from nbgrad.runtime.cuda.devices import Gpu
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.tape.library_product import LARGEST_READ

WATCHED: Final = 8  # runs without a graph, one after the other; then what moved in half of them gets a home
LARGEST: Final = 64 << 20  # bytes of an input that is copied in each run


class Homes:
    """Those of one lane; ``slots`` are the inputs that a library reads where they lie."""

    def __init__(self, slots: Sequence[int]) -> None:
        self._slots = slots
        self._places: dict[int, DeviceBuffer] = {}  # by slot
        self._last: list[int] = []
        self._moved: Counter[int] = Counter()
        self._runs = 0

    @property
    def places(self) -> list[tuple[int, DeviceBuffer]]:
        """The slots that have one, each with it."""
        return [*self._places.items()]

    def serves(self, address: int) -> bool:
        """Whether a library does the same with a copy of what is at ``address``: others' memory may begin anywhere."""
        return address % LARGEST_READ == 0

    def addresses(self, used: Sequence[DeviceBuffer]) -> list[int]:
        """Where a run finds its inputs."""
        found = [b.address for b in used]
        for slot, home in self._places.items():
            if self.serves(used[slot].address):
                found[slot] = home.address
        return found

    def fill(self, gpu: Gpu, stream: int, used: Sequence[DeviceBuffer]) -> None:
        """Copy what has a home to it, when ``stream`` gets there."""
        for slot, home in self._places.items():
            if self.serves(used[slot].address):
                gpu.driver.copy(home.address, used[slot].address, home.nbytes, stream)

    def let_go(self) -> None:
        """Have none: what moves will get one again."""
        self._places.clear()
        self._runs = 0

    def found_graph(self) -> None:
        """A run had a graph: nothing need be watched."""
        self._runs = 0

    def watch(self, gpu: Gpu, stream: int, used: Sequence[DeviceBuffer], stay: Container[DeviceBuffer | None]) -> None:
        """A run on ``stream`` had no graph. What is in ``stay`` is written in place one day, and needs no home."""
        here = [used[slot].address for slot in self._slots]
        if self._runs == 0:
            self._moved.clear()
            self._last = here
        for slot, now, before in zip(self._slots, here, self._last, strict=True):
            if now != before and used[slot] not in stay and used[slot].nbytes <= LARGEST:
                self._moved[slot] += 1
        self._last = here
        self._runs += 1
        if self._runs == WATCHED:
            self._runs = 0
            try:
                self._settle(gpu, stream, used)
            except OutOfMemoryError:  # the run has all it needs: without homes from now on
                self._slots = ()

    def _settle(self, gpu: Gpu, stream: int, used: Sequence[DeviceBuffer]) -> None:
        """Give homes to what moved."""
        for slot, times in self._moved.items():
            if 2 * times >= WATCHED and slot not in self._places:
                self._places[slot] = gpu.pool.take(used[slot].nbytes, stream)
