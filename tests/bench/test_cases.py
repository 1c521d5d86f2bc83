"""A smoke: every case runs and its contestants agree. No times are asserted."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterable

import pytest

from bench import floor, process, start
from bench.cases import ALL, IN_NUMBA, OVERHEAD, cases_of, trees
from bench.libraries import JAX, NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT, NUMBA, NUMPY, TORCH, why_absent
from bench.measure import Case, Pace, Timing, measured
from bench.process import Start, complete, start_within

TINY = Pace(rounds=1, slot_s=0.001, settle_s=0.01)
BY_HAND = (NUMBA, NUMPY, "Python by hand", floor.GEMMS)  # other libraries take seconds to import


def only(case: Case, names: Iterable[str]) -> Case:
    return dataclasses.replace(case, makers={name: case.makers[name] for name in names if name in case.makers})


@pytest.mark.parametrize("name", dict.fromkeys(ALL + OVERHEAD + IN_NUMBA))
def test_nbgrad_runs_the_case_and_agrees_with_what_is_written_by_hand(name: str) -> None:
    for case in cases_of(name, quick=True):
        timings = measured(only(case, [NBGRAD, NBGRAD_NJIT, *BY_HAND]), TINY)
        assert timings[0].contestant in (NBGRAD, NBGRAD_NJIT)
        assert all(t.median_s > 0 for t in timings)


@pytest.mark.parametrize("name", dict.fromkeys(ALL + OVERHEAD + IN_NUMBA))
def test_goals_and_floor_name_contestants_of_the_case(name: str) -> None:
    for case in cases_of(name, quick=True):
        assert set(case.goals) <= set(case.makers)
        assert case.floor in {"", *case.makers}
        assert not set(case.absent) & set(case.makers)


def test_the_copy_of_the_floor_copies() -> None:
    work = floor.copying(traffic_bytes=1600)
    assert work() is None


@pytest.mark.parametrize("contestant", [NBGRAD, NBGRAD_COMPILED])
def test_a_process_of_its_own_gives_first_calls_and_memory(contestant: str) -> None:
    case = only(cases_of("hvp", quick=True)[0], [contestant])
    (timing,) = measured(case, TINY)
    found = []
    while len(found) < 3 and not any(warm < cold for cold, warm in found):  # another process may come in between
        complete([timing], "hvp", 0, quick=True)
        assert timing.first_s > 0
        assert timing.warm_first_s is not None
        found.append((timing.first_s, timing.warm_first_s))
    assert any(warm < cold for cold, warm in found), found  # nothing to compile
    assert timing.peak_mib is not None
    assert timing.peak_mib > 0


def test_first_calls_that_goals_compare_are_made_in_turns_and_slow_ones_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    seconds = {NBGRAD: iter([0.3, 0.1, 0.5, 0.2, 0.4, 0.3]), JAX: iter([2.5]), TORCH: iter([0.7])}  # empty, found, ...

    def start(case: str, index: int, contestant: str, flags: list[str], **environment: str) -> Start:
        made.append(contestant)
        return Start(next(seconds[contestant]), peak_mib=1.0)

    monkeypatch.setattr(process, "start", start)
    timings = [Timing(cases_of("hvp", quick=True)[0], name, 9.0, [1e-3]) for name in seconds]
    process.complete(timings, "hvp", 0, quick=False)
    assert made == [NBGRAD, NBGRAD, JAX, TORCH, NBGRAD, NBGRAD, NBGRAD, NBGRAD]
    assert [(t.first_s, t.warm_first_s) for t in timings] == [(0.4, 0.2), (2.5, None), (0.7, None)]


def test_a_process_that_takes_too_long_is_ended() -> None:
    assert start_within(0.01, "hvp", 0, NBGRAD, ["--quick"]) is None
    found = start_within(100.0, "hvp", 0, NBGRAD, ["--quick"])
    assert found is not None
    assert found.first_s > 0


def test_the_first_backward_is_timed_in_new_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    cold, warm, imports = start.timings(quick=True)
    assert warm.median_s > 0
    assert cold.median_s > 0
    assert imports.median_s > 0


def test_who_is_missing_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_absent(NBGRAD, compile_asked=False) == ""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert why_absent(TORCH, compile_asked=False) == "torch is not installed"


def test_torch_compile_is_asked_for_and_needs_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "found")
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "--compile" in why_absent("torch.compile", compile_asked=False)
    assert "C++ compiler" in why_absent("torch.compile", compile_asked=True)


def test_random_trees_do_not_repeat() -> None:
    programs = trees._programs(0)
    seen = {tuple(next(programs)) for _ in range(200)}
    assert len(seen) == 200
