"""Memory that others see: arrays given to NumPy, arrays taken from it."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.pinned import is_pinned, pin
from nbgrad.trace.handle import Chapter, Handle, Segment
from nbgrad.trace.trie import Leaf, TrieNode

Array = np.ndarray[Any, np.dtype[Any]]


class Export:
    """The array through which others may read or write a tensor's memory, for as long as one of them lives.

    ``is_row_major``: its elements lie one after the other, from the beginning of the buffer.
    """

    __slots__ = ("_array", "_kind", "_owner", "buffer", "is_row_major")

    def __init__(self, array: Array, buffer: Buffer, *, imported: bool) -> None:
        self.buffer = buffer  # the same memory, for when nobody else sees it any more
        # An imported array is kept; an exported one only watched, so that it ends when its users drop it.
        self._array = array if imported else None
        self._owner = None if imported else weakref.ref(array)
        self._kind = array.shape, array.dtype
        self.is_row_major = array.flags.c_contiguous

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


def hand_over_exported(
    y: Handle, chapter: Chapter, at: TrieNode | Leaf, buffer: Any, history: tuple[Segment, int] | None, leaf: Leaf
) -> None:
    """Let ``y``, which others have seen, have the value that it waits for: entry ``at`` of ``chapter``. Who has taken
    it or written it meanwhile is left alone."""
    export = None if y.share is None else y.share.storage.export
    if export is not None and export.alive() and y.chapter is chapter and y.at is at:
        export.store(buffer)
        buffer = export.buffer
    if y.chapter is chapter and y.at is at:  # no call from here on
        y.buffer, y.history, y.at, y.page = buffer, history, leaf, None


def export_buffer(buffer: Buffer, shape: tuple[int, ...], dtype: Any, is_ours: bool) -> tuple[Buffer, Array, Export]:
    """(buffer, array, export): the array others get. A buffer that is not ours alone is copied first."""
    if not is_ours:
        buffer = pin(buffer) if is_pinned(buffer) else buffer.copy()
    array = buffer.array(shape, dtype)
    return buffer, array, Export(array, buffer, imported=False)
