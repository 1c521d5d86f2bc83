"""Time several ways of doing the same thing, in turns, after checking that they give the same answer."""

from __future__ import annotations

import math
import statistics
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

QUIET_S: Final = 0.005

Work = Callable[[], Any]  # does the work once; what it returns is compared between contestants
Maker = Callable[[], Work]  # imports the library and prepares the data


@dataclass(frozen=True)
class Enqueued:
    """Work that returns before a GPU has done it. ``wait`` waits until it has; many calls are timed with one wait."""

    work: Work
    wait: Callable[[], Any]

    def __call__(self) -> Any:
        return self.work()


@dataclass(frozen=True)
class Case:
    """One thing to do and who does it. ``per`` is how many operations (or steps) one call holds."""

    name: str
    size: str
    makers: Mapping[str, Maker]
    per: int = 1
    rtol: float = 1e-4  # float32 results of different orders of addition
    goals: Mapping[str, float] = field(default_factory=dict)  # contestant: the share of its time nbgrad may take
    compiled_goals: Mapping[str, float] = field(default_factory=dict)  # the same for nbgrad.compile
    goal: str = ""  # what else has to hold, in words
    floor: str = ""  # the contestant that shows how fast it can be at all; it may return None
    absent: Mapping[str, str] = field(default_factory=dict)  # contestant: why it takes no part
    settles: bool = True  # whether calls become quicker; not so where each call does something new
    compared: int = 2  # calls whose answers are compared
    traffic_bytes: int = 0  # that have to be read and written at least; 0: it is not memory that takes the time
    memory_share: float = 0.0  # of PyTorch's peak memory that nbgrad may take; 0: no goal


@dataclass(frozen=True)
class Pace:
    """How long to measure: ``rounds`` of ``slot_s`` for each, after ``settle_s`` that brought nothing new.

    ``clock`` is that of the rounds. With one thread the processor's time is the same as the wall's, but for what other
    programs on the machine take away.
    """

    rounds: int
    slot_s: float
    settle_s: float
    clock: Callable[[], float] = time.perf_counter


@dataclass
class Timing:
    """How long one contestant took: the first call, then seconds of a call in each round."""

    case: Case
    contestant: str
    first_s: float
    rounds_s: list[float] = field(default_factory=list)
    warm_first_s: float | None = None  # the first call of a process that finds compiled code on disk
    peak_mib: float | None = None  # memory that steady calls need above that of the imports and data

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


def measured(case: Case, pace: Pace, failed: dict[str, str] | None = None) -> list[Timing]:
    """Time every contestant in turns. Their answers are compared first: AssertionError where they differ.

    With ``failed`` nothing is raised before there are times: what went wrong is put there, by contestant. Who differs
    is timed all the same, who raises is left out.
    """
    works, timings = _begun(case, failed)
    if case.settles:
        for work in works.values():
            settle(work, pace.settle_s)
    calls = {name: _calls_in(work, pace.slot_s) for name, work in works.items()}
    for _ in range(pace.rounds):
        for timing in timings:
            wait_for_threads()
            _seconds_of(works[timing.contestant], 1)  # wakes its own threads; a GPU has done it before the clock runs
            timing.rounds_s.append(_seconds_of(works[timing.contestant], calls[timing.contestant], pace.clock))
    return timings


def _begun(case: Case, failed: dict[str, str] | None) -> tuple[dict[str, Work], list[Timing]]:
    """Everybody's work after its first calls, and how long the first one took."""
    works: dict[str, Work] = {}
    timings = []
    first: tuple[str, list[Any]] | None = None  # whose answers those of the others have to be
    made: dict[str, Work] = {}
    for name, make in case.makers.items():
        with _noting(failed, name):
            made[name] = make()
    for name, work in made.items():
        with _noting(failed, name):
            begin = time.perf_counter()
            answer = work()
            if isinstance(work, Enqueued):
                work.wait()
            timing = Timing(case, name, time.perf_counter() - begin)
            answers = [arrays_of(answer), *(arrays_of(work()) for _ in range(case.compared - 1))]
            works[name] = work
            timings.append(timing)
            first = first or (name, answers)
            check_equal(case, first, (name, answers))
    return works, timings


@contextmanager
def _noting(failed: dict[str, str] | None, name: str) -> Iterator[None]:
    """A block that fails goes into ``failed``, as text: an error would keep what its frames hold."""
    try:
        yield
    except Exception:
        if failed is None:
            raise
        failed[name] = traceback.format_exc()


def wait_for_threads(limit_s: float = 1.0) -> None:
    """Sleep until no thread of this process works: OpenMP's spin for up to 0.2 s after their library's last call, on
    the cores that the next contestant would use. Gives up after ``limit_s``."""
    end = time.perf_counter() + limit_s
    while time.perf_counter() < end:
        begin_s, spent_s = time.perf_counter(), time.process_time()
        time.sleep(QUIET_S)
        if time.process_time() - spent_s < 0.1 * (time.perf_counter() - begin_s):
            return


def settle(work: Work, settle_s: float) -> None:
    """Call ``work`` until ``settle_s`` seconds and ten calls have brought nothing.

    Kernels that are compiled in the background come in after a while, whatever the time of a call is.
    """
    best, stale, since = math.inf, 0, time.perf_counter()
    while stale < 10 or time.perf_counter() - since < settle_s:
        elapsed = _seconds_of(work, 1)
        if elapsed < 0.95 * best:
            stale, since = 0, time.perf_counter()
        stale += 1
        best = min(best, elapsed)


def _seconds_of(work: Work, calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    begin = clock()
    for _ in range(calls):
        work()
    if isinstance(work, Enqueued):
        work.wait()
    return (clock() - begin) / calls


def _calls_in(work: Work, slot_s: float) -> int:
    return max(1, round(slot_s / max(_seconds_of(work, 1), 1e-7)))


def check_equal(case: Case, first: tuple[str, list[Any]], other: tuple[str, list[Any]]) -> None:
    """AssertionError unless two contestants gave the same numbers."""
    name, got = other
    if name == case.floor and not _flat(got):
        return  # it does only part of the work
    for w, g in zip(_flat(first[1]), _flat(got), strict=True):
        scale = float(np.max(np.abs(w), initial=0.0)) or 1.0
        np.testing.assert_allclose(
            g, w, rtol=case.rtol, atol=case.rtol * scale, err_msg=f"{case.name}: {name} differs from {first[0]}"
        )


def _flat(answers: list[list[Any]]) -> list[Any]:
    return [array for answer in answers for array in answer]


def arrays_of(answer: Any) -> list[Any]:
    """Tensors, arrays and numbers as float64 arrays; none for None."""
    if answer is None:
        return []
    if isinstance(answer, tuple | list):
        return [array for part in answer for array in arrays_of(part)]
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu().numpy()
    return [np.array(answer, dtype=np.float64)]
