"""NumPy's names for ``dim`` and ``keepdim``: ``x.sum(axis=0, keepdims=True)``, which PyTorch takes beside its own.

A function that takes them is written as source, so that a call without them pays for two comparisons and no more.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from nbgrad.errors import DTypeError

Function = TypeVar("Function", bound=Callable[..., Any])

OTHER_NAMES: Final = {"dim": "axis", "keepdim": "keepdims"}


class Unsaid:
    """Stands for an argument that a call does not give, so that a default that is written out is not taken for one. In
    a signature it looks like the default."""

    __slots__ = ("shown",)

    def __init__(self, shown: object) -> None:
        self.shown = shown

    def __repr__(self) -> str:
        return "<needed>" if self.shown is inspect.Parameter.empty else repr(self.shown)


UNSAID: Final = Unsaid(None)  # what the other names have


def renamed(parameters: Mapping[str, inspect.Parameter]) -> dict[str, str]:
    """The other names that a function with these parameters takes, by PyTorch's name."""
    return {name: OTHER_NAMES[name] for name in parameters if name in OTHER_NAMES}


def defaults_of(parameters: Mapping[str, inspect.Parameter], others: Mapping[str, str]) -> dict[str, Any]:
    """What stands in the signature where an argument may be left out, by name: also where one is needed and another
    that has a second name comes before it (``gather(x, axis=0, index=places)``)."""
    defaults: dict[str, Any] = {}
    for name, p in parameters.items():
        if name in others or (p.default is p.empty and defaults and p.kind is p.POSITIONAL_OR_KEYWORD):
            defaults[name] = Unsaid(p.default)
        elif p.default is not p.empty:
            defaults[name] = p.default
    return defaults


def lines_for(function: str, others: Mapping[str, str], defaults: Mapping[str, Any]) -> list[str]:
    """Lines that look at the other names. They find ``scope_for`` in their scope."""
    lines = []
    for name, default in defaults.items():
        needed = type(default) is Unsaid and default.shown is inspect.Parameter.empty
        if name in others:
            other = others[name]
            lines += [
                f"if {other} is not unsaid:",
                f"    {name} = same({function!r}, {name!r}, {name}, default_{name}, {other})",
                f"elif {name} is default_{name}:",
                f"    missing({function!r}, {name!r})" if needed else f"    {name} = else_{name}",
            ]
        elif needed:
            lines += [f"if {name} is default_{name}:", f"    missing({function!r}, {name!r})"]
    return lines


def scope_for(others: Mapping[str, str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The names in a function's source: its defaults, and what ``lines_for`` reads."""
    scope: dict[str, Any] = {"missing": missing, "same": same, "unsaid": UNSAID}
    scope |= {f"default_{name}": default for name, default in defaults.items()}
    return scope | {f"else_{name}": defaults[name].shown for name in others}


def same(function: str, name: str, value: Any, default: Any, other: Any) -> Any:
    """What was given by the other name. DTypeError where it was given by both, or is a truth value for ``axis``: such a
    ``dim`` is ``unbiased`` in ``var(x, False)``."""
    if value is not default:
        raise DTypeError(f"{function}() got both '{name}' and '{OTHER_NAMES[name]}', which mean the same")
    if name == "dim" and isinstance(other, bool):
        raise DTypeError(f"{function}(): argument 'axis' must be int or tuple of ints or None, not bool")
    return other


def missing(function: str, name: str) -> None:
    """The error of an argument that was given by neither name, in Python's words."""
    raise DTypeError(f"{function}() missing 1 required positional argument: '{name}'")


def numpy_names(function: Function) -> Function:
    """``function``, taking ``axis`` and ``keepdims`` for its ``dim`` and ``keepdim``, too.

    >>> from nbgrad.calls.numpy_names import numpy_names
    >>> along = numpy_names(lambda x, dim=0: (x, dim))
    >>> along("rows"), along("columns", axis=1)
    (('rows', 0), ('columns', 1))
    """
    parameters = inspect.signature(function).parameters
    others = renamed(parameters)
    defaults = defaults_of(parameters, others)
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    by_name = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    heads = [f"{name}=default_{name}" if name in defaults else name for name in (*positional, *by_name)]
    heads.insert(len(positional), "*")
    heads += [f"{other}=unsaid" for other in others.values()]
    given = ", ".join([*positional, *[f"{name}={name}" for name in by_name]])
    name = function.__name__
    lines = [f"def made({', '.join(heads)}):", *lines_for(name, others, defaults), f"return function({given})"]
    scope = scope_for(others, defaults) | {"function": function}
    exec(compile("\n    ".join(lines) + "\n", f"<nbgrad {name}>", "exec"), scope)
    made: Function = scope["made"]
    made.__name__ = made.__qualname__ = name
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    made.__annotations__ = dict(function.__annotations__)
    return made
