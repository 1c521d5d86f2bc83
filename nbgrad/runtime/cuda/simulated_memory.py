"""Memory of simulated devices: memory of this process, filled with ones (NaN, -1) when it is allocated."""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Any, Final

import numpy as np

from nbgrad.runtime.buffers import address_of
from nbgrad.runtime.cuda.driver import DriverError, OutOfDeviceMemory
from nbgrad.system.fork_safety import Lock

ALIGNMENT: Final = 256
POISON: Final = 0xFF
PINNED: Final = -1  # in place of a device


class Memory:
    """What ``devices`` have allocated, of ``total`` bytes each."""

    def __init__(self, devices: int, total: int) -> None:
        self.total = total
        self.free = [total] * devices  # bytes
        self._lock = Lock()
        self._starts: list[int] = []  # of allocated blocks, in order
        self._blocks: dict[int, tuple[Any, int, int]] = {}  # by address: what keeps it, bytes, device

    def alloc(self, nbytes: int, device: int) -> int:
        """The address of fresh memory."""
        with self._lock:
            if device != PINNED:
                if nbytes > self.free[device]:
                    raise OutOfDeviceMemory("alloc", "CUDA_ERROR_OUT_OF_MEMORY")
                self.free[device] -= nbytes
            memory = np.full(nbytes + ALIGNMENT, POISON, np.uint8)
            start = address_of(memory)
            address = (start + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
            self._blocks[address] = (memory, nbytes, device)
            insort(self._starts, address)
            return address

    def require_start(self, call: str, address: int) -> None:
        """Raise where no block begins at ``address``."""
        if address not in self._blocks:
            raise DriverError(call, "CUDA_ERROR_INVALID_VALUE", "no such memory")

    def drop(self, address: int) -> None:
        """Forget a block, which nothing may use any more."""
        with self._lock:
            _, nbytes, device = self._blocks.pop(address)
            self._starts.remove(address)
            if device != PINNED:
                self.free[device] += nbytes

    def is_pinned(self, address: int) -> bool:
        """Whether pinned memory is there."""
        return self._owner(address, 1) == PINNED

    def require(self, call: str, address: int, nbytes: int) -> int:
        """The device that has the bytes; raises where they are not all in one block of one."""
        device = self._owner(address, nbytes)
        if device is not None and device != PINNED:
            return device
        raise DriverError(call, "CUDA_ERROR_ILLEGAL_ADDRESS", f"{nbytes} bytes at {address:#x}")

    def _owner(self, address: int, nbytes: int) -> int | None:
        at = bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        start = self._starts[at]
        _, size, device = self._blocks[start]
        return device if address + nbytes <= start + size else None
