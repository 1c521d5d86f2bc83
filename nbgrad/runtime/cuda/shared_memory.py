"""Memory of a device that others see: given to other libraries, or taken from them. As runtime/shared_memory.py on the
host."""

from __future__ import annotations

import weakref
from typing import Any

from nbgrad.runtime.buffers import Array
from nbgrad.runtime.cuda.copies import duplicate, overwrite
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.places import on_host


class Borrower:
    """Lives as long as somebody outside may use what was lent."""

    __slots__ = ("__weakref__",)


class DeviceExport:
    """Memory that others may read or write while one of its borrowers lives; always where it is theirs."""

    __slots__ = ("_borrowers", "_is_theirs", "_kind", "buffer")

    def __init__(self, buffer: DeviceBuffer, shape: tuple[int, ...], dtype: Any, *, is_theirs: bool) -> None:
        self.buffer = buffer
        self._kind = shape, dtype
        self._is_theirs = is_theirs
        self._borrowers: list[weakref.ref[object]] = []

    def alive(self) -> bool:
        return self._is_theirs or any(ref() is not None for ref in self._borrowers)

    def lend_to(self, borrower: object) -> None:
        """Others may use it while ``borrower`` lives."""
        self._borrowers = [ref for ref in self._borrowers if (held := ref()) is not None and held is not borrower]
        self._borrowers.append(weakref.ref(borrower))

    def array(self) -> Array | None:
        """What is there now, copied to the CPU; None where nobody else sees it any more."""
        return self.shown() if self.alive() else None

    def shown(self) -> Array:
        """The same, also where its last borrower is just gone."""
        return on_host(self.copied()).array(*self._kind)

    def copied(self) -> DeviceBuffer:
        """What is there now, copied on its device."""
        return duplicate(self.buffer)

    def store(self, buffer: DeviceBuffer) -> None:
        """Write a new value where the others see it."""
        overwrite(self.buffer, buffer)


def lend_buffer(
    buffer: DeviceBuffer, shape: tuple[int, ...], dtype: Any, is_ours: bool
) -> tuple[DeviceBuffer, None, DeviceExport]:
    """(buffer, None, export), as ``export_buffer`` gives: one that is not ours alone is copied first."""
    buffer = buffer if is_ours else duplicate(buffer)
    return buffer, None, DeviceExport(buffer, shape, dtype, is_theirs=False)
