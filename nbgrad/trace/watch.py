"""Who watches a thread record, because the same is to be run again without recording.

A watcher, ``Trace.watcher``, is told what a recording must be told beyond its entries: the methods of ``Recorder`` in
``replay/recorder.py`` say what.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.trace.thread import Trace, local

Numbers = tuple[Any, ...]


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
