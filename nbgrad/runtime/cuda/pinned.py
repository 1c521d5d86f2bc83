"""Host memory that a device reads by itself, for values that go there often."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.devices import current_device, gpu


class Pinned(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes in pinned memory, given back when the array is dropped."""


def pin(buffer: Buffer) -> Buffer:
    """A copy of ``buffer`` in pinned memory. RuntimeError without a device."""
    owner = gpu(current_device())
    owner.activate()
    size = max(buffer.nbytes, 1)
    address = owner.alloc_pinned(size)
    memory: Any = (ctypes.c_char * size).from_address(address)
    array = np.frombuffer(memory, np.uint8).view(Pinned)
    weakref.finalize(array, owner.drop_pinned, address)
    ctypes.memmove(address, buffer.address, buffer.nbytes)
    return Buffer.wrap(array)


def is_pinned(buffer: object) -> bool:
    """Whether this memory is pinned."""
    return isinstance(buffer, Buffer) and not buffer.is_pooled and isinstance(buffer.owner, Pinned)
