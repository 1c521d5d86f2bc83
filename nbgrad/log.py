"""Print the stages of a computation, each under its word: ``if enabled("tape"): emit("tape", text)``.

Other modules import these functions by name (``from nbgrad.log import emit, enabled``): the package also offers the
logarithm, so ``nbgrad.log`` is not always this module.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from nbgrad.config import LOG_WORDS, override, settings
from nbgrad.system.fork_safety import Lock

_FILE_NUMBER: Final = {word: 10 * (k + 1) for k, word in enumerate(LOG_WORDS)}


class _Steps(threading.local):
    """Which step this thread is at, where it is another than the newest."""

    here: int | None = None


class _Counter:
    """The number of the newest step; what fell back, in the order in which it did."""

    def __init__(self) -> None:
        self.number = 1
        self.lock = Lock()
        self.fallbacks: dict[str, None] = {}


_MOST_FALLBACKS: Final = 100
_steps = _Steps()
_counter = _Counter()


def enabled(word: str) -> bool:
    """Whether the stage ``word`` is to be printed. Ask before building the text."""
    return word in settings.log


def next_step() -> None:
    """Begin the next step's folder under NBGRAD_LOG_DIR: a step is one new structure on its way to the machine."""
    with _counter.lock:
        _counter.number += 1


def current_step() -> int:
    """The step that this thread prints for."""
    return _counter.number if _steps.here is None else _steps.here


@contextmanager
def in_step(number: int) -> Iterator[None]:
    """What the block prints belongs to step ``number``: a structure that comes again prints where it did at first."""
    before, _steps.here = _steps.here, number
    try:
        yield
    finally:
        _steps.here = before


def fall_back(word: str, text: str) -> None:
    """Say that something goes on in a slower way than it should; ``nbgrad.explain`` tells it, too."""
    kept = _counter.fallbacks
    if text not in kept and len(kept) >= _MOST_FALLBACKS:
        oldest, *_ = kept
        kept.pop(oldest, None)
    kept[text] = None
    emit(word, text)


def fallbacks() -> list[str]:
    """What this process fell back to so far: the last hundred different texts."""
    return list(_counter.fallbacks)


def emit(word: str, text: str) -> None:
    """Print ``text`` under ``word``, if that stage is wanted."""
    if word not in settings.log:
        return
    text = text.rstrip("\n") + "\n"
    if settings.log_dir is None:
        with suppress(OSError, ValueError, AttributeError):  # closed, or None: nobody reads it
            sys.stderr.write(f"-- {word} --\n{text}")
            sys.stderr.flush()
        return
    with _counter.lock:
        folder = os.path.join(settings.log_dir, f"{current_step():04d}-step")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{_FILE_NUMBER[word]}-{word}.txt"), "a", encoding="utf-8") as file:
            file.write(text)


@contextmanager
def log(*words: str) -> Iterator[None]:
    """Print these stages (or "all") inside a ``with`` block, besides those already on."""
    with override(log=settings.log | frozenset(words)):
        yield
