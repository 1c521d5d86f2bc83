"""Who watches a thread record, because the same is to be run again without recording: see ``replay/recorder.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nbgrad.calls.views import ViewStep
from nbgrad.trace.handle import Handle
from nbgrad.trace.thread import Trace, local
from nbgrad.trace.trie import TrieNode

Numbers = tuple[Any, ...]


class Watcher(Protocol):
    """What a recording must be told beyond its entries. ``defers`` says that ``backward`` records and does not run."""

    defers: bool

    def looked(self) -> None:
        """The value of a tensor was asked for."""

    def born(self, thing: object) -> None:
        """A tensor was made of the program's own data."""

    def position(self, a: Handle) -> Any:
        """The value of ``a``, a whole number, as a number that is known by it; None where it has to be looked at."""

    def lent(self, place: int, a: Handle) -> None:
        """Input ``place`` of the segment is what ``a`` shows, whose memory others see: a copy, or nobody reads it."""

    def shown(self, a: Handle) -> tuple[TrieNode, Sequence[ViewStep]] | None:
        """Of what shows memory that stands for itself, whoever has it: the entry of that, and the steps from there."""
        return None

    def writes(self, a: Handle) -> None:
        """What ``a`` shows is about to be written, or to be shown to others, who may."""

    def grad_assigned(self, a: Handle) -> None:
        """``a.grad`` was assigned, None included."""

    def refuse(self, why: str, *, of_memory: bool = False) -> None:
        """Something happened that running again would not repeat, say because ``of_memory`` that others see."""

    def refuse_at_end(self, why: str, *, of_memory: bool = False) -> None:
        """The same, of what code did that came in between: it is told when all is recorded."""

    def numbers(self, source: Callable[[], Numbers], undo: Callable[[], None], *, shown: bool = False) -> Numbers:
        """What ``source()`` gives, as numbers that are known by it; ``shown`` to the user's code."""

    def again(self, effect: Callable[[], None], undo: Callable[[], None]) -> None:
        """Call ``effect`` now, and whenever the recording is run again."""


def refuse(why: str, in_hand: Trace | None = None) -> None:
    """Tell the watcher, if there is one, that what happens here cannot be repeated. ``in_hand`` is the trace, where it
    is in hand."""
    watcher = (in_hand or local.trace).watcher
    if watcher is not None:
        watcher.refuse(why)


def numbers_of(source: Callable[[], Numbers], undo: Callable[[], None], *, shown: bool = False) -> Numbers:
    """The numbers that ``source()`` gives. It counts something up, which ``undo()`` takes back.

    A function that is run again without recording calls ``source`` each time.
    """
    watcher = local.trace.watcher
    return source() if watcher is None else watcher.numbers(source, undo, shown=shown)


def again(effect: Callable[[], None], undo: Callable[[], None]) -> None:
    """Call ``effect``: now, and each time when a function that is recorded here is run again. ``undo()`` takes it back
    where that comes to nothing."""
    watcher = local.trace.watcher
    if watcher is None:
        effect()
    else:
        watcher.again(effect, undo)


def looked(trace: Trace) -> None:
    """Tell the watcher, if there is one, that a value is asked for."""
    watcher = trace.watcher
    if watcher is not None:
        watcher.looked()
