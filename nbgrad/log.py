"""Print the stages of a computation, each under its word: ``if enabled("tape"): emit("tape", text)``.

Other modules import these functions by name (``from nbgrad.log import emit, enabled``): the package also offers the
logarithm, so ``nbgrad.log`` is not always this module.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nbgrad.config import LOG_WORDS, override, settings

_FILE_NUMBER: Final = {word: 10 * (k + 1) for k, word in enumerate(LOG_WORDS)}


class _Steps:
    """Counts the steps, so that each has a folder of its own."""

    def __init__(self) -> None:
        self.number = 0
        self.lock = threading.Lock()


_steps = _Steps()


def enabled(word: str) -> bool:
    """Whether the stage ``word`` is to be printed. Ask before building the text."""
    return word in settings.log


def next_step() -> None:
    """Begin the next step's folder under NBGRAD_LOG_DIR: a step is one new structure on its way to the machine."""
    with _steps.lock:
        _steps.number += 1


def emit(word: str, text: str) -> None:
    """Print ``text`` under ``word``, if that stage is wanted."""
    if word not in settings.log:
        return
    text = text.rstrip("\n") + "\n"
    if settings.log_dir is None:
        sys.stderr.write(f"-- {word} --\n{text}")
        sys.stderr.flush()
        return
    with _steps.lock:
        folder = os.path.join(settings.log_dir, f"{max(_steps.number, 1):04d}-step")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{_FILE_NUMBER[word]}-{word}.txt"), "a", encoding="utf-8") as file:
            file.write(text)


@contextmanager
def log(*words: str) -> Iterator[None]:
    """Print these stages (or "all") inside a ``with`` block, besides those already on."""
    with override(log=settings.log | frozenset(words)):
        yield


def _renew_lock() -> None:
    _steps.lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)
