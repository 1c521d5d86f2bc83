"""Python's ``math`` for numbers that know where they come from: stands in for the module while a call is recorded."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from nbgrad.number import Number, code_of, literal, value_of


class Function:
    """A function of ``math``. ``original`` is itself; its result for a Number is one, too."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        numbers = [a for a in args if type(a) is Number]
        if not numbers or kwargs or not all(type(a) in (Number, int, float) for a in args):
            return self.original(*args, **kwargs)
        value = self.original(*map(value_of, args))
        if type(value) is not float and type(value) is not int:
            return self.original(*args)
        code = ", ".join([code_of(a) or literal(a) for a in args])
        return Number(value, f"math.{self.original.__name__}({code})", numbers[0].conditions)


class Module:
    """``math`` with such functions."""

    original = math

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        return Function(found) if callable(found) else found


def is_math(x: Any) -> bool:
    """Whether ``x`` is the module or one of its functions."""
    return x is math or (isinstance(x, BuiltinFunctionType) and x.__self__ is math)


def stand_in(x: Any) -> Any:
    """What to put in the place of the module or of a function of it."""
    return Module() if x is math else Function(x)


def original(x: Any) -> Any:
    """What another thread's recording has put something else in the place of."""
    return x.original if type(x) is Module or type(x) is Function else x
