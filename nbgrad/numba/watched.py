"""What a function may not do that goes into ``@njit`` code: it is recorded once, and looks at nothing any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.trace import Handle, Numbers, Trace, threads


@contextmanager
def watched(trace: Trace, name: str) -> Iterator[None]:
    """Refuse what ``name`` does here, on the thread's trace, where its program could not do it again."""
    before, watch = trace.watcher, _Watch(name)
    threads.watch(trace, watch)
    try:
        yield
    finally:
        threads.watch(trace, before)
    if watch.problem:
        watch.refuse(f"{watch.problem}; try again")


class _Watch:
    defers = False

    def __init__(self, name: str) -> None:
        self._name = name
        self.problem = ""

    def looked(self) -> None:
        raise ArgumentError(f"njit: {self._name} looks at values, so what it computes may depend on them")

    def refuse(self, why: str, *, of_memory: bool = False) -> None:
        raise ArgumentError(f"njit: {self._name}: {why}")

    def refuse_at_end(self, why: str, *, of_memory: bool = False) -> None:
        self.problem = why

    def numbers(self, source: Callable[[], Numbers], undo: Callable[[], None], *, shown: bool = False) -> Numbers:
        return source()

    def again(self, effect: Callable[[], None], undo: Callable[[], None]) -> None:
        effect()

    def position(self, a: Handle) -> Any:
        return None

    def shown(self, a: Handle) -> None:
        """It stands for itself."""

    def born(self, thing: object) -> None:
        """A constant of the program."""

    def lent(self, place: int, a: Handle) -> None:
        """It is bound as it is now."""

    def writes(self, a: Handle) -> None:
        """Of what is computed; other writes are found in the end."""

    def grad_assigned(self, a: Handle) -> None:
        """The user's own affair."""
