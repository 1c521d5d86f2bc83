"""Places (attributes, items, variables) whose numbers and tensors change from call to call, or in the call itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbgrad.number import Number, value_of
from nbgrad.replay.guards import GONE, Guard
from nbgrad.replay.mathematics import stand_in
from nbgrad.replay.recording import Assigned, Source
from nbgrad.trace.handle import Handle


class State:
    """The places of one recording. Numbers stand there as ``Number`` objects until ``close``; tensors are bound like
    arguments, after those. ``assigned`` are the numbers that the call leaves."""

    def __init__(self, places: Sequence[Guard], functions: Sequence[Guard]) -> None:
        self.tensors = [place for place in places if isinstance(place.expected, Handle)]
        self.assigned: list[Assigned] = []
        self._numbers = [place for place in places if not isinstance(place.expected, Handle)]
        self._functions = functions  # places of ``math`` and what it consists of
        self._put: list[tuple[Guard, Number]] = []
        self._last: dict[int, Any] = {}  # what stood in a place when it was looked at last

    def begin(self, sources: list[Source], conditions: list[str]) -> None:
        """Put numbers that know their place into their places; and a ``math`` that can reckon with them."""
        for place in self._functions:
            place.put(stand_in(place.expected))
        self._put = [(place, _ask(place, sources, conditions)) for place in self._numbers]

    def note(self, sources: list[Source]) -> None:
        """Numbers that the call has put into places by now are put there before more are asked for."""
        for place, number in self._put:
            now = place.now()
            if now is not self._last.get(id(place), number):
                self._last[id(place)] = now
                sources.append(Source(_nothing, _nothing, True, _assigned(place, now)))

    def affect(self, effect: Callable[[], None], sources: list[Source], conditions: list[str]) -> None:
        """Call ``effect``, which finds plain numbers in the places; what it leaves there is read at each call."""
        for place, _ in self._put:
            place.put(value_of(place.now()))
        effect()
        self._put = [(place, _ask(place, sources, conditions)) for place, _ in self._put]
        self._last = {}

    @contextmanager
    def plain(self) -> Iterator[None]:
        """Plain numbers stand in the places meanwhile."""
        now = [(place, place.now()) for place, _ in self._put]
        for place, number in now:
            place.put(value_of(number))
        try:
            yield
        finally:
            for place, number in now:
                place.put(number)

    def close(self, refuse: Callable[[str], None]) -> None:
        """Plain numbers stand in the places again; what the call has put there is noted."""
        functions, self._functions = self._functions, ()
        for place in functions:
            place.put(place.expected)
        put, self._put = self._put, []
        for place, number in put:
            try:
                now = place.now()
            except GONE:
                refuse(f"the call deletes {place.label}")
                continue
            place.put(plain := value_of(now))
            if now is number:
                continue
            if type(plain) is not type(place.expected):
                refuse(f"the call changes {place.label} from {place.expected!r} to {plain!r}")
            else:
                self.assigned.append(_assigned(place, now))

    def tensors_now(self, refuse: Callable[[str], None]) -> list[Any]:
        """What stands in the tensors' places."""
        found = []
        for place in self.tensors:
            try:
                found.append(place.now())
            except GONE:
                refuse(f"the call deletes {place.label}")
        return found

    def put_tensors(self, tensors: Sequence[Any]) -> None:
        for place, tensor in zip(self.tensors, tensors, strict=True):
            place.put(tensor)


def _assigned(place: Guard, now: Any) -> Assigned:
    return Assigned(place, now.code if type(now) is Number else None, value_of(now))


def _ask(place: Guard, sources: list[Source], conditions: list[str]) -> Number:
    """Have the place read from here on at each call."""
    now, name = place.now(), f"s{len(sources)}[0]"
    sources.append(Source(lambda: (place.now(),), _nothing))
    conditions.append(f"type({name}) is {type(now).__name__}")
    place.put(number := Number(now, name, conditions))
    return number


def _nothing() -> None:
    """Reading a place counts nothing up."""
