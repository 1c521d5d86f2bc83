"""Places (attributes, items, variables) whose numbers and tensors change from call to call, or in the call itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.number import Number, value_of
from nbgrad.replay.guards import Variable
from nbgrad.replay.recording import Assigned, Source
from nbgrad.trace.handle import Handle


class State:
    """The places of one recording. Numbers stand there as ``Number`` objects until ``close``; tensors are bound like
    arguments, after those. ``assigned`` are the numbers that the call leaves."""

    def __init__(self, variables: Sequence[Variable], scope: dict[str, Any]) -> None:
        self.tensors = [v for v in variables if isinstance(v.value, Handle)]
        self.assigned: list[Assigned] = []
        self._numbers = [v for v in variables if not isinstance(v.value, Handle)]
        self._scope = scope
        self._put: list[tuple[Variable, Number]] = []

    def begin(self, sources: list[Source], conditions: list[str]) -> None:
        """Put numbers that know their place into their places."""
        for variable in self._numbers:
            name = f"s{len(sources)}[0]"
            sources.append(Source(reader(variable.code, self._scope), _nothing))
            conditions.append(f"type({name}) is {type(variable.value).__name__}")
            number = Number(variable.value, name, conditions)
            self._assign(variable.code, number)
            self._put.append((variable, number))

    def close(self, refuse: Callable[[str], None]) -> None:
        """Plain numbers stand in the places again; what the call has put there is noted."""
        put, self._put = self._put, []
        for variable, number in put:
            now = eval(variable.code, self._scope)
            plain = value_of(now)
            self._assign(variable.code, plain)
            if now is number:
                continue
            if type(plain) is not type(variable.value):
                refuse(f"the call changes {variable.label} from {variable.value!r} to {plain!r}")
            else:
                self.assigned.append(Assigned(variable.code, now.code if type(now) is Number else None, plain))

    def tensors_now(self, refuse: Callable[[str], None]) -> list[Any]:
        """What stands in the tensors' places."""
        found = []
        for variable in self.tensors:
            try:
                found.append(eval(variable.code, self._scope))
            except (LookupError, AttributeError):
                refuse(f"the call deletes {variable.label}")
        return found

    def put_tensors(self, tensors: Sequence[Any]) -> None:
        for variable, tensor in zip(self.tensors, tensors, strict=True):
            self._assign(variable.code, tensor)

    def _assign(self, place: str, value: Any) -> None:
        exec(f"{place} = _value", self._scope, {"_value": value})


def reader(place: str, scope: dict[str, Any]) -> Callable[[], tuple[Any]]:
    """A function that gives what stands in ``place``, in a tuple."""
    return eval(f"lambda: ({place},)", scope)  # type: ignore[no-any-return]


def writer(places: Sequence[str], scope: dict[str, Any]) -> Callable[[Sequence[Any]], None]:
    """A function that puts values into ``places``."""
    lines = ["def write(values):", *[f"    {place} = values[{k}]" for k, place in enumerate(places)]]
    own = dict(scope)
    exec(compile("\n".join(lines), "<nbgrad state>", "exec"), own)
    return own["write"]  # type: ignore[no-any-return]


def _nothing() -> None:
    """Reading a place counts nothing up."""
