"""Objects of which there is one for each key as long as somebody has it: they are compared by ``is``."""

from __future__ import annotations

import _weakref
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
RECENT: Final = 2048  # what is made and dropped again and again is kept meanwhile: to make it takes 3 us


class Interned(dict[Any, T], Generic[T]):
    """As a dict, the objects met of late by their keys; ``get`` that first, then ``one``."""

    __slots__ = ("_alive",)

    def __init__(self) -> None:
        self._alive: dict[Hashable, _Entry[T]] = {}

    def one(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object of this key: the one that somebody has, or a new one. All threads get the same."""
        entry = self._alive.get(key)
        found = None if entry is None else entry()
        while found is None:
            made = make()
            entry = self._alive.setdefault(key, _Entry(made, self._alive, key))
            found = entry()
            if found is None:  # it was dropped, and is about to be forgotten
                entry.forget(entry)
        if len(self) >= RECENT:
            self.clear()
        self[key] = found
        return found

    def count(self) -> int:
        """How many there are now."""
        return len(self._alive)


class _Entry(weakref.ref[T]):
    """Knows its place, which it leaves when the object goes. Whatever runs at that moment, it is one step: another
    object that has come to the same place stays there."""

    __slots__ = ("alive", "key")
    alive: Any
    key: Hashable

    def __new__(cls, made: T, alive: Any, key: Hashable) -> _Entry[T]:
        self = super().__new__(cls, made, cls.forget)
        self.alive, self.key = alive, key
        return self

    def __init__(self, made: T, alive: Any, key: Hashable) -> None:
        super().__init__(made, self.forget)  # type: ignore[call-arg]

    @staticmethod
    def forget(entry: Any) -> None:
        _weakref._remove_dead_weakref(entry.alive, entry.key)  # type: ignore[attr-defined]
