"""A smoke: every measurement runs and its contestants agree. No times are asserted."""

from __future__ import annotations

import importlib.util

import pytest

from bench import chain, digits, elementwise, libraries, start, trees
from bench.measure import measured


@pytest.fixture(autouse=True)
def only_what_is_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch takes seconds to import, and its answers are checked whenever the bench runs."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert [name for name, _ in libraries.libraries()] == ["nbgrad"]


@pytest.mark.parametrize("suite", [chain, digits, trees])
def test_a_measurement_runs(suite: object) -> None:
    for case in suite.cases(quick=True):
        (timing,) = measured(case, rounds=1, slot_s=0.001, settle_s=0.01)
        assert timing.median_s > 0


def test_the_hand_written_loops_agree_with_nbgrad() -> None:
    for case in elementwise.cases(quick=True):
        assert len(measured(case, rounds=1, slot_s=0.001, settle_s=0.01)) == 2


def test_the_first_backward_is_timed_in_new_processes() -> None:
    cold, warm, imports = start.timings(quick=True)
    assert warm.median_s > 0
    assert cold.median_s > 0
    assert imports.median_s > 0


def test_random_trees_do_not_repeat() -> None:
    programs = trees._programs(0)
    seen = {tuple(next(programs)) for _ in range(200)}
    assert len(seen) == 200
