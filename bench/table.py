"""The figures in words: a block for each case, and a summary of one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.goals import FIRST, FIRST_S, LONGEST, MEMORY, OWN, STEADY, WARM, WARM_CALLS, WARM_S, Goal, goals_of
from bench.libraries import NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT, TORCH
from bench.measure import Timing

PLAIN = {NBGRAD, NBGRAD_NJIT}  # without one of these nothing is compared
FORMS = {NBGRAD_COMPILED: "compiled", NBGRAD_NJIT: "in @njit"}


def by_case(timings: Iterable[Timing]) -> list[list[Timing]]:
    """The timings of each case together, in the order of measuring."""
    groups: dict[tuple[str, str], list[Timing]] = {}
    for timing in timings:
        groups.setdefault((timing.case.name, timing.case.size), []).append(timing)
    return list(groups.values())


def blocks(timings: Iterable[Timing], threads: str) -> str:
    """Per case the contestants, how nbgrad compares with each, and who is missing."""
    return "\n".join(line for group in by_case(timings) for line in _block(group, threads))


def _block(group: Sequence[Timing], threads: str) -> list[str]:
    case, goals = group[0].case, goals_of(group)
    title = f"{case.name} [{', '.join(filter(None, (case.size, f'threads: {threads}')))}]"
    lines = ["", title + (f"   goal: {case.goal}" if case.goal else "")]
    lines += [_line(timing, group, goals) for timing in group]
    lines += [f"  {name:18} left out: {reason}" for name, reason in case.absent.items()]
    return lines


def _line(t: Timing, group: Sequence[Timing], goals: Sequence[Goal]) -> str:
    text = f"  {t.contestant:18} {in_units(t.median_s):>8} +-{50 * t.spread:3.0f} %"
    text += f"  {in_units(t.median_s / t.case.per):>8} each" if t.case.per > 1 else " " * 15
    text += f"  {t.case.traffic_bytes / t.median_s / 1e9:5.0f} GB/s" if t.case.traffic_bytes else ""
    text += f"  first {in_units(t.first_s):>8}" if t.first_s else " " * 16
    if t.warm_first_s is not None:
        text += f" ({in_units(t.warm_first_s)} from disk)"
    text += f"  {t.peak_mib:.0f} MiB" if t.peak_mib is not None else ""
    if t.contestant in OWN:
        return text + _alone(t.contestant, goals)
    return text + _compared(t, group, goals)


def _alone(own: str, goals: Iterable[Goal]) -> str:
    """The goals that nbgrad misses without being compared with anybody."""
    missed = {goal.what for goal in goals if goal.own == own and not goal.met}
    first = f"; first, goal {FIRST_S:g} s MISSED" if LONGEST in missed else ""
    return first + (f"; from disk, goal {WARM_CALLS} calls + {WARM_S} s MISSED" if WARM in missed else "")


def _compared(peer: Timing, group: Sequence[Timing], goals: Sequence[Goal]) -> str:
    """nbgrad's share of the peer's time, and of its first call and memory where there is a goal for them."""
    found = {t.contestant: t for t in group}
    owns = {name: found[name] for name in OWN if name in found}
    if not PLAIN & owns.keys():
        return ""
    against = {(goal.what, goal.own): goal for goal in goals if goal.peer == peer.contestant}
    shares = {name: f"{own.median_s / peer.median_s:.2f}" for name, own in owns.items()}
    steady = [
        (f"{FORMS[name]} {share}" if k else f"{share} of it") + _verdict(against, STEADY, name)
        for k, (name, share) in enumerate(shares.items())
    ]
    text = "   nbgrad takes " + "; ".join(steady)
    text += " (the floor)" if peer.contestant == peer.case.floor else ""
    for what in (FIRST, MEMORY):
        reached = [
            f"{against[what, name].reached:.2f}{_verdict(against, what, name)}"
            for name in owns
            if (what, name) in against
        ]
        text += f"; {what} {', compiled '.join(reached)}" if reached else ""
    return text


def _verdict(against: Mapping[tuple[str, str], Goal], what: str, own: str) -> str:
    """Whether the goal for this peer is met, in words."""
    goal = against.get((what, own))
    return "" if goal is None else f", goal {goal.limit:g} {'met' if goal.met else 'MISSED'}"


def summary(timings: Iterable[Timing]) -> str:
    """A table in Markdown: nbgrad's time, and its ratio to PyTorch, to the best other library, and to the floor; and
    how many of its goals are met, those of steady calls and all."""
    titles = "case | nbgrad, compiled | of PyTorch eager | of the best peer | of the floor | goals, steady | all"
    lines = ["", f"| {titles} |", f"|{' --- |' * (titles.count('|') + 1)}"]
    lines += [_summary_line(group) for group in by_case(timings) if PLAIN & _contestants(group) and len(group) > 1]
    return "\n".join(lines)


def _summary_line(group: Sequence[Timing]) -> str:
    case = group[0].case
    median = {t.contestant: t.median_s for t in group}
    own = [median[name] for name in OWN if name in median]
    peers = {name: s for name, s in median.items() if name not in (*OWN, case.floor)}
    best = min(peers, key=lambda name: peers[name], default="")
    goals = goals_of(group)
    cells = [
        f"{case.name}, {case.size}",
        ", ".join(map(in_units, own)),
        _ratios(own, median.get(TORCH)),
        f"{_ratios(own, peers[best])} ({best})" if peers else "",
        _ratios(own, median.get(case.floor)) + (f" ({case.floor})" if case.floor in median else ""),
        _met([goal for goal in goals if goal.what == STEADY]),
        _met(goals),
    ]
    return f"| {' | '.join(cells)} |"


def _met(goals: Sequence[Goal]) -> str:
    return f"{sum(goal.met for goal in goals)} of {len(goals)} met" if goals else ""


def _contestants(group: Iterable[Timing]) -> set[str]:
    return {t.contestant for t in group}


def _ratios(own: Sequence[float], other: float | None) -> str:
    return "" if other is None else ", ".join([f"{s / other:.2f}" for s in own])


def in_units(seconds: float) -> str:
    """Seconds with three digits, in s, ms or us."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError
