"""Host memory that a device reads and writes by itself: copies from there and to there are not waited for."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.devices import current_device, gpu
from nbgrad.runtime.cuda.owned import Owned


class Pinned(np.ndarray[Any, np.dtype[Any]]):
    """Bytes in pinned memory, given back when the array is dropped and ``uses`` are done: (device, stream)."""

    block: Owned
    uses: set[tuple[int, int]]


class _Ever:
    """Whether this process has had pinned memory: where not, nobody need look for it."""

    is_pinned = False


ever: Final = _Ever()


def pinned_memory(nbytes: int) -> Buffer:
    """``nbytes`` of pinned memory with arbitrary contents. RuntimeError without a device."""
    owner = gpu(current_device())
    owner.activate()
    uses: set[tuple[int, int]] = set()
    block = owner.pinned(max(nbytes, 1), uses)
    ever.is_pinned = True
    memory: Any = (ctypes.c_char * max(nbytes, 1)).from_address(block.handle)
    array = np.frombuffer(memory, np.uint8)[:nbytes].view(Pinned)
    array.uses, array.block = uses, block
    return Buffer.wrap(array)


def pin(buffer: Buffer) -> Buffer:
    """A copy of ``buffer`` in pinned memory."""
    made = pinned_memory(buffer.nbytes)
    ctypes.memmove(made.address, buffer.address, buffer.nbytes)
    return made


def is_pinned(buffer: object) -> bool:
    """Whether this memory is pinned."""
    return isinstance(buffer, Buffer) and not buffer.is_pooled and isinstance(buffer.owner, Pinned)


def used_by(buffer: Buffer, index: int, stream: int) -> None:
    """Keep pinned memory until what is enqueued on a stream by the time it is dropped is done."""
    owner: Any = buffer.owner
    owner.uses.add((index, stream))
