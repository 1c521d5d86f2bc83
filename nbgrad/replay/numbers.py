"""Numbers that know where they come from, in a recorded call: in places (attributes, items, variables) whose contents
change from call to call, or in the call itself; through Python's ``math``; and out of all places again. And how a
program asks for them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import BuiltinFunctionType, CellType, MemberDescriptorType
from typing import Any

from nbgrad.log import enabled
from nbgrad.number import Number, code_of, literal, value_of
from nbgrad.replay.arguments import HIGHEST, LOWEST
from nbgrad.replay.code import Code, indented
from nbgrad.replay.guards import Guard
from nbgrad.replay.readers import ABSENT, contents_of, entries_of, own_of, slot_of
from nbgrad.replay.recording import Assigned, Missed, Recording, Source
from nbgrad.system.interrupts import is_of_handler
from nbgrad.trace import Handle

_DEPTH = 6  # of what a call has made


class State:
    """The places of one recording. Numbers stand there as ``Number`` objects until ``close``; tensors are bound like
    arguments, after those."""

    def __init__(self, places: Sequence[Guard], functions: Sequence[Guard], recording: Recording) -> None:
        self._recording = recording
        self.tensors = [place for place in places if isinstance(place.expected, Handle)]
        self._numbers = [place for place in places if not isinstance(place.expected, Handle)]
        self._functions = functions  # places of ``math`` and what it consists of
        self._put: list[tuple[Guard, Number]] = []

    def begin(self) -> None:
        """Put numbers that know their place into their places; and a ``math`` that can reckon with them."""
        for place in self._functions:
            place.put(Module() if place.expected is math else Function(place.expected))
        self._put = [(place, self._ask(place)) for place in self._numbers]

    def _ask(self, place: Guard) -> Number:
        """Have the place read from here on at each call."""
        read, name = place.now, f"s{len(self._recording.sources)}[0]"
        now = read()
        self._recording.sources.append(Source(lambda: (read(),)))
        self._recording.conditions.append(f"type({name}) is {type(now).__name__}")
        place.put(number := Number(now, name, self._recording.conditions))
        return number

    def asked(self, source: Source) -> tuple[str, Any]:
        """Have ``source`` asked from here on at each call: its name, and what it gives. It finds plain numbers in the
        places, those that the call has put there by now; what it leaves there is read anew."""
        sources = self._recording.sources
        for place, number in self._put:
            if (now := place.now()) is not number:
                sources.append(_assigned(place, number, now))
            place.put(value_of(now))
        name = f"s{len(sources)}"
        sources.append(source)
        try:
            return name, source.ask()
        finally:
            self._put = [(place, self._ask(place)) for place, _ in self._put]

    def close(self, refuse: Callable[[str], None]) -> None:
        """Plain numbers stand in the places again; what the call has put there is noted."""
        functions, self._functions = self._functions, ()
        for place in functions:
            place.put(place.expected)
        put, self._put = self._put, []
        for place, number in put:
            if (now := place.found()) is ABSENT:
                refuse(f"the call deletes {place.label}")
                continue
            place.put(plain := value_of(now))
            if now is number:
                continue
            if type(plain) is not type(place.expected):
                refuse(f"the call changes {place.label} from {place.expected!r} to {plain!r}")
            else:
                self._recording.sources.append(_assigned(place, number, now))

    def tensors_now(self, refuse: Callable[[str], None]) -> list[Any]:
        """What stands in the tensors' places."""
        found = [place.found() for place in self.tensors]
        for place in [place for place, a in zip(self.tensors, found, strict=True) if a is ABSENT]:
            refuse(f"the call deletes {place.label}")
        return found

    def put_tensors(self, tensors: Sequence[Any]) -> None:
        for place, tensor in zip(self.tensors, tensors, strict=True):
            place.put(tensor)


def _assigned(place: Guard, before: Number, now: Any) -> Assigned:
    return Assigned(place, before.code, code_of(now), value_of(now))


def asking(code: Code, recording: Recording) -> list[str]:
    """Lines that ask for the numbers of a call, after its arguments ``a0``...: ``scalars`` are all numbers of the tape,
    ``n`` those that are returned, by code. Into ``done`` comes what takes back that sources were asked and numbers put
    into places. Missed where they cannot be computed, or a decision comes out otherwise."""
    lines = [f"a{k} = position_of({code.tensor(p)})" for k, p in enumerate(recording.positions, recording.n_numbers)]
    for k, source in enumerate(recording.sources):
        if isinstance(source, Assigned):
            put = code.name_of(source.place.put)
            lines += [f"done.append(partial({put}, {source.before}))", f"{put}({source.code or literal(source.value)})"]
        else:
            undo = [f"done.append({code.name_of(source.undo)})"] if source.undo is not None else []
            ask = f"{code.name_of(source.ask)}()"
            lines += [*undo, ask] if source.is_effect else [f"s{k} = {ask}", *undo]
    whole = [text for text, x in zip(recording.codes, recording.numbers, strict=True) if text and type(x) is int]
    conditions = [*dict.fromkeys([*recording.conditions, *[f"{LOWEST} <= {text} <= {HIGHEST}" for text in whole]])]
    if conditions:
        decided = f"decided({code.name_of(conditions)}, locals())"
        lines += [f"if not ({' and '.join([f'({c})' for c in conditions])}):", f"    raise {decided}"]
    items = code.name_of(tuple(recording.numbers))  # one tuple for all calls: who has looked at it need not look again
    if any(recording.codes):
        items = f"[{', '.join([text or f'{items}[{k}]' for k, text in enumerate(recording.codes)])}]"
    lines += [f"scalars, n = {items}, {{{', '.join([f'{text!r}: {text}' for text in recording.output.numbers])}}}"]
    return ["try:", *indented(lines), "except Exception as error:", "    raise_missed(error)", "    raise"]


def take_back(done: Sequence[Callable[[], None]]) -> None:
    """The call does not happen: undo, last things first, what asking has counted up and set."""
    for undo in reversed(done):
        undo()


def raise_missed(error: Exception) -> None:
    """Where a number cannot be computed, or an effect raises, the function itself raises that, in its place."""
    if not isinstance(error, Missed) and not is_of_handler(error):
        raise Missed(f"a number cannot be computed, or an effect raises {type(error).__name__}") from None


def decided(conditions: Sequence[str], names: dict[str, Any]) -> Missed:
    """What to raise where not all conditions over ``names`` hold."""
    which = [c for c in conditions if not eval(c, {"math": math}, names)][:1] if enabled("compile") else []
    text = "a decision that was taken by a number comes out otherwise"
    return Missed(text + "".join([f": {c} is no longer true" for c in which]))


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


def original(x: Any) -> Any:
    """What another thread's recording has put something else in the place of."""
    return x.original if type(x) is Module or type(x) is Function else x


def make_plain(places: Iterable[Any], made: Iterable[Any] = ()) -> list[Any]:
    """Put plain numbers into ``places``, and into what is inside ``made`` objects; gives what to put in their place."""
    for x in [*places]:
        _clean(x, 1)
    return [_plain(x, _DEPTH + 1) for x in made]


def _plain(x: Any, depth: int) -> Any:
    """What to put in the place of ``x``: itself, but for those, and tuples of some."""
    if type(x) is Number:
        return x.value
    if isinstance(x, tuple):
        items = [_plain(item, depth) for item in tuple.__iter__(x)]
        if any(new is not item for new, item in zip(items, tuple.__iter__(x), strict=True)):
            return tuple.__new__(type(x), items)
    elif depth > 1:
        _clean(x, depth - 1)
    return x


def _clean(x: Any, depth: int) -> None:
    """Exchange what is in ``x``."""
    if isinstance(x, (dict, set)):
        _clean_keys(x, depth)
    for inner, put in [*_places_in(x)]:
        if (new := _plain(inner, depth)) is not inner:
            put(new)
    if depth > 1 and not isinstance(x, (dict, type)) and type(inside := own_of.found(x)) is dict:
        _clean(inside, depth)


def _clean_keys(x: Any, depth: int) -> None:
    """Of a dict or set, which keep their order."""
    base: Any = dict if isinstance(x, dict) else set
    keys = [*base.__iter__(x)]
    plain = [_plain(key, depth) for key in keys]
    if any(new is not old for new, old in zip(plain, keys, strict=True)):
        again = plain if base is set else zip(plain, [*dict.values(x)], strict=True)
        base.clear(x)
        base.update(x, again)


def _places_in(x: Any) -> Iterator[tuple[Any, Callable[[Any], object]]]:
    """(what stands in a place of ``x``, what puts something else there)."""
    if isinstance(x, dict):
        yield from [(item, partial(dict.__setitem__, x, key)) for key, item in dict.items(x)]
    elif isinstance(x, (list, deque)):
        base: Any = list if isinstance(x, list) else deque
        yield from [(item, partial(base.__setitem__, x, k)) for k, item in enumerate(base.__iter__(x))]
    elif isinstance(x, BaseException):
        yield x.args, partial(setattr, x, "args")
    elif type(x) is CellType and contents_of.found(x) is not ABSENT:
        yield x.cell_contents, partial(setattr, x, "cell_contents")
    if isinstance(x, type) or type(x).__module__.startswith(("builtins", "nbgrad")):
        return
    for member in [m for base in type(x).__mro__ for m in entries_of(base).values() if type(m) is MemberDescriptorType]:
        if (now := slot_of.found(member, x)) is not ABSENT:
            yield now, partial(member.__set__, x)
