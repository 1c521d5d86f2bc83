"""What another thread does in the middle of this one's work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import nbgrad as nb
from nbgrad.trace.thread import threads


def elsewhere(work: Callable[[], Any]) -> None:
    """``work`` done by another thread, to its end."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            with nb.no_grad():
                work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def wait_until_alone() -> None:
    """Wait for the threads of earlier tests to end: where one lives, parameters get memory of their own each step, and
    it takes a few steps after its end until all stands where it stays."""
    end_s = time.monotonic() + 10.0
    while len(threads.living) > 1 and time.monotonic() < end_s:
        time.sleep(0.01)


class Meanwhile:
    """What another thread does where ``f`` is called first: to its end, or as far as it gets in ``wait_s``."""

    def __init__(self, f: Callable[..., Any], work: Callable[[], Any], wait_s: float = 0.05) -> None:
        self.f = f
        self.thread = threading.Thread(target=work)
        self.wait_s = wait_s

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._begin()
        return self.f(*args, **kwargs)

    def after(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """``f``, behind whose first call that other thread begins, unless it has before."""

        def called(*args: Any, **kwargs: Any) -> Any:
            found = f(*args, **kwargs)
            self._begin()
            return found

        return called

    def _begin(self) -> None:
        if self.thread.ident is None:
            self.thread.start()
            self.thread.join(self.wait_s)
