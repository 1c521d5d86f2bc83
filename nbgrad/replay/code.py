"""Python functions that are written line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Code:
    """A Python function that is written line by line: the objects it names, and the lines. ``argument`` is how an
    argument tensor is written, with {} for its place."""

    def __init__(self, scope: dict[str, Any], argument: str = "t[{}]") -> None:
        self.scope = scope
        self.lines: list[str] = []
        self._argument = argument

    def name_of(self, x: Any) -> str:
        """A name for ``x`` in the code."""
        name = f"x{len(self.scope)}"
        self.scope[name] = x
        return name

    def tensor(self, place: tuple[str, Any]) -> str:
        """An expression for the tensor at ``place``."""
        kind, what = place
        if kind in ("held", "external"):
            return self.name_of(what)
        return self._argument.format(what) if kind == "argument" else f"{self.tensor(what)}._grad"

    def function(self, head: str) -> Any:
        """The function with this head, say ``f(x)``, of the lines."""
        exec(compile("\n    ".join([f"def {head}:", *self.lines]), "<nbgrad replay>", "exec"), self.scope)
        return self.scope[head.partition("(")[0]]


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
