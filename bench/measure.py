"""Time several ways of doing the same thing, in turns, after checking that they give the same answer."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Work = Callable[[], Any]  # does the work once; what it returns is compared between contestants


@dataclass(frozen=True)
class Case:
    """One thing to do and who does it. ``per`` is how many operations (or steps) one call holds."""

    name: str
    size: str
    contestants: Mapping[str, Work]
    per: int = 1
    rtol: float = 1e-4  # float32 results of different orders of addition
    goal: str = ""  # what has to hold, in words
    settles: bool = True  # whether calls become quicker; not so where each call does something new


@dataclass
class Timing:
    """How long one contestant took: the first call, then seconds of a call in each round."""

    case: Case
    contestant: str
    first_s: float
    rounds_s: list[float] = field(default_factory=list)

    @property
    def median_s(self) -> float:
        return statistics.median(self.rounds_s)

    @property
    def spread(self) -> float:
        """Interquartile range over median: how far the rounds agree."""
        if len(self.rounds_s) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.rounds_s, n=4, method="inclusive")
        return (high - low) / self.median_s


def measured(case: Case, rounds: int, slot_s: float, settle_s: float) -> list[Timing]:
    """Time every contestant in turns: ``rounds`` times ``slot_s`` each. Their answers are compared first."""
    timings = []
    answers: dict[str, list[Any]] = {}
    for name, work in case.contestants.items():
        begin = time.perf_counter()
        answer = work()
        timings.append(Timing(case, name, time.perf_counter() - begin))
        answers[name] = [arrays_of(answer), arrays_of(work())]
    check_equal(case, answers)
    if case.settles:
        settle(case, settle_s)
    calls = {name: _calls_in(work, slot_s) for name, work in case.contestants.items()}
    for _ in range(rounds):
        for timing in timings:
            n, work = calls[timing.contestant], case.contestants[timing.contestant]
            begin = time.perf_counter()
            for _ in range(n):
                work()
            timing.rounds_s.append((time.perf_counter() - begin) / n)
    return timings


def settle(case: Case, settle_s: float) -> None:
    """Run each contestant for ``settle_s`` seconds, and on until ten calls bring nothing.

    Kernels that are compiled in the background come in after a while, whatever the time of a call is.
    """
    for work in case.contestants.values():
        best, stale, begin = math.inf, 0, time.perf_counter()
        while stale < 10 or time.perf_counter() - begin < settle_s:
            before = time.perf_counter()
            work()
            elapsed = time.perf_counter() - before
            stale = 0 if elapsed < 0.95 * best else stale + 1
            best = min(best, elapsed)


def _calls_in(work: Work, slot_s: float) -> int:
    begin = time.perf_counter()
    work()
    return max(1, round(slot_s / max(time.perf_counter() - begin, 1e-7)))


def check_equal(case: Case, answers: Mapping[str, list[Any]]) -> None:
    """AssertionError unless all contestants gave the same numbers."""
    (first, wanted), *others = answers.items()
    for name, got in others:
        for w, g in zip(_flat(wanted), _flat(got), strict=True):
            scale = float(np.max(np.abs(w), initial=0.0)) or 1.0
            np.testing.assert_allclose(
                g, w, rtol=case.rtol, atol=case.rtol * scale, err_msg=f"{case.name}: {name} differs from {first}"
            )


def _flat(answers: list[list[Any]]) -> list[Any]:
    return [array for answer in answers for array in answer]


def arrays_of(answer: Any) -> list[Any]:
    """Tensors, arrays and numbers as float64 arrays."""
    if isinstance(answer, tuple | list):
        return [array for part in answer for array in arrays_of(part)]
    if hasattr(answer, "detach"):
        answer = answer.detach().numpy()
    return [np.array(answer, dtype=np.float64)]
