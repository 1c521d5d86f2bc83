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


class _Needed:
    """Stands for a ``dim`` that has no default, so that it may be given as ``axis``."""

    def __repr__(self) -> str:
        return "<needed>"


NEEDED: Final = _Needed()


def renamed(parameters: Mapping[str, inspect.Parameter]) -> dict[str, str]:
    """The other names that a function with these parameters takes, by PyTorch's name. None for a ``dim`` that others
    without a default come after (``gather``): it is given by position."""
    listed = list(parameters.values())
    return {
        p.name: OTHER_NAMES[p.name]
        for k, p in enumerate(listed)
        if p.name in OTHER_NAMES and not (p.default is p.empty and any(q.default is q.empty for q in listed[k + 1 :]))
    }


def defaults_of(parameters: Mapping[str, inspect.Parameter], others: Mapping[str, str]) -> dict[str, Any]:
    """Default values by name, with ``NEEDED`` for an argument without one that has another name."""
    return {
        name: NEEDED if p.default is p.empty else p.default
        for name, p in parameters.items()
        if p.default is not p.empty or name in others
    }


def lines_for(function: str, others: Mapping[str, str], defaults: Mapping[str, Any]) -> list[str]:
    """Lines that look at the other names. They find ``same`` and the defaults, as ``default_dim``, in their scope."""
    lines = []
    for name, other in others.items():
        lines += [
            f"if {other} is not None:",
            f"    {name} = same({function!r}, {name!r}, {name}, default_{name}, {other})",
        ]
        if defaults[name] is NEEDED:
            lines += [f"if {name} is default_{name}:", f"    missing({function!r}, {name!r})"]
    return lines


def same(function: str, name: str, value: Any, default: Any, other: Any) -> Any:
    """What was given by the other name. DTypeError where it was given by both; a default that
    is written out counts as not given."""
    if value is not default:
        raise DTypeError(f"{function}() got both '{name}' and '{OTHER_NAMES[name]}', which mean the same")
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
    heads += [f"{other}=None" for other in others.values()]
    given = ", ".join([*positional, *[f"{name}={name}" for name in by_name]])
    name = function.__name__
    lines = [f"def made({', '.join(heads)}):", *lines_for(name, others, defaults), f"return function({given})"]
    scope: dict[str, Any] = {f"default_{key}": value for key, value in defaults.items()}
    scope |= {"function": function, "same": same, "missing": missing}
    exec(compile("\n    ".join(lines) + "\n", f"<nbgrad {name}>", "exec"), scope)
    made: Function = scope["made"]
    made.__name__ = made.__qualname__ = name
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    made.__annotations__ = dict(function.__annotations__)
    return made
