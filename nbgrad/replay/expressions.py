"""The numbers of a program as Python functions: compiled from the expressions that a recording wrote down."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nbgrad.number import Plain
from nbgrad.replay.recording import Recording
from nbgrad.replay.results import codes_in
from nbgrad.replay.state import reader, writer
from nbgrad.replay.walk import Reach


def _unpacked(recording: Recording) -> list[str]:
    """Lines that give sources' numbers ``s`` and arguments ``a`` their names."""
    lines = [f"    s{k} = s[{k}]" for k, source in enumerate(recording.sources) if not source.is_effect]
    return lines + [f"    a{k} = a[{k}]" for k in range(recording.n_numbers)]


Setter = tuple[Callable[..., Plain], Callable[[], Any], Callable[..., None]]


def setters_of(recording: Recording, reach: Reach) -> dict[int, Setter]:
    """By number of source, for those that set a number: (sources' and arguments' numbers -> it, who reads the place,
    who writes it)."""
    found = {}
    for k, source in enumerate(recording.sources):
        if source.assigned is not None:
            place, code, value = source.assigned
            scope: dict[str, Any] = {"value": value, "math": math}
            lines = ["def number(s, a):", *_unpacked(recording), f"    return {code or 'value'}"]
            exec(compile("\n".join(lines), "<nbgrad number>", "exec"), scope)
            found[k] = scope["number"], reader(place, reach.scope), writer([place], reach.scope)
    return found


def numbers_function(recording: Recording) -> tuple[Callable[..., Any], Callable[..., tuple[dict[str, Plain], Any]]]:
    """(sources' and arguments' numbers -> all numbers of the tape, None where a condition does not hold; the same ->
    the numbers that are returned, by code, and those that are left in places)."""
    scope: dict[str, Any] = {"math": math}
    items = []
    for k, (value, code) in enumerate(zip(recording.numbers, recording.codes, strict=True)):
        if code is None:
            scope[f"c{k}"] = value
        items.append(f"c{k}" if code is None else code)
    head = _unpacked(recording)
    conditions = dict.fromkeys(recording.conditions)
    lines = ["def numbers(s, a):", *head]
    if conditions:
        lines += [f"    if not ({' and '.join([f'({c})' for c in conditions])}):", "        return None"]
    if any(code is not None for code in recording.codes):
        lines.append(f"    return [{', '.join(items)}]")
    else:  # one tuple for all calls: who has looked at it before need not look again
        scope["constants"] = tuple(recording.numbers)
        lines.append("    return constants")
    codes, left = codes_in(recording.output.shape), []
    for k, assigned in enumerate(recording.assigned):
        scope[f"p{k}"] = assigned.value
        left.append(assigned.code or f"p{k}")
    if codes or left:
        by_code = f"{{{', '.join([f'{c!r}: {c}' for c in codes])}}}"
        lines += ["def returned(s, a):", *head, f"    return {by_code}, [{', '.join(left)}]"]
    exec(compile("\n".join(lines), "<nbgrad numbers>", "exec"), scope)
    return scope["numbers"], scope.get("returned", lambda s, a: ({}, ()))


def broken_condition(recording: Recording, asked: list[Any], numbers: list[Plain]) -> str:
    """The first condition that does not hold for these numbers of sources and arguments, as Python writes it."""
    for condition in recording.conditions:
        scope: dict[str, Any] = {"math": math}
        lines = ["def holds(s, a):", *_unpacked(recording), f"    return {condition}"]
        exec(compile("\n".join(lines), "<nbgrad condition>", "exec"), scope)
        if not scope["holds"](asked, numbers):
            return f"{condition} is no longer true"
    raise AssertionError("all conditions hold")
