"""The code that writes a group's entry, and the code that sweeps back through it, as LLVM text.

An entry is ``{f64 partials[], u32 places[], u32 group}``, without padding. Constants are part of the code.

Of a group that a loop writes alone, entries in a row are one, a *run*, as far as they are alike: operands that the loop
does not change are there once (*fixed*), and so are places that go on in equal steps, by the first and the step. It is
``{f64 fixed partials[], u32 fixed places[], {u32 first, step} places[], {f64 partials[]} items[count], u32 count, u32
group}``. Whether an item continues the run is asked when it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from nbgrad.numba.differentiate.tape import ADJOINT, AT, END, FAILED, NEXT, PLACE, STEP_ENTRY, STEP_GROUP, TAPE_OF_STEP

ZERO: Final = ("0", "undef", "poison")
_GROW: Final = "nbgrad_grow"
_FINITE: Final = re.compile(r"-?\d\.\d+e[+-]\d+")
_CONSTANTS: Final = {"1.000000e+00": 1, "-1.000000e+00": -1, "0.000000e+00": 0, "-0.000000e+00": 0}

Fixed = Callable[[list[str]], bool] | None


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

    def written(self, records: Sequence[Record], seen: Sequence[str], fixed: Fixed = None) -> list[str]:
        """The instructions that write an entry for these records, and give places to those that are ``seen``. In a loop
        that writes no other, ``fixed`` says of names whether it does not seem to change them."""
        inside = [record.name for record in records]
        places = _distinct(e.place for r in records for e in r.edges if e.place not in inside)
        partials = _distinct(x for r in records for e in r.edges for x in e[1:] if x.startswith("%"))
        names = {name: f"%r{k}" for k, name in enumerate(inside)}
        names |= {place: f"%p{k}" for k, place in enumerate(places)}
        names |= {partial: f"%d{k}" for k, partial in enumerate(partials)}
        shape = tuple(
            [(names[r.name], tuple([tuple([names.get(x, x) for x in e if x]) for e in r.edges])) for r in records]
        )
        kept = None if fixed is None else tuple([names[x] for x in (*partials, *places) if fixed([x])])
        group = _Group(shape, tuple([names[name] for name in seen]), len(places), len(partials), kept)
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
    fixed: tuple[str, ...] | None = None  # of a run

    @property
    def size(self) -> int:
        """Of an entry, in bytes; of a run, with one item. At least 4 for each result, so that ``MOST_PLACES`` holds."""
        if self.fixed is not None:
            return self.head + self.item + 8
        return max(8 * self.partials + 4 * self.places + 4, 4 * len(self.seen))

    @property
    def head(self) -> int:
        return 8 * len(self.chosen("%d", True)) + 4 * len(self.chosen("%p", True)) + 8 * len(self.chosen("%p", False))

    @property
    def item(self) -> int:
        return max(8 * len(self.chosen("%d", False)), 4 * len(self.seen))

    def chosen(self, kind: str, is_fixed: bool) -> list[str]:
        """The partials or places of a run that are fixed, or those that are not."""
        n = self.partials if kind == "%d" else self.places
        return [name for k in range(n) if ((name := f"{kind}{k}") in (self.fixed or ())) is is_fixed]


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


def _store(kind: str, name: str, value: str, base: str, offset: int) -> list[str]:
    return [*_address(name, base, offset), f"  store {kind} {value}, ptr %{name}.p, align 4"]


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
        *[f"  %short{k} = trunc i64 {place} to i32" for k, place in enumerate(places)],
    ]
    lines += _fresh(group, number) if group.fixed is None else _continued(group, number)
    return [
        *lines,
        "  store i64 %after, ptr %at.0.p",
        f"  %behind = add i64 %next, {len(group.seen)}",
        "  store i64 %behind, ptr %next.p",
        "  br label %end",
        "end:",
        f"  %place = phi i64 [ 0, %start ], [ %next, %{'write' if group.fixed is None else 'written'} ]",
        "  ret i64 %place",
        "}",
    ]


def _fresh(group: _Group, number: int) -> list[str]:
    """An entry at ``%at``; ``%after`` is behind it."""
    lines = []
    for k in range(group.partials):
        lines += _store("double", f"to{k}", f"%d{k}", "%at", 8 * k)
    for k in range(group.places):
        lines += _store("i32", f"place{k}", f"%short{k}", "%at", 8 * group.partials + 4 * k)
    lines += _store("i32", "number", str(number), "%at", group.size - 4)
    return [*lines, f"  %after = add i64 %at, {group.size}"]


def _continued(group: _Group, number: int) -> list[str]:
    """One more item of the run that ends at ``%at``, or the first of a new one."""
    fixed, varying = group.chosen("%d", True), group.chosen("%d", False)
    alike, stepping = group.chosen("%p", True), group.chosen("%p", False)
    at_alike, at_stepping = 8 * len(fixed), 8 * len(fixed) + 4 * len(alike)
    lines = [
        *_load("i32", "last", "%at", -4),
        f"  %is_same = icmp eq i32 %last, {number}",
        "  br i1 %is_same, label %run, label %new",
        "run:",
        *_load("i32", "count", "%at", -8),
        "  %items = zext i32 %count to i64",
        f"  %bytes = mul i64 %items, {group.item}",
        f"  %top.0 = sub i64 %at, {group.head + 8}",
        "  %top = sub i64 %top.0, %bytes",
    ]
    differences = []
    for k, name in enumerate(fixed):
        lines += [*_load("i64", f"old{k}", "%top", 8 * k), f"  %bits{k} = bitcast double {name} to i64"]
        lines += [f"  %other{k} = xor i64 %old{k}, %bits{k}"]
        differences.append(f"%other{k}")
    shorts = {name: f"%short{name[2:]}" for name in (*alike, *stepping)}
    changed = []
    for k, name in enumerate(alike):
        lines += [*_load("i32", f"there{k}", "%top", at_alike + 4 * k)]
        lines += [f"  %moved{k} = xor i32 %there{k}, {shorts[name]}"]
        changed.append(f"%moved{k}")
    for k, name in enumerate(stepping):
        lines += [*_load("i32", f"first{k}", "%top", at_stepping + 8 * k)]
        lines += [f"  %gone{k} = sub i32 {shorts[name]}, %first{k}"]
    lines += ["  %is_second = icmp eq i32 %count, 1", "  br i1 %is_second, label %second, label %further", "second:"]
    for k in range(len(stepping)):
        lines += _store("i32", f"step{k}", f"%gone{k}", "%top", at_stepping + 8 * k + 4)
    lines += ["  br label %ask", "further:"]
    strides = ""
    for k in range(len(stepping)):
        lines += [*_load("i32", f"stride{k}", "%top", at_stepping + 8 * k + 4)]
        lines += [f"  %way{k} = mul i32 %stride{k}, %count", f"  %off{k} = xor i32 %way{k}, %gone{k}"]
        lines += [f"  %offs{k} = or i32 %off{k}, {strides}"] if strides else []
        strides = f"%offs{k}" if strides else f"%off{k}"
    lines += ["  br label %ask", "ask:", f"  %off = phi i32 [ 0, %second ], [ {strides or '0'}, %further ]"]
    total = "%off"
    for k, x in enumerate(changed):
        lines.append(f"  %all{k} = or i32 {total}, {x}")
        total = f"%all{k}"
    lines.append(f"  %wide = zext i32 {total} to i64")
    total = "%wide"
    for k, x in enumerate(differences):
        lines.append(f"  %every{k} = or i64 {total}, {x}")
        total = f"%every{k}"
    lines += [f"  %is_on = icmp eq i64 {total}, 0", "  br i1 %is_on, label %on, label %new"]
    lines += ["on:", "  %more = add i32 %count, 1", "  %to.0 = sub i64 %at, 8", "  br label %written", "new:"]
    for k, name in enumerate(fixed):
        lines += _store("double", f"f{k}", name, "%at", 8 * k)
    for k, name in enumerate(alike):
        lines += _store("i32", f"a{k}", shorts[name], "%at", at_alike + 4 * k)
    for k, name in enumerate(stepping):
        lines += _store("i32", f"s{k}", shorts[name], "%at", at_stepping + 8 * k)
    lines += [
        f"  %to.1 = add i64 %at, {group.head}",
        "  br label %written",
        "written:",
        "  %to = phi i64 [ %to.0, %on ], [ %to.1, %new ]",
        "  %counted = phi i32 [ %more, %on ], [ 1, %new ]",
    ]
    for k, name in enumerate(varying):
        lines += _store("double", f"v{k}", name, "%to", 8 * k)
    lines += _store("i32", "counted.to", "%counted", "%to", group.item)
    lines += _store("i32", "number", str(number), "%to", group.item + 4)
    return [*lines, f"  %after = add i64 %to, {group.item + 8}"]


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
    lines = [f"define internal {{i64, i64}} @nbgrad_back.{number}({given}) noinline nounwind {{", "start:"]
    code = _Sweep(group)
    return [
        *lines,
        *(_back_of_entries(group, code) if group.fixed is None else _back_of_runs(group, code)),
        *_load("i32", "number", "%before", -4),
        f"  %is_same = icmp eq i32 %number, {number}",
        "  br i1 %is_same, label %entry, label %end",
        "end:",
        "  %both.0 = insertvalue {i64, i64} undef, i64 %before, 0",
        "  %both = insertvalue {i64, i64} %both.0, i64 %first, 1",
        "  ret {i64, i64} %both",
        "}",
    ]


def _back_of_entries(group: _Group, code: _Sweep) -> list[str]:
    loads: list[str] = []
    for k in range(group.partials):
        loads += _load("double", f"d{k}", "%before", 8 * k)
    for k in range(group.places):
        loads += _load("i32", f"s{k}", "%before", 8 * group.partials + 4 * k)
        loads.append(f"  %p{k} = zext i32 %s{k} to i64")
    return [
        "  br label %entry",
        "entry:",
        _phi("at", "start", ["next"]).replace("%at.1", "%before"),
        _phi("place", "start", ["next"]).replace("%place.1", "%first"),
        f"  %before = sub i64 %at, {group.size}",
        f"  %first = sub i64 %place, {len(group.seen)}",
        *code.lines(loads, {}),
        "next:",
    ]


def _back_of_runs(group: _Group, code: _Sweep) -> list[str]:
    """Cotangents of fixed places are summed up on the way, and added when a run is through."""
    fixed, varying = group.chosen("%d", True), group.chosen("%d", False)
    alike, stepping = group.chosen("%p", True), group.chosen("%p", False)
    sums = {(name, part): f"%sum.{part}{name[2:]}" for name in alike for part in code.parts}
    lines = [f"  {cell} = alloca double" for cell in sums.values()]
    lines += [
        "  br label %entry",
        "entry:",
        _phi("at", "start", ["next"]).replace("%at.1", "%before"),
        _phi("place", "start", ["next"]).replace("%place.1", "%first"),
        *_load("i32", "count", "%at", -8),
        "  %items = zext i32 %count to i64",
        f"  %bytes = mul i64 %items, {group.item}",
        "  %end.0 = sub i64 %at, 8",
        "  %top = sub i64 %end.0, %bytes",
        f"  %before = sub i64 %top, {group.head}",
        *[f"  store double 0.0, ptr {cell}" for cell in sums.values()],
    ]
    offset, phis, steps = 0, list[str](), list[str]()
    for name in fixed:
        lines += _load("double", name[1:], "%before", offset)
        offset += 8
    for name in alike:
        lines += [*_load("i32", f"s{name[2:]}", "%before", offset), f"  {name} = zext i32 %s{name[2:]} to i64"]
        offset += 4
    for name in stepping:
        n = name[2:]
        lines += [*_load("i32", f"first{n}", "%before", offset), *_load("i32", f"step{n}", "%before", offset + 4)]
        lines += [f"  %way{n} = mul i32 %step{n}, %count", f"  %s{n}.0 = add i32 %first{n}, %way{n}"]
        phis.append(f"  %s{n}.1 = phi i32 [ %s{n}.0, %entry ], [ %s{n}, %passed ]")
        steps += [f"  %s{n} = sub i32 %s{n}.1, %step{n}", f"  {name} = zext i32 %s{n} to i64"]
        offset += 8
    loads: list[str] = []
    for k, name in enumerate(varying):
        loads += _load("double", name[1:], "%item", 8 * k)
    lines += [
        "  br label %item.0",
        "item.0:",
        "  %end.1 = phi i64 [ %end.0, %entry ], [ %item, %passed ]",
        "  %place.2 = phi i64 [ %place, %entry ], [ %first, %passed ]",
        *phis,
        f"  %item = sub i64 %end.1, {group.item}",
        f"  %first = sub i64 %place.2, {len(group.seen)}",
        *steps,
        *code.lines(loads, sums),
        "passed:",
        "  %is_left = icmp ne i64 %item, %top",
        "  br i1 %is_left, label %item.0, label %next",
        "next:",
    ]
    for (name, part), cell in sums.items():
        to = f"%to.{part}{name[2:]}"
        lines += [f"  {to} = getelementptr double, ptr %{part}, i64 {name}", f"  {to}.x = load double, ptr {to}"]
        lines += [f"  {to}.s = load double, ptr {cell}", f"  {to}.y = fadd double {to}.x, {to}.s"]
        lines.append(f"  store double {to}.y, ptr {to}")
    return lines


class _Sweep:
    """The instructions that carry cotangents back through an entry: those of results are in ``g``, and go through the
    records in registers. A cotangent of 0 hands on nothing, so an infinite partial derivative that nothing depends on
    makes no NaN."""

    def __init__(self, group: _Group) -> None:
        self.group = group
        self.whole = group.seen[0] if len(group.seen) == 1 else ""
        self.has_tangents = any(len(edge) == 3 for _, edges in group.records for edge in edges)
        self.parts = ("g", "h") if self.has_tangents else ("g",)

    def lines(self, loads: Sequence[str], sums: dict[tuple[str, str], str]) -> list[str]:
        """From the place ``%first`` of the results on; ``loads`` are the operands. Some cotangents are added to cells
        of ``sums``."""
        self.code: list[str] = []
        self.count = 0
        after = "next" if self.group.fixed is None else "passed"
        total: dict[tuple[str, str], str] = {}
        for k, name in enumerate(self.group.seen):
            at = self.new(f"add i64 %first, {k}")
            for part in self.parts:
                total[name, part] = self.new(
                    f"load double, ptr {self.new(f'getelementptr double, ptr %{part}, i64 {at}')}"
                )
        some = self.is_some(list(total.values()))
        self.code += [f"  br i1 {some}, label %carry, label %{after}", "carry:", *loads]
        for name, edges in reversed(self.group.records):
            self.through(name, edges, total)
        for k in range(self.group.places):
            for part in self.parts:
                if (f"%p{k}", part) in total:
                    to = sums.get((f"%p{k}", part)) or self.new(f"getelementptr double, ptr %{part}, i64 %p{k}")
                    added = self.new(f"fadd double {self.new(f'load double, ptr {to}')}, {total[f'%p{k}', part]}")
                    self.code.append(f"  store double {added}, ptr {to}")
        return [*self.code, f"  br label %{after}"]

    def new(self, instruction: str) -> str:
        self.count += 1
        self.code.append(f"  %t{self.count} = {instruction}")
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
