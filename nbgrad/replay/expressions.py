"""The numbers of a program as Python functions: compiled from the expressions that a recording wrote down."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nbgrad.number import Plain
from nbgrad.replay.bind import Code
from nbgrad.replay.recording import Recording
from nbgrad.replay.results import parts_in
from nbgrad.replay.state import reader, writer
from nbgrad.replay.walk import Reach


def _function_of(recording: Recording, expression: str, **scope: Any) -> Any:
    """The function (sources' and arguments' numbers) -> what ``expression`` gives."""
    code = Code(scope | {"math": math})
    code.lines = [*_unpacked(recording), f"return {expression}"]
    return code.function("number(s, a)")


def _unpacked(recording: Recording) -> list[str]:
    """Lines that give sources' numbers ``s`` and arguments ``a`` their names."""
    lines = [f"s{k} = s[{k}]" for k, source in enumerate(recording.sources) if not source.is_effect]
    return lines + [f"a{k} = a[{k}]" for k in range(recording.n_numbers)]


Setter = tuple[Callable[..., Plain], Callable[[], Any], Callable[..., None]]


def setters_of(recording: Recording, reach: Reach) -> dict[int, Setter]:
    """By number of source, for those that set a number: (sources' and arguments' numbers -> it, who reads the place,
    who writes it)."""
    found = {}
    for k, source in enumerate(recording.sources):
        if source.assigned is not None:
            place, code, value = source.assigned
            number = _function_of(recording, code or "value", value=value)
            found[k] = number, reader(place, reach.scope), writer([place], reach.scope)
    return found


def numbers_function(recording: Recording) -> tuple[Callable[..., Any], Callable[..., tuple[dict[str, Plain], Any]]]:
    """(sources' and arguments' numbers -> all numbers of the tape, None where a condition does not hold; the same ->
    the numbers that are returned, by code, and those that are left in places)."""
    scope: dict[str, Any] = {f"c{k}": value for k, value in enumerate(recording.numbers)}
    if any(code is not None for code in recording.codes):
        items = f"[{', '.join([code or f'c{k}' for k, code in enumerate(recording.codes)])}]"
    else:  # one tuple for all calls: who has looked at it before need not look again
        scope, items = {"constants": tuple(recording.numbers)}, "constants"
    if conditions := " and ".join([f"({c})" for c in dict.fromkeys(recording.conditions)]):
        items = f"{items} if {conditions} else None"
    numbers = _function_of(recording, items, **scope)
    codes = parts_in(recording.output.shape, "number")
    if not (codes or recording.assigned):
        return numbers, lambda s, a: ({}, ())
    by_code = ", ".join([f"{c!r}: {c}" for c in codes])
    left = ", ".join([assigned.code or f"p{k}" for k, assigned in enumerate(recording.assigned)])
    values = {f"p{k}": assigned.value for k, assigned in enumerate(recording.assigned)}
    return numbers, _function_of(recording, f"({{{by_code}}}, [{left}])", **values)


def broken_condition(recording: Recording, asked: list[Any], numbers: list[Plain]) -> str:
    """The first condition that does not hold for these numbers of sources and arguments, as Python writes it."""
    for condition in recording.conditions:
        if not _function_of(recording, condition)(asked, numbers):
            return f"{condition} is no longer true"
    raise AssertionError("all conditions hold")
