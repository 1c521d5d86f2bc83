"""Places (attributes, items, variables) whose numbers and tensors change from call to call, or in the call itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbgrad.number import Number, value_of
from nbgrad.replay.bind import Code
from nbgrad.replay.guards import Variable
from nbgrad.replay.mathematics import stand_in
from nbgrad.replay.recording import Assigned, Source
from nbgrad.trace.handle import Handle


class State:
    """The places of one recording. Numbers stand there as ``Number`` objects until ``close``; tensors are bound like
    arguments, after those. ``assigned`` are the numbers that the call leaves."""

    def __init__(
        self, variables: Sequence[Variable], functions: Sequence[tuple[str, Any]], scope: dict[str, Any]
    ) -> None:
        self.tensors = [v for v in variables if isinstance(v.value, Handle)]
        self.assigned: list[Assigned] = []
        self._numbers = [v for v in variables if not isinstance(v.value, Handle)]
        self._functions = functions  # places of ``math`` and what it consists of
        self._scope = scope
        self._put: list[tuple[Variable, Number]] = []
        self._last: dict[str, Any] = {}  # what stood in a place when it was looked at last

    def begin(self, sources: list[Source], conditions: list[str]) -> None:
        """Put numbers that know their place into their places; and a ``math`` that can reckon with them."""
        for place, function in self._functions:
            self._assign(place, stand_in(function))
        self._put = [(variable, self._ask(variable, sources, conditions)) for variable in self._numbers]

    def _ask(self, variable: Variable, sources: list[Source], conditions: list[str]) -> Number:
        """Have the place of ``variable`` read from here on at each call."""
        now = eval(variable.code, self._scope)
        name = f"s{len(sources)}[0]"
        sources.append(Source(reader(variable.code, self._scope), _nothing))
        conditions.append(f"type({name}) is {type(now).__name__}")
        number = Number(now, name, conditions)
        self._assign(variable.code, number)
        return number

    def note(self, sources: list[Source]) -> None:
        """Numbers that the call has put into places by now are put there before more are asked for."""
        for variable, number in self._put:
            now = eval(variable.code, self._scope)
            if now is not self._last.get(variable.code, number):
                self._last[variable.code] = now
                code = now.code if type(now) is Number else None
                sources.append(Source(_nothing, _nothing, True, Assigned(variable.code, code, value_of(now))))

    def affect(self, effect: Callable[[], None], sources: list[Source], conditions: list[str]) -> None:
        """Call ``effect``, which finds plain numbers in the places; what it leaves there is read at each call."""
        for variable, _ in self._put:
            self._assign(variable.code, value_of(eval(variable.code, self._scope)))
        effect()
        self._put = [(variable, self._ask(variable, sources, conditions)) for variable, _ in self._put]
        self._last = {}

    @contextmanager
    def plain(self) -> Iterator[None]:
        """Plain numbers stand in the places meanwhile."""
        now = [(variable.code, eval(variable.code, self._scope)) for variable, _ in self._put]
        for place, number in now:
            self._assign(place, value_of(number))
        try:
            yield
        finally:
            for place, number in now:
                self._assign(place, number)

    def close(self, refuse: Callable[[str], None]) -> None:
        """Plain numbers stand in the places again; what the call has put there is noted."""
        functions, self._functions = self._functions, ()
        for place, function in functions:
            self._assign(place, function)
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
    code = Code(dict(scope))
    code.lines = [f"{place} = values[{k}]" for k, place in enumerate(places)]
    return code.function("write(values)")  # type: ignore[no-any-return]


def _nothing() -> None:
    """Reading a place counts nothing up."""
