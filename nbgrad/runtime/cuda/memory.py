"""Device memory for values: blocks that a dropped ``DeviceBuffer`` gives back in the order of its stream.

A block belongs to one stream. Taken again there, it is written after everything that was enqueued for its last owner,
so nothing waits. Where other streams used it, its own waits for them first. Small blocks are cut from slabs, because
asking the driver takes 100 us and more; nothing goes back to the driver until memory is short.

Of the blocks that lie idle the one with the lowest address is taken. So where a program drops and takes the same values
again and again, each finds its place of the last round, in whatever order they were dropped: graphs that know these
addresses can be launched again (``graphs.py``).
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from contextlib import AbstractContextManager
from typing import Final, NamedTuple

from nbgrad.errors import ArgumentError, OutOfMemoryError
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM, Driver, OutOfDeviceMemory

ROUND: Final = 512  # what a request counts as, at least and in multiples
SLAB: Final = 2 << 20
LARGEST_CUT: Final = 256 << 10  # requests up to this are cut from slabs
_REMEMBERED: Final = 1 << 14  # requests whose lists are found at once


class _Slab:
    """A stretch that small blocks are cut from."""

    def __init__(self, address: int) -> None:
        self.address = address
        self.used = 0
        self.blocks = 0  # cut so far


class _Block(NamedTuple):
    """Memory of one stream."""

    address: int
    size: int
    stream: int
    slab: _Slab | None


class DeviceBuffer:
    """A stretch of device memory: ``address``, ``nbytes``, and its device. Dropping the last reference frees it.

    Contents never change once written. ``stream`` has what writes them; ``used_on`` says that another one reads
    them.
    """

    __slots__ = (
        "__weakref__",
        "_block",
        "_counted",
        "_idle",
        "_pool",
        "_readers",
        "address",
        "checked",
        "keep",
        "nbytes",
        "stream",
    )

    address: int
    nbytes: int
    stream: int
    checked: set[int] | None  # the programs that have found nothing wrong with what it holds, by their numbers
    keep: object  # the owner of memory that is not the pool's
    _block: _Block | None
    _idle: list[_Block]  # where the block goes back to
    _counted: int
    _pool: DevicePool
    _readers: set[int] | None

    @staticmethod
    def wrap(pool: DevicePool, address: int, nbytes: int, keep: object, stream: int = DEFAULT_STREAM) -> DeviceBuffer:
        """Memory that ``keep`` owns."""
        self = _new(DeviceBuffer)
        self.address, self.nbytes, self.stream, self.keep = address, nbytes, stream, keep
        self._block, self._pool, self._readers, self.checked = None, pool, None, None
        return self

    @property
    def device_index(self) -> int:
        return self._pool.index

    @property
    def is_pooled(self) -> bool:
        """Whether the memory is the pool's, and not somebody else's."""
        return self._block is not None

    @property
    def streams(self) -> set[int]:
        """Where it is written or read."""
        return {self.stream, *(self._readers or ())}

    def used_on(self, stream: int) -> None:
        """Keep the memory until what is enqueued on ``stream`` by the time it is dropped is done."""
        if stream != self.stream:
            if self._readers is None:
                self._readers = set()
            self._readers.add(stream)

    def hand_to(self, stream: int) -> None:
        """Let ``stream`` be the one that it belongs to: what it holds is there, nobody need wait for it."""
        self.stream, self._readers = stream, {stream}

    def __del__(self) -> None:
        try:
            block = self._block
        except AttributeError:  # Ctrl-C came before it had one
            return
        if block is not None:  # whatever the garbage collector interrupts: no lock is taken, no driver called
            self._pool.allocated -= self._counted
            if self._readers:
                self._pool.held.append((block, self._readers))
            else:
                self._idle.append(block)

    def __repr__(self) -> str:
        return f"DeviceBuffer({self.nbytes} bytes at {self.address:#x} of device {self.device_index})"


_new = object.__new__


def block_size(nbytes: int) -> int:
    """The block that serves ``nbytes``: multiples of 512, above 4096 four per doubling, at most a quarter lost."""
    if nbytes <= 4096:
        return max((nbytes + ROUND - 1) // ROUND * ROUND, ROUND)
    step = 1 << ((nbytes - 1).bit_length() - 3)
    return (nbytes + step - 1) // step * step


class DevicePool:
    """The memory of device ``index``. Safe to use from several threads; the driver must have the device activated.

    ``capturing`` is held by whoever records a graph, for which nobody may wait for the whole device.
    """

    def __init__(self, driver: Driver, index: int, capturing: AbstractContextManager[object]) -> None:
        self.driver = driver
        self._capturing = capturing
        self.index = index
        self.allocated = 0  # bytes of buffers; like all counts changed in one step that no thread can divide
        self.reserved = 0  # bytes taken from the driver
        self.most_allocated = 0
        self.most_reserved = 0
        self.retries = 0  # how often idle memory had to go back first
        self.refusals = 0  # how often there was none even so
        self.held: deque[tuple[_Block, set[int]]] = deque()  # dropped, but other streams used them
        self._idle: dict[tuple[int, int], list[_Block]] = {}  # by size and stream
        self._requests: dict[tuple[int, int], tuple[list[_Block], int]] = {}  # the same by bytes asked for; their count
        self._slabs: dict[int, list[_Slab]] = {}  # by stream; the last one is cut from
        self._lock = threading.Lock()
        self._event = 0

    def take(self, nbytes: int, stream: int) -> DeviceBuffer:
        """``nbytes`` with arbitrary contents, to be written by what ``stream`` does next."""
        self_ = _new(DeviceBuffer)
        with self._lock:
            if self.held:
                self._settle()
            try:
                idle, counted = self._requests[nbytes, stream]
                if nbytes > ROUND:  # the smallest ones are many, and any will do
                    idle.sort(reverse=True)
                block = idle.pop()
            except (KeyError, IndexError):
                idle, counted, block = self._make(nbytes, stream)
            self.allocated += counted
            self_._idle, self_._counted, self_._pool, self_._readers = idle, counted, self, None
            self_._block, self_.checked = block, None
        if self.allocated > self.most_allocated:
            self.most_allocated = self.allocated
        self_.address, self_.nbytes, self_.stream, self_.keep = block.address, nbytes, stream, None
        return self_

    def _settle(self) -> None:
        """Let the streams of blocks that others used wait for those; then the blocks are as good as any. Needs the
        lock."""
        self._event = self._event or self.driver.new_event()
        while self.held:
            block, readers = self.held.popleft()
            for reader in readers:
                self.driver.record(self._event, reader)
                self.driver.stream_waits(block.stream, self._event)
            self._idle[block.size, block.stream].append(block)

    def _make(self, nbytes: int, stream: int) -> tuple[list[_Block], int, _Block]:
        """A block where none was idle, or this request is new; the list that it will go back to; what it counts as.
        Needs the lock."""
        if nbytes < 0:
            raise ArgumentError(f"a buffer of {nbytes} bytes")
        size = block_size(nbytes)
        idle = self._idle.setdefault((size, stream), [])
        if len(self._requests) >= _REMEMBERED:
            self._requests.clear()
        counted = max((nbytes + ROUND - 1) // ROUND * ROUND, ROUND)
        self._requests[nbytes, stream] = idle, counted
        return idle, counted, idle.pop() if idle else self._fresh(nbytes, size, stream)

    def _fresh(self, nbytes: int, size: int, stream: int) -> _Block:
        """A block that nobody had before."""
        if size > LARGEST_CUT:
            return _Block(self._from_driver(size, nbytes), size, stream, None)
        slabs = self._slabs.setdefault(stream, [])
        if not slabs or slabs[-1].used + size > SLAB:
            address = self._from_driver(SLAB, nbytes)
            self._slabs.setdefault(stream, slabs).append(_Slab(address))
        slab = slabs[-1]
        slab.used += size
        slab.blocks += 1
        return _Block(slab.address + slab.used - size, size, stream, slab)

    def _from_driver(self, size: int, nbytes: int) -> int:
        """Fresh memory; where there is none, what lies idle goes back first."""
        try:
            address = self.driver.alloc(size)
        except OutOfDeviceMemory:
            self.retries += 1
            self._trim()
            try:
                address = self.driver.alloc(size)
            except OutOfDeviceMemory as error:
                self.refusals += 1
                raise self._out_of_memory(nbytes) from error
        self.reserved += size
        self.most_reserved = max(self.most_reserved, self.reserved)
        return address

    def _out_of_memory(self, nbytes: int) -> OutOfMemoryError:
        free, total = self.driver.memory_info()
        idle = self.reserved - self.allocated
        return OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {readable(nbytes)}. GPU {self.index} has a total capacity of "
            f"{readable(total)} of which {readable(free)} is free. {readable(self.allocated)} is allocated by "
            f"nbgrad, and {readable(idle)} is reserved by nbgrad but unallocated."
        )

    def reset_peaks(self) -> None:
        """Let the peaks begin at what there is now."""
        self.most_allocated, self.most_reserved = self.allocated, self.reserved

    def empty_cache(self) -> None:
        """Give what lies idle back to the driver."""
        with self._lock:
            self._trim()

    def _trim(self) -> None:
        """Needs the lock. The driver waits for the device before it takes memory back."""
        if self.held:
            self._settle()
        with self._capturing:
            self.driver.synchronize()
        cut = Counter([id(block.slab) for blocks in self._idle.values() for block in blocks])
        dead = {id(s): s for slabs in self._slabs.values() for s in slabs if cut[id(s)] == s.blocks}
        for blocks in self._idle.values():
            kept = []
            while blocks:  # one by one: buffers are dropped meanwhile
                block = blocks.pop()
                if block.slab is None:
                    self.driver.free(block.address)
                    self.reserved -= block.size
                elif id(block.slab) not in dead:
                    kept.append(block)
            blocks.extend(kept)
        for slabs in self._slabs.values():
            slabs[:] = [slab for slab in slabs if id(slab) not in dead]
        for slab in dead.values():
            self.driver.free(slab.address)
            self.reserved -= SLAB


def readable(nbytes: int) -> str:
    """Bytes in the unit that people read."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} bytes"
