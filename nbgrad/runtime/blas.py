"""NumPy's and SciPy's functions with one thread of their BLAS, as in our own calls of LAPACK."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nbgrad.config import settings
from nbgrad.runtime.runner_code import runner_code
from nbgrad.tape.blas import Blas

P = ParamSpec("P")
R = TypeVar("R")


def alone(blas: Blas, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What ``function`` gives, while ``blas`` has one thread. At whatever line a handler raises, the library is left:
    that it was entered is noted by compiled code."""
    if settings.interpret or not blas.put:
        return function(*args, **kwargs)
    turn, is_inside = runner_code().turn, ctypes.c_int64()
    words = ctypes.addressof(blas), ctypes.addressof(is_inside)
    try:
        turn(*words)
        return function(*args, **kwargs)
    finally:
        if is_inside.value:
            turn(*words)
