"""NumPy without its warnings of overflow, of a division by zero, and of invalid values.

``np.errstate`` sets a context variable. Where a collection of garbage comes while CPython 3.11 sets one, and a
finalizer sets it too, the process ends (python/cpython#148891). What runs here runs in a copy of a context that was
made once: it sets nothing.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


def _context(**how: Any) -> contextvars.Context:
    made = contextvars.Context()
    made.run(np.seterr, all="ignore", **how)
    return made


_silent, _strict = _context(), _context(divide="raise")


def quietly(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What ``function`` gives; NumPy warns of no number."""
    return _silent.copy().run(function, *args, **kwargs)


def refusing_division(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The same, but a division by zero raises FloatingPointError, that of integers too."""
    return _strict.copy().run(function, *args, **kwargs)
