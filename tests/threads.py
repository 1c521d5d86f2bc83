"""Work in threads of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def in_threads(work: Callable[..., Any], given: Iterable[Any] | None = None) -> None:
    """Have ``work`` done, and wait for its end: in one thread, or in one for each of what is ``given`` to it. The first
    error of any is raised here."""
    errors: list[BaseException] = []

    def guarded(*args: Any) -> None:
        try:
            work(*args)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=args) for args in ([()] if given is None else zip(given))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@contextmanager
def held_elsewhere(lock: Any) -> Iterator[None]:
    """Inside the block another thread holds ``lock``."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()
