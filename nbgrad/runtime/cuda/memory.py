"""Device memory for values: blocks that a dropped ``DeviceBuffer`` gives back in the order of its stream.

A block belongs to one stream. Taken again there, it is written after everything that was enqueued for its last owner,
so nothing waits. Where other streams used it, its own waits for them first. Nothing goes back to the driver until
memory is short.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from nbgrad.errors import ArgumentError, OutOfMemoryError
from nbgrad.runtime.buffers import size_class, untrack
from nbgrad.runtime.cuda.driver import DEFAULT_STREAM, OutOfDeviceMemory
from nbgrad.system.fork_safety import Lock

if TYPE_CHECKING:
    from nbgrad.runtime.cuda.driver import Driver

ROUND: Final = 512  # what a request counts as, at least and in multiples


class _Block:
    """Memory of one stream. While a buffer has it, it ``counted`` as so many bytes, and other streams ``readers`` use
    it. ``idle`` is the list where it waits for the next one; ``give_back`` says that no buffer has it any more."""

    __slots__ = ("address", "counted", "give_back", "idle", "readers", "size", "stream")

    def __init__(self, address: int, stream: int, size: int = 0, idle: list[_Block] | None = None) -> None:
        self.address, self.stream, self.size, self.idle = address, stream, size, idle
        self.counted = 0
        self.readers: frozenset[int] | None = None
        self.give_back: Callable[[], object] | None = None


class DeviceBuffer:
    """A stretch of device memory: ``address``, ``nbytes``, and its device. Dropping the last reference frees it.

    Contents never change once written. ``stream`` has what writes them; ``used_on`` says that another one reads
    them. ``__del__`` is an attribute of each buffer with memory of the pool: no line of Python runs when it is dropped,
    see ``runtime/buffers.py``, no lock is taken and no driver called. What there is to do waits for the next ``take``.
    """

    __slots__ = (
        "__del__",
        "__weakref__",
        "_block",
        "_pool",
        "address",
        "keep",
        "nbytes",
        "stream",
    )

    __del__: Callable[[], object]
    address: int
    nbytes: int
    stream: int
    keep: object  # the owner of memory that is not the pool's
    _block: _Block
    _pool: DevicePool

    @staticmethod
    def wrap(pool: DevicePool, address: int, nbytes: int, keep: object, stream: int = DEFAULT_STREAM) -> DeviceBuffer:
        """Memory that ``keep`` owns."""
        self = _new(DeviceBuffer)
        self.address, self.nbytes, self.stream, self.keep = address, nbytes, stream, keep
        self._block, self._pool = _Block(address, stream), pool
        return self

    @property
    def device_index(self) -> int:
        return self._pool.index

    @property
    def is_pooled(self) -> bool:
        """Whether the memory is the pool's, and not somebody else's."""
        return self._block.idle is not None

    @property
    def streams(self) -> set[int]:
        """Where it is written or read."""
        return {self.stream, *(self._block.readers or ())}

    def is_only_on(self, stream: int) -> bool:
        """Whether it is the pool's memory, which nothing but ``stream`` writes or reads."""
        block = self._block
        return block.idle is not None and self.stream == stream and (not block.readers or block.readers == {stream})

    def used_on(self, stream: int) -> None:
        """Keep the memory until what is enqueued on ``stream`` by the time it is dropped is done."""
        if stream != self.stream:
            self._block.readers = (self._block.readers or frozenset()) | {stream}

    def __repr__(self) -> str:
        return f"DeviceBuffer({self.nbytes} bytes at {self.address:#x} of device {self.device_index})"


_new = object.__new__


class DevicePool:
    """The memory of device ``index``. Safe to use from several threads; the driver must have the device activated."""

    def __init__(self, driver: Driver, index: int) -> None:
        self.driver = driver
        self.index = index
        self.reserved = 0  # bytes taken from the driver
        self.most_allocated = 0
        self.most_reserved = 0
        self.retries = 0  # how often idle memory had to go back first
        self.refusals = 0  # how often there was none even so
        self.came_back: deque[_Block] = deque()  # dropped since the last look
        self._counted = 0  # bytes of buffers, and of what came back
        self._idle: dict[tuple[int, int], list[_Block]] = {}  # by size and stream
        self._lock = Lock()
        self._event = 0

    def take(self, nbytes: int, stream: int) -> DeviceBuffer:
        """``nbytes`` with arbitrary contents, to be written by what ``stream`` does next."""
        self_ = _new(DeviceBuffer)
        with self._lock:
            if self.came_back:
                self._take_in()
            block = self._block(nbytes, stream)
            block.counted, block.readers = max((nbytes + ROUND - 1) // ROUND * ROUND, ROUND), None
            self._counted += block.counted
            self.most_allocated = max(self.most_allocated, self._counted)
            self_._block, self_._pool = block, self
            self_.address, self_.nbytes, self_.stream, self_.keep = block.address, nbytes, stream, None
            assert block.give_back is not None
            self_.__del__ = block.give_back
            untrack(self_)
        return self_

    @property
    def allocated(self) -> int:
        """Bytes of buffers."""
        with self._lock:
            return self._counted - sum([block.counted for block in list(self.came_back)])

    def _take_in(self) -> None:
        """Blocks that came back are idle now. Where other streams used one, its own waits for those: then it is as good
        as any. Needs the lock."""
        while self.came_back:
            block = self.came_back.popleft()
            if block.readers:
                self._event = self._event or self.driver.new_event()
                for reader in block.readers:
                    self.driver.record(self._event, reader)
                    self.driver.stream_waits(block.stream, self._event)
            self._counted -= block.counted
            assert block.idle is not None
            block.idle.append(block)

    def _block(self, nbytes: int, stream: int) -> _Block:
        """A block for a request: one that was idle, or a new one. Needs the lock."""
        if nbytes < 0:
            raise ArgumentError(f"a buffer of {nbytes} bytes")
        size = size_class(nbytes, ROUND)
        idle = self._idle.setdefault((size, stream), [])
        if idle:
            return idle.pop()
        block = _Block(self._from_driver(size, nbytes), stream, size, idle)
        block.give_back = partial(self.came_back.append, block)
        return block

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
        idle = self.reserved - self._counted
        return OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {readable(nbytes)}. GPU {self.index} has a total capacity of "
            f"{readable(total)} of which {readable(free)} is free. {readable(self._counted)} is allocated by "
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
        self._take_in()
        self.driver.synchronize()
        for blocks in self._idle.values():
            while blocks:
                block = blocks.pop()
                block.give_back = None  # it refers to the block
                self.driver.free(block.address)
                self.reserved -= block.size


def readable(nbytes: int) -> str:
    """Bytes in the unit that people read."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} bytes"
