"""The code that writes a group's entry, and the code that sweeps back through it, as LLVM text.

An entry is ``{f64 partials[], u32 places[], u32 group}``, without padding. Constants are part of the code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from nbgrad.numba.differentiate.tape import (
    ADJOINT,
    AT,
    END,
    FAILED,
    NEXT,
    PLACE,
    STEP_ENTRY,
    STEP_GROUP,
    TAPE_OF_STEP,
)

ZERO: Final = ("0", "undef", "poison")
_GROW: Final = "nbgrad_grow"
_FINITE: Final = re.compile(r"-?\d\.\d+e[+-]\d+")
_CONSTANTS: Final = {"1.000000e+00": 1, "-1.000000e+00": -1, "0.000000e+00": 0, "-0.000000e+00": 0}


class Edge(NamedTuple):
    """An operand, as the names of values: its place, the partial derivative by it, and that one's tangent."""

    place: str
    partial: str
    tangent: str = ""


class Record(NamedTuple):
    name: str
    tape: str
    edges: tuple[Edge, ...]


class Entries:
    """The groups of a module."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], int] = {}
        self._text: list[str] = []
        self._calls = 0

    def written(self, records: Sequence[Record], seen: Sequence[str]) -> list[str]:
        """The instructions that write an entry for these records, and give places to those that are ``seen``."""
        inside = [record.name for record in records]
        places = _distinct(e.place for r in records for e in r.edges if e.place not in inside)
        partials = _distinct(x for r in records for e in r.edges for x in e[1:] if x.startswith("%"))
        names = {name: f"%r{k}" for k, name in enumerate(inside)}
        names |= {place: f"%p{k}" for k, place in enumerate(places)}
        names |= {partial: f"%d{k}" for k, partial in enumerate(partials)}
        shape = tuple(
            [(names[r.name], tuple([tuple([names.get(x, x) for x in e if x]) for e in r.edges])) for r in records]
        )
        group = _Group(shape, tuple([names[name] for name in seen]), len(places), len(partials))
        number = self._known.get(group)
        if number is None:
            number = self._known[group] = len(self._known) + 1
            self._text += [*_writer(group, number), *_back(group, number)]
        self._calls += 1
        base = f"%nbgrad.{self._calls}"
        given = ", ".join([f"ptr {records[0].tape}", *[f"i64 {x}" for x in places], *[f"double {x}" for x in partials]])
        lines = [f"  {base} = call i64 @nbgrad_write.{number}({given})", f"  {base}.no = icmp eq i64 {base}, 0"]
        for k, name in enumerate(seen):
            lines.append(f"  {base}.{k} = add i64 {base}, {k}")
            lines.append(f"  {name} = select i1 {base}.no, i64 0, i64 {base}.{k}")
        return lines

    def text(self, name: str, grow: str) -> str:
        """All that the module has to have for its groups, and ``i64 name(at, place, g, h)``: a chunk's sweep."""
        last = len(self._known) + 1  # for steps
        numbers = range(1, last + 1)
        cases = " ".join([f"i32 {STEP_GROUP if k == last else k}, label %group{k}" for k in numbers])
        lines = [
            *_back_of_step(last),
            f"define internal void @{_GROW}(ptr %tape) cold noinline {{",
            "  %result = alloca ptr",
            "  %error = alloca ptr",
            "  %word = ptrtoint ptr %tape to i64",
            f"  %status = call i32 @{grow}(ptr %result, ptr %error, i64 %word)",
            "  ret void",
            "}",
            f"define i64 @{name}(i64 %at.0, i64 %place.0, ptr %g, ptr %h) {{",
            "start:",
            "  br label %next",
            "next:",
            _phi("at", "start", [f"group{k}" for k in numbers]),
            _phi("place", "start", [f"group{k}" for k in numbers]),
            *_load("i32", "number", "%at", -4),
            f"  switch i32 %number, label %end [ {cases} ]",
            "end:",
            "  ret i64 %place",
        ]
        for k in numbers:
            lines += [
                f"group{k}:",
                f"  %both{k} = call {{i64, i64}} @nbgrad_back.{k}(i64 %at, i64 %place, ptr %g, ptr %h)",
                f"  %at.{k} = extractvalue {{i64, i64}} %both{k}, 0",
                f"  %place.{k} = extractvalue {{i64, i64}} %both{k}, 1",
                "  br label %next",
            ]
        return "\n".join([*self._text, *lines, "}", ""])


class _Group(NamedTuple):
    """What the code of an entry depends on; names are ``%r`` of records, ``%p`` of places, ``%d`` of numbers."""

    records: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    seen: tuple[str, ...]
    places: int
    partials: int

    @property
    def size(self) -> int:
        """In bytes: at least 4 for each result, so that ``MOST_PLACES`` holds."""
        return max(8 * self.partials + 4 * self.places + 4, 4 * len(self.seen))


def _distinct(names: object) -> list[str]:
    return list(dict.fromkeys(names))  # type: ignore[call-overload]


def _phi(name: str, start: str, others: Sequence[str]) -> str:
    incoming = [f"[ %{name}.0, %{start} ]", *[f"[ %{name}.{k + 1}, %{other} ]" for k, other in enumerate(others)]]
    return f"  %{name} = phi i64 {', '.join(incoming)}"


def _address(name: str, base: str, offset: int) -> list[str]:
    return [f"  %{name}.a = add i64 {base}, {offset}", f"  %{name}.p = inttoptr i64 %{name}.a to ptr"]


def _load(kind: str, name: str, base: str, offset: int) -> list[str]:
    return [*_address(name, base, offset), f"  %{name} = load {kind}, ptr %{name}.p, align 4"]


def _word(name: str, k: int) -> list[str]:
    return [f"  %{name}.p = getelementptr i64, ptr %tape, i64 {k}", f"  %{name} = load i64, ptr %{name}.p"]


def _writer(group: _Group, number: int) -> list[str]:
    """``i64 (tape, places, partials)``: the first place of the results; 0 where all operands' are."""
    places, partials = [f"%p{k}" for k in range(group.places)], [f"%d{k}" for k in range(group.partials)]
    given = ", ".join(["ptr noalias %tape", *[f"i64 {x}" for x in places], *[f"double {x}" for x in partials]])
    lines = [f"define internal i64 @nbgrad_write.{number}({given}) alwaysinline nounwind {{", "start:"]
    some = places[0]
    for k, place in enumerate(places[1:]):
        lines.append(f"  %some{k} = or i64 {some}, {place}")
        some = f"%some{k}"
    lines += [
        f"  %is_none = icmp eq i64 {some}, 0",
        "  br i1 %is_none, label %end, label %check",
        "check:",
        *_word("at.0", AT),
        *_word("room", END),
        f"  %after.0 = add i64 %at.0, {group.size}",
        "  %is_full = icmp ugt i64 %after.0, %room",
        "  br i1 %is_full, label %full, label %write",
        "full:",
        f"  call void @{_GROW}(ptr %tape)",
        *_word("at.1", AT),
        "  br label %write",
        "write:",
        _phi("at", "check", ["full"]),
        *_word("next", NEXT),
    ]
    for k, partial in enumerate(partials):
        lines += [*_address(f"to{k}", "%at", 8 * k), f"  store double {partial}, ptr %to{k}.p, align 4"]
    for k, place in enumerate(places):
        lines += [f"  %short{k} = trunc i64 {place} to i32", *_address(f"place{k}", "%at", 8 * group.partials + 4 * k)]
        lines.append(f"  store i32 %short{k}, ptr %place{k}.p, align 4")
    lines += [*_address("number", "%at", group.size - 4), f"  store i32 {number}, ptr %number.p, align 4"]
    return [
        *lines,
        f"  %after = add i64 %at, {group.size}",
        "  store i64 %after, ptr %at.0.p",
        f"  %behind = add i64 %next, {len(group.seen)}",
        "  store i64 %behind, ptr %next.p",
        "  br label %end",
        "end:",
        "  %place = phi i64 [ 0, %start ], [ %next, %write ]",
        "  ret i64 %place",
        "}",
    ]


def _back_of_step(number: int) -> list[str]:
    """The same of a step, see steps.py: a call of its adjoint."""
    words = [
        line
        for name, k in (("adjoint", ADJOINT), ("first", PLACE), ("tape", TAPE_OF_STEP))
        for line in (*_address(f"{name}.at", "%step", 8 * k), f"  %{name} = load i64, ptr %{name}.at.p")
    ]
    return [
        f"define internal {{i64, i64}} @nbgrad_back.{number}(i64 %at, i64 %place, ptr %g, ptr %h) noinline {{",
        "start:",
        "  %result = alloca i64",
        "  %error = alloca ptr",
        *_load("i64", "step", "%at", -STEP_ENTRY),
        *words,
        "  %function = inttoptr i64 %adjoint to ptr",
        "  %g.at = ptrtoint ptr %g to i64",
        "  %h.at = ptrtoint ptr %h to i64",
        "  %status = call i32 %function(ptr %result, ptr %error, i64 %step, i64 %g.at, i64 %h.at)",
        "  %is_ok = icmp eq i32 %status, 0",
        "  br i1 %is_ok, label %end, label %failed",
        "failed:",
        *_address("flag", "%tape", 8 * FAILED),
        "  store i64 1, ptr %flag.p",
        "  br label %end",
        "end:",
        f"  %before = sub i64 %at, {STEP_ENTRY}",
        "  %both = insertvalue {i64, i64} undef, i64 %before, 0",
        "  %given = insertvalue {i64, i64} %both, i64 %first, 1",
        "  ret {i64, i64} %given",
        "}",
    ]


def _back(group: _Group, number: int) -> list[str]:
    """``{i64, i64} (at, place, g, h)``: back through entries of this group, as many as there are in a row."""
    given = "i64 %at.0, i64 %place.0, ptr noalias %g, ptr noalias %h"
    lines = [
        f"define internal {{i64, i64}} @nbgrad_back.{number}({given}) noinline nounwind {{",
        "start:",
        "  br label %entry",
        "entry:",
        _phi("at", "start", ["next"]).replace("%at.1", "%before"),
        _phi("place", "start", ["next"]).replace("%place.1", "%first"),
        f"  %before = sub i64 %at, {group.size}",
        f"  %first = sub i64 %place, {len(group.seen)}",
    ]
    code = _Sweep(group)
    return [
        *lines,
        *code.lines,
        "next:",
        *_load("i32", "number", "%before", -4),
        f"  %is_same = icmp eq i32 %number, {number}",
        "  br i1 %is_same, label %entry, label %end",
        "end:",
        "  %both.0 = insertvalue {i64, i64} undef, i64 %before, 0",
        "  %both = insertvalue {i64, i64} %both.0, i64 %first, 1",
        "  ret {i64, i64} %both",
        "}",
    ]


class _Sweep:
    """The instructions that carry cotangents back through an entry: those of results are in ``g``, and go through the
    records in registers. A cotangent of 0 hands on nothing, so an infinite partial derivative that nothing depends on
    makes no NaN."""

    def __init__(self, group: _Group) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.has_tangents = any(len(edge) == 3 for _, edges in group.records for edge in edges)
        parts = ("g", "h") if self.has_tangents else ("g",)
        total: dict[tuple[str, str], str] = {}
        for k, name in enumerate(group.seen):
            at = self.new(f"add i64 %first, {k}")
            for part in parts:
                total[name, part] = self.new(
                    f"load double, ptr {self.new(f'getelementptr double, ptr %{part}, i64 {at}')}"
                )
        some = self.is_some(list(total.values()))
        self.lines += [f"  br i1 {some}, label %carry, label %next", "carry:"]
        for k in range(group.partials):
            self.lines += _load("double", f"d{k}", "%before", 8 * k)
        for k in range(group.places):
            self.lines += _load("i32", f"s{k}", "%before", 8 * group.partials + 4 * k)
            self.lines.append(f"  %p{k} = zext i32 %s{k} to i64")
        self.whole = group.seen[0] if len(group.seen) == 1 else ""
        for name, edges in reversed(group.records):
            self.through(name, edges, total)
        for k in range(group.places):
            for part in parts:
                if (f"%p{k}", part) in total:
                    to = self.new(f"getelementptr double, ptr %{part}, i64 %p{k}")
                    added = self.new(f"fadd double {self.new(f'load double, ptr {to}')}, {total[f'%p{k}', part]}")
                    self.lines.append(f"  store double {added}, ptr {to}")
        self.lines.append("  br label %next")

    def new(self, instruction: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {instruction}")
        return f"%t{self.count}"

    def is_some(self, numbers: Sequence[str]) -> str:
        """Whether one is other than 0."""
        some = ""
        for x in numbers:
            one = self.new(f"fcmp une double {x}, 0.0")
            some = self.new(f"or i1 {some}, {one}") if some else one
        return some

    def through(self, name: str, edges: Sequence[Sequence[str]], total: dict[tuple[str, str], str]) -> None:
        here = [total.get((name, part), "") for part in "gh"]
        if not any(here):
            return
        some = ""
        for place, partial, *tangent in edges:
            needs = any(_FINITE.fullmatch(x) is None for x in (partial, *tangent)) and name != self.whole
            if needs and not some:
                some = self.is_some([x for x in here if x])
            sent = {"g": self.product(here[0], partial)}
            if tangent:
                sent["h"] = self.sum(self.product(here[1], partial), self.product(here[0], tangent[0]))
            for part, x in sent.items():
                if x:
                    guarded = self.new(f"select i1 {some}, double {x}, double 0.0") if needs else x
                    total[place, part] = self.sum(total.get((place, part), ""), guarded)

    def product(self, x: str, y: str) -> str:
        known = _CONSTANTS.get(y)
        if not x or known == 0:
            return ""
        if known is not None:
            return x if known == 1 else self.new(f"fneg double {x}")
        return self.new(f"fmul double {x}, {y}")

    def sum(self, x: str, y: str) -> str:
        return self.new(f"fadd double {x}, {y}") if x and y else x or y
