"""Turns among threads that write the same tensors, where one takes long over it.

A compiled call reads a tensor, runs its program, and gives the tensor its new value.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection
from types import TracebackType
from typing import Final

_LOOK_S: Final = 0.1  # a claim that Ctrl-C left behind has gone without a word


class Claims:
    """Who writes which tensors, known by their ids, in the order in which they came. ``lock`` is that of all writers: a
    short one holds it throughout, a long one only to come and to go."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock  # by itself: Ctrl-C in the condition's own ``__enter__`` would leave it locked
        self._changed = threading.Condition(lock)
        self.queue: list[weakref.ref[Claim]] = []

    def claim(self, ids: Collection[int]) -> Claim:
        """A context in which no other thread writes the tensors with these ids."""
        return Claim(self, frozenset(ids))

    def come(self, claim: Claim) -> None:
        """Have ``claim`` stand in the queue, and wait for its turn."""
        with self._lock:
            self.queue.append(weakref.ref(claim))
            try:
                while self._is_behind(claim):
                    self._changed.wait(_LOOK_S)
            except BaseException:
                self.go(claim)
                raise

    def go(self, claim: Claim) -> None:
        with self._lock:
            self.queue = [ref for ref in self.queue if ref() not in (None, claim)]
            self._changed.notify_all()

    def _is_behind(self, claim: Claim) -> bool:
        for ref in self.queue:
            other = ref()
            if other is None:
                continue
            if other.thread == claim.thread:  # itself, or one whose turn it is: those behind wait for that one
                return False
            if not other.ids.isdisjoint(claim.ids):
                return True
        return False


class Claim:
    """One thread's, for as long as the context lasts."""

    __slots__ = ("__weakref__", "_claims", "ids", "thread")

    def __init__(self, claims: Claims, ids: frozenset[int]) -> None:
        self._claims = claims
        self.ids = ids
        self.thread = threading.get_ident()

    def __enter__(self) -> None:
        self._claims.come(self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._claims.go(self)
