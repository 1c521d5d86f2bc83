"""The code that sweeps back through the entries of a group, as LLVM text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nbgrad.numba.differentiate.entry_layout import Group, address, load, phi
from nbgrad.numba.differentiate.tape import ADJOINT, PLACE, SINGULAR, STATUS, STEP_ENTRY, TAPE_OF_STEP

_FINITE: Final = re.compile(r"-?\d\.\d+e[+-]\d+")
_CONSTANTS: Final = {"1.000000e+00": 1, "-1.000000e+00": -1, "0.000000e+00": 0, "-0.000000e+00": 0}


def back_of_step(number: int) -> list[str]:
    """``{i64, i64} (at, place, g, h)`` back through a step, see steps.py: a call of its adjoint."""
    words = [
        line
        for name, k in (("adjoint", ADJOINT), ("first", PLACE), ("tape", TAPE_OF_STEP))
        for line in (*address(f"{name}.at", "%step", 8 * k), f"  %{name} = load i64, ptr %{name}.at.p")
    ]
    return [
        f"define internal {{i64, i64}} @nbgrad_back.{number}(i64 %at, i64 %place, ptr %g, ptr %h) noinline {{",
        "start:",
        "  %result = alloca i64",
        "  %error = alloca ptr",
        *load("i64", "step", "%at", -STEP_ENTRY),
        *words,
        "  %function = inttoptr i64 %adjoint to ptr",
        "  %g.at = ptrtoint ptr %g to i64",
        "  %h.at = ptrtoint ptr %h to i64",
        "  %status = call i32 %function(ptr %result, ptr %error, i64 %step, i64 %g.at, i64 %h.at)",
        "  %is_ok = icmp eq i32 %status, 0",
        "  br i1 %is_ok, label %end, label %failed",
        "failed:",
        *address("flag", "%tape", 8 * STATUS),
        f"  store i64 {SINGULAR}, ptr %flag.p",
        "  br label %end",
        "end:",
        f"  %before = sub i64 %at, {STEP_ENTRY}",
        "  %both = insertvalue {i64, i64} undef, i64 %before, 0",
        "  %given = insertvalue {i64, i64} %both, i64 %first, 1",
        "  ret {i64, i64} %given",
        "}",
    ]


def back(group: Group, number: int) -> list[str]:
    """``{i64, i64} (at, place, g, h)``: back through entries of this group, as many as there are in a row."""
    given = "i64 %at.0, i64 %place.0, ptr noalias %g, ptr noalias %h"
    lines = [f"define internal {{i64, i64}} @nbgrad_back.{number}({given}) noinline nounwind {{", "start:"]
    code = _Sweep(group)
    return [
        *lines,
        *(_back_of_entries(group, code) if group.fixed is None else _back_of_runs(group, code)),
        *load("i32", "number", "%before", -4),
        f"  %is_same = icmp eq i32 %number, {number}",
        "  br i1 %is_same, label %entry, label %end",
        "end:",
        "  %both.0 = insertvalue {i64, i64} undef, i64 %before, 0",
        "  %both = insertvalue {i64, i64} %both.0, i64 %first, 1",
        "  ret {i64, i64} %both",
        "}",
    ]


def _back_of_entries(group: Group, code: _Sweep) -> list[str]:
    loads: list[str] = []
    for k in range(group.partials):
        loads += load("double", f"d{k}", "%before", 8 * k)
    for k in range(group.places):
        loads += load("i32", f"s{k}", "%before", 8 * group.partials + 4 * k)
        loads.append(f"  %p{k} = zext i32 %s{k} to i64")
    return [
        "  br label %entry",
        "entry:",
        phi("at", "start", ["next"]).replace("%at.1", "%before"),
        phi("place", "start", ["next"]).replace("%place.1", "%first"),
        f"  %before = sub i64 %at, {group.size}",
        f"  %first = sub i64 %place, {len(group.seen)}",
        *code.lines(loads, {}),
        "next:",
    ]


def _back_of_runs(group: Group, code: _Sweep) -> list[str]:
    """Cotangents of fixed places are summed up on the way, and added when a run is through."""
    fixed, varying = group.chosen("%d", True), group.chosen("%d", False)
    alike, stepping = group.chosen("%p", True), group.chosen("%p", False)
    sums = {(name, part): f"%sum.{part}{name[2:]}" for name in alike for part in code.parts}
    lines = [f"  {cell} = alloca double" for cell in sums.values()]
    lines += [
        "  br label %entry",
        "entry:",
        phi("at", "start", ["next"]).replace("%at.1", "%before"),
        phi("place", "start", ["next"]).replace("%place.1", "%first"),
        *load("i32", "count", "%at", -8),
        "  %items = zext i32 %count to i64",
        f"  %bytes = mul i64 %items, {group.item}",
        "  %end.0 = sub i64 %at, 8",
        "  %top = sub i64 %end.0, %bytes",
        f"  %before = sub i64 %top, {group.head}",
        *[f"  store double 0.0, ptr {cell}" for cell in sums.values()],
    ]
    offset, phis, steps = 0, list[str](), list[str]()
    for name in fixed:
        lines += load("double", name[1:], "%before", offset)
        offset += 8
    for name in alike:
        lines += [*load("i32", f"s{name[2:]}", "%before", offset), f"  {name} = zext i32 %s{name[2:]} to i64"]
        offset += 4
    for name in stepping:
        n = name[2:]
        lines += [*load("i32", f"first{n}", "%before", offset), *load("i32", f"step{n}", "%before", offset + 4)]
        lines += [f"  %way{n} = mul i32 %step{n}, %count", f"  %s{n}.0 = add i32 %first{n}, %way{n}"]
        phis.append(f"  %s{n}.1 = phi i32 [ %s{n}.0, %entry ], [ %s{n}, %passed ]")
        steps += [f"  %s{n} = sub i32 %s{n}.1, %step{n}", f"  {name} = zext i32 %s{n} to i64"]
        offset += 8
    loads: list[str] = []
    for k, name in enumerate(varying):
        loads += load("double", name[1:], "%item", 8 * k)
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

    def __init__(self, group: Group) -> None:
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
