"""Guards: expressions that must give what they gave while a function was recorded, and their check at each call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.nn.parameter import Parameter
from nbgrad.nn.registry import changes
from nbgrad.trace.handle import Handle

VALUES: Final = frozenset([str, bytes, bool, type(None), float, int, complex, type(Ellipsis), range, slice])
_MADE_ANEW: Final = ("len(", "tuple(", "frozenset(", "bytes(", "hasattr(")  # such code gives another object each time


GONE: Final = (LookupError, AttributeError, ValueError, TypeError)  # what was there is there no more


class Guard(NamedTuple):
    """``code`` must give ``expected`` again: that object, or with ``by_value`` its equal. ``label`` is for people."""

    label: str
    code: str
    expected: Any
    by_value: bool


class Variable(NamedTuple):
    """A place where a number or a tensor stands, seen to change: ``code`` reads it, and can be assigned to."""

    label: str
    code: str
    value: Any


def is_assignable(code: str) -> bool:
    """Whether the place that ``code`` reads can be given another value."""
    return not code.startswith((*_MADE_ANEW, "vars(")) and ".__defaults__[" not in code


def agree(a: Guard | None, b: Guard | None) -> bool:
    return (
        a is not None and b is not None and (same(a.expected, b.expected) if a.by_value else a.expected is b.expected)
    )


def same(a: Any, b: Any) -> bool:
    """Whether two values, say numbers, are of one type and equal. NaN equals NaN; 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    return repr(a) == repr(b) if isinstance(a, (float, complex, np.inexact)) else bool(a == b)


def may_vary(before: Any, now: Any) -> bool:
    """Whether a place that held ``before`` and holds ``now`` can be bound at each call: two numbers, or two tensors."""
    if isinstance(before, Handle):
        return isinstance(now, Handle) and not isinstance(before, Parameter) and not isinstance(now, Parameter)
    return type(before) in (float, int) and type(now) is type(before)


class Check:
    """The guards as one compiled function, ``holds``, which may raise GONE: calling the check says whether all hold.
    ``broken`` says which do not."""

    def __init__(self, scope: dict[str, Any], guards: Sequence[Guard], attributes: Sequence[Guard]) -> None:
        self._guards = (*guards, *attributes)
        self._scope = {**scope, "same": same, "changes": changes, "known": [changes[0]]}
        self._scope["attributes"] = self._function([*map(self._term, attributes)])
        terms = [*map(self._term, guards)]
        if attributes:
            terms.append("(changes[0] == known[0] or (attributes() and not known.__setitem__(0, changes[0])))")
        self.holds = self._function(terms)

    def _term(self, guard: Guard) -> str:
        expected = f"e{len(self._scope)}"
        self._scope[expected] = guard.expected
        if guard.code.startswith(_MADE_ANEW):
            return f"{guard.code} == {expected}"
        is_same = f"{guard.code} is {expected}"
        return f"({is_same} or same({guard.code}, {expected}))" if guard.by_value else is_same

    def _function(self, terms: list[str]) -> Any:
        text = "def holds():\n    return (\n        " + " and\n        ".join(terms or ["True"]) + "\n    )"
        exec(compile(text, "<nbgrad guards>", "exec"), self._scope)
        return self._scope["holds"]

    def __call__(self) -> bool:
        try:
            return bool(self.holds())
        except GONE:
            return False

    def change(self, write: Callable[[Any], None], values: Any) -> None:
        """Write to places which these guards leave alone. Others may guard them, and are to look again."""
        known = self._scope["known"]
        is_up_to_date = known[0] == changes[0]
        write(values)
        changes[0] += 1
        if is_up_to_date:
            known[0] = changes[0]

    def broken(self) -> Iterator[str]:
        """The labels of the guards that do not hold."""
        for guard in self._guards:
            try:
                now = eval(guard.code, self._scope)
            except GONE:
                yield f"{guard.label} is there no more"
                continue
            if now is not guard.expected and not (guard.by_value and same(now, guard.expected)):
                yield f"{guard.label} was {_shown(guard.expected)}, is {_shown(now)}"


def _shown(x: Any) -> str:
    return repr(x) if type(x) in VALUES or isinstance(x, tuple) else f"another {type(x).__name__}"
