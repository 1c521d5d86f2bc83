"""The figures in words: a block for each case, and a summary of one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench.libraries import JAX, NBGRAD, NBGRAD_COMPILED, TORCH
from bench.measure import Timing

FIRST_SHARE, FIRST_S = 0.5, 3.0  # of JAX's first call, and at most so long: first calls with an empty cache
WARM_CALLS, WARM_S = 2, 0.2  # steady calls, and so much more: first calls that find their kernels on disk


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
    case = group[0].case
    title = f"{case.name} [{', '.join(filter(None, (case.size, f'threads: {threads}')))}]"
    lines = ["", title + (f"   goal: {case.goal}" if case.goal else "")]
    lines += [_line(timing, group) for timing in group]
    lines += [f"  {name:18} left out: {reason}" for name, reason in case.absent.items()]
    return lines


def _line(t: Timing, group: Sequence[Timing]) -> str:
    own, compiled = own_s(group), own_s(group, NBGRAD_COMPILED)
    text = f"  {t.contestant:18} {in_units(t.median_s):>8} +-{50 * t.spread:3.0f} %"
    text += f"  {in_units(t.median_s / t.case.per):>8} each" if t.case.per > 1 else " " * 15
    text += f"  {t.case.traffic_bytes / t.median_s / 1e9:5.0f} GB/s" if t.case.traffic_bytes else ""
    text += f"  first {in_units(t.first_s):>8}" if t.first_s else " " * 16
    if t.warm_first_s is not None:
        text += f" ({in_units(t.warm_first_s)} from disk{_warm_verdict(t, t.warm_first_s)})"
    text += f"  {t.peak_mib:.0f} MiB" if t.peak_mib is not None else ""
    if own and t.contestant not in (NBGRAD, NBGRAD_COMPILED):
        text += f"   nbgrad takes {own / t.median_s:.2f} of it" + verdict(t.case.goals, t.contestant, own / t.median_s)
        if compiled:
            share = compiled / t.median_s
            text += f"; compiled {share:.2f}" + verdict(t.case.compiled_goals, t.contestant, share)
        text += " (the floor)" if t.contestant == t.case.floor else ""
        text += _first_verdict(t, group) if t.contestant == JAX else ""
    return text


def _warm_verdict(t: Timing, warm_first_s: float) -> str:
    own = t.contestant in (NBGRAD, NBGRAD_COMPILED)
    late = own and warm_first_s > WARM_CALLS * t.median_s + WARM_S
    return f", goal {WARM_CALLS} calls + {WARM_S} s MISSED" if late else ""


def _first_verdict(jax: Timing, group: Sequence[Timing]) -> str:
    """How nbgrad's first calls compare with JAX's, where both are those of processes of their own."""
    own = [t.first_s for t in group if t.contestant in (NBGRAD, NBGRAD_COMPILED) and t.warm_first_s is not None]
    if not own:
        return ""
    slowest, shares = max(own), ", compiled ".join([f"{first / jax.first_s:.2f}" for first in own])
    if FIRST_S < slowest <= FIRST_SHARE * jax.first_s:
        return f"; first {shares}, goal {FIRST_S:g} s MISSED"
    return f"; first {shares}, goal {FIRST_SHARE:g} {'met' if slowest <= FIRST_SHARE * jax.first_s else 'MISSED'}"


def verdict(goals: Mapping[str, float], contestant: str, ratio: float) -> str:
    """Whether the goal for this contestant is met, in words."""
    goal = goals.get(contestant)
    return "" if goal is None else f", goal {goal:g} {'met' if ratio <= goal else 'MISSED'}"


def own_s(group: Iterable[Timing], contestant: str = NBGRAD) -> float | None:
    """nbgrad's seconds."""
    return next((t.median_s for t in group if t.contestant == contestant), None)


def summary(timings: Iterable[Timing]) -> str:
    """A table in Markdown: nbgrad's time, and its ratio to PyTorch, to the best other library, and to the floor."""
    lines = ["", "| case | nbgrad, compiled | of PyTorch eager | of the best peer | of the floor | goals |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    lines += [_summary_line(group) for group in by_case(timings) if own_s(group) is not None and len(group) > 1]
    return "\n".join(lines)


def _summary_line(group: Sequence[Timing]) -> str:
    case = group[0].case
    median = {t.contestant: t.median_s for t in group}
    own = [median[name] for name in (NBGRAD, NBGRAD_COMPILED) if name in median]
    peers = {name: s for name, s in median.items() if name not in (NBGRAD, NBGRAD_COMPILED, case.floor)}
    best = min(peers, key=lambda name: peers[name], default="")
    goals = [(median[NBGRAD], name, share) for name, share in case.goals.items() if name in median]
    if NBGRAD_COMPILED in median:
        compiled = median[NBGRAD_COMPILED]
        goals += [(compiled, name, share) for name, share in case.compiled_goals.items() if name in median]
    met = sum(seconds / median[name] <= share for seconds, name, share in goals)
    cells = [
        f"{case.name}, {case.size}",
        ", ".join(map(in_units, own)),
        _ratios(own, median.get(TORCH)),
        f"{_ratios(own, peers.get(best))} ({best})",
        _ratios(own, median.get(case.floor)) + (f" ({case.floor})" if case.floor in median else ""),
        f"{met} of {len(goals)} met" if goals else "",
    ]
    return f"| {' | '.join(cells)} |"


def _ratios(own: Sequence[float], other: float | None) -> str:
    return "" if other is None else ", ".join([f"{s / other:.2f}" for s in own])


def in_units(seconds: float) -> str:
    """Seconds with three digits, in s, ms or us."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError
