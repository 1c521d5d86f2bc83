"""Memory that others see: arrays given to NumPy, arrays taken from it."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from nbgrad.runtime.buffers import Array, Buffer
from nbgrad.runtime.cuda.pinned import is_pinned, pin


class Export:
    """The array through which others may read or write a tensor's memory, for as long as one of them lives."""

    __slots__ = ("_array", "_kind", "_owner", "buffer")

    def __init__(self, array: Array, buffer: Buffer, *, imported: bool) -> None:
        self.buffer = buffer  # the same memory, for when nobody else sees it any more
        # An imported array is kept; an exported one only watched, so that it ends when its users drop it.
        self._array = array if imported else None
        self._owner = None if imported else weakref.ref(array)
        self._kind = array.shape, array.dtype

    def array(self) -> Array | None:
        return self._array if self._owner is None else self._owner()

    def alive(self) -> bool:
        return self._owner is None or self._owner() is not None

    def shown(self) -> Array:
        """The same memory, also where another thread has just dropped the array."""
        array = self.array()
        return self.buffer.array(*self._kind) if array is None else array

    def store(self, buffer: Buffer) -> None:
        """Write a new value where the others see it."""
        np.copyto(self.shown(), buffer.array(*self._kind))


def export_buffer(buffer: Buffer, shape: tuple[int, ...], dtype: Any, is_ours: bool) -> tuple[Buffer, Array, Export]:
    """(buffer, array, export): the array others get. A buffer that is not ours alone is copied first."""
    if not is_ours:
        buffer = pin(buffer) if is_pinned(buffer) else buffer.copy()
    array = buffer.array(shape, dtype)
    return buffer, array, Export(array, buffer, imported=False)
