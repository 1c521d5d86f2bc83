"""The code that writes a group's entry, as LLVM text, and all that a module has for its groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from nbgrad.numba.differentiate import tape_functions
from nbgrad.numba.differentiate.entry_layout import Group, distinct, load, phi, store, word
from nbgrad.numba.differentiate.sweep import back, back_of_step
from nbgrad.numba.differentiate.tape import AT, END, NEXT, STEP_GROUP
from nbgrad.numba.differentiate.tape_calls import symbol

ZERO: Final = ("0", "undef", "poison")
_GROW: Final = symbol(tape_functions.grow)

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
        places = distinct(e.place for r in records for e in r.edges if e.place not in inside)
        partials = distinct(x for r in records for e in r.edges for x in e[1:] if x.startswith("%"))
        names = {name: f"%r{k}" for k, name in enumerate(inside)}
        names |= {place: f"%p{k}" for k, place in enumerate(places)}
        names |= {partial: f"%d{k}" for k, partial in enumerate(partials)}
        shape = tuple(
            [(names[r.name], tuple([tuple([names.get(x, x) for x in e if x]) for e in r.edges])) for r in records]
        )
        kept = None if fixed is None else tuple([names[x] for x in (*partials, *places) if fixed([x])])
        group = Group(shape, tuple([names[name] for name in seen]), len(places), len(partials), kept)
        number = self._known.get(group)
        if number is None:
            number = self._known[group] = len(self._known) + 1
            self._text += [*_writer(group, number), *back(group, number)]
        self._calls += 1
        base = f"%nbgrad.{self._calls}"
        given = ", ".join([f"ptr {records[0].tape}", *[f"i64 {x}" for x in places], *[f"double {x}" for x in partials]])
        lines = [f"  {base} = call i64 @nbgrad_write.{number}({given})", f"  {base}.no = icmp eq i64 {base}, 0"]
        for k, name in enumerate(seen):
            lines.append(f"  {base}.{k} = add i64 {base}, {k}")
            lines.append(f"  {name} = select i1 {base}.no, i64 0, i64 {base}.{k}")
        return lines

    def text(self, name: str) -> str:
        """All that the module has to have for its groups, and ``i64 name(at, place, g, h)``: a chunk's sweep."""
        last = len(self._known) + 1  # for steps
        numbers = range(1, last + 1)
        cases = " ".join([f"i32 {STEP_GROUP if k == last else k}, label %group{k}" for k in numbers])
        lines = [
            *back_of_step(last),
            f"declare ptr @{_GROW}(i64) cold",
            f"define i64 @{name}(i64 %at.0, i64 %place.0, ptr %g, ptr %h) {{",
            "start:",
            "  br label %next",
            "next:",
            phi("at", "start", [f"group{k}" for k in numbers]),
            phi("place", "start", [f"group{k}" for k in numbers]),
            *load("i32", "number", "%at", -4),
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


def _writer(group: Group, number: int) -> list[str]:
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
        *word("at.0", AT),
        *word("room", END),
        f"  %after.0 = add i64 %at.0, {group.size}",
        "  %is_full = icmp ugt i64 %after.0, %room",
        "  br i1 %is_full, label %full, label %write",
        "full:",
        "  %tape_word = ptrtoint ptr %tape to i64",
        f"  %nothing = call ptr @{_GROW}(i64 %tape_word)",
        *word("at.1", AT),
        "  br label %write",
        "write:",
        phi("at", "check", ["full"]),
        *word("next", NEXT),
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


def _fresh(group: Group, number: int) -> list[str]:
    """An entry at ``%at``; ``%after`` is behind it."""
    lines = []
    for k in range(group.partials):
        lines += store("double", f"to{k}", f"%d{k}", "%at", 8 * k)
    for k in range(group.places):
        lines += store("i32", f"place{k}", f"%short{k}", "%at", 8 * group.partials + 4 * k)
    lines += store("i32", "number", str(number), "%at", group.size - 4)
    return [*lines, f"  %after = add i64 %at, {group.size}"]


def _continued(group: Group, number: int) -> list[str]:
    """One more item of the run that ends at ``%at``, or the first of a new one."""
    fixed, varying = group.chosen("%d", True), group.chosen("%d", False)
    alike, stepping = group.chosen("%p", True), group.chosen("%p", False)
    at_alike, at_stepping = 8 * len(fixed), 8 * len(fixed) + 4 * len(alike)
    lines = [
        *load("i32", "last", "%at", -4),
        f"  %is_same = icmp eq i32 %last, {number}",
        "  br i1 %is_same, label %run, label %new",
        "run:",
        *load("i32", "count", "%at", -8),
        "  %items = zext i32 %count to i64",
        f"  %bytes = mul i64 %items, {group.item}",
        f"  %top.0 = sub i64 %at, {group.head + 8}",
        "  %top = sub i64 %top.0, %bytes",
    ]
    differences = []
    for k, name in enumerate(fixed):
        lines += [*load("i64", f"old{k}", "%top", 8 * k), f"  %bits{k} = bitcast double {name} to i64"]
        lines += [f"  %other{k} = xor i64 %old{k}, %bits{k}"]
        differences.append(f"%other{k}")
    shorts = {name: f"%short{name[2:]}" for name in (*alike, *stepping)}
    changed = []
    for k, name in enumerate(alike):
        lines += [*load("i32", f"there{k}", "%top", at_alike + 4 * k)]
        lines += [f"  %moved{k} = xor i32 %there{k}, {shorts[name]}"]
        changed.append(f"%moved{k}")
    for k, name in enumerate(stepping):
        lines += [*load("i32", f"first{k}", "%top", at_stepping + 8 * k)]
        lines += [f"  %gone{k} = sub i32 {shorts[name]}, %first{k}"]
    lines += ["  %is_second = icmp eq i32 %count, 1", "  br i1 %is_second, label %second, label %further", "second:"]
    for k in range(len(stepping)):
        lines += store("i32", f"step{k}", f"%gone{k}", "%top", at_stepping + 8 * k + 4)
    lines += ["  br label %ask", "further:"]
    strides = ""
    for k in range(len(stepping)):
        lines += [*load("i32", f"stride{k}", "%top", at_stepping + 8 * k + 4)]
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
        lines += store("double", f"f{k}", name, "%at", 8 * k)
    for k, name in enumerate(alike):
        lines += store("i32", f"a{k}", shorts[name], "%at", at_alike + 4 * k)
    for k, name in enumerate(stepping):
        lines += store("i32", f"s{k}", shorts[name], "%at", at_stepping + 8 * k)
    lines += [
        f"  %to.1 = add i64 %at, {group.head}",
        "  br label %written",
        "written:",
        "  %to = phi i64 [ %to.0, %on ], [ %to.1, %new ]",
        "  %counted = phi i32 [ %more, %on ], [ 1, %new ]",
    ]
    for k, name in enumerate(varying):
        lines += store("double", f"v{k}", name, "%to", 8 * k)
    lines += store("i32", "counted.to", "%counted", "%to", group.item)
    lines += store("i32", "number", str(number), "%to", group.item + 4)
    return [*lines, f"  %after = add i64 %to, {group.item + 8}"]
