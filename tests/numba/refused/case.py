"""Something that cannot work, and what is said about it."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CASES: dict[str, Case] = {}
MARK = "# here"


@dataclass(frozen=True)
class Case:
    """``attempt(function)`` must raise ``kind`` with ``text``, and name the line of the function that has the mark."""

    attempt: Callable[[Any], Any]
    function: Any
    kind: type[Exception]
    text: str

    @property
    def place(self) -> str:
        """A pattern for file and line as errors name them, short or long; the file alone where no line is marked."""
        function = getattr(self.function, "py_func", self.function)
        lines, first = inspect.getsourcelines(function)
        marked = [first + k for k, line in enumerate(lines) if MARK in line]
        assert len(marked) < 2
        name = re.escape(os.path.basename(function.__code__.co_filename))
        return rf'\b{name}("?, line |:|$){marked[0] if marked else ""}' if marked else name


def cannot(attempt: Callable[[Any], Any], kind: type[Exception], text: str) -> Callable[[Any], Any]:
    """Keep a function among the ``CASES``."""

    def keep(function: Any) -> Any:
        name = f"{attempt.__name__} {function.__name__}".replace("_", " ")
        assert name not in CASES
        CASES[name] = Case(attempt, function, kind, text)
        return function

    return keep


def called(function: Any) -> Any:
    """What is wrong is a call in it."""
    return function()
