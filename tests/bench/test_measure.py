from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pytest

from bench import history
from bench.measure import Case, Timing, measured


def test_contestants_take_turns_and_are_timed() -> None:
    order: list[str] = []

    def work(name: str, seconds: float):  # type: ignore[no-untyped-def]
        def once() -> float:
            order.append(name)
            time.sleep(seconds)
            return 1.0

        return once

    case = Case("sleep", "", {"short": work("short", 0.001), "long": work("long", 0.004)}, settles=False)
    short, long = measured(case, rounds=3, slot_s=0.001, settle_s=0.0)
    assert len(short.rounds_s) == len(long.rounds_s) == 3
    assert short.median_s < long.median_s
    assert order[-4:] == ["short", "long", "short", "long"]


def test_contestants_that_disagree_are_not_timed() -> None:
    case = Case("sums", "", {"right": lambda: np.ones(3), "wrong": lambda: np.array([1.0, 1.0, 1.1])})
    with pytest.raises(AssertionError, match="sums: wrong differs from right"):
        measured(case, rounds=1, slot_s=0.001, settle_s=0.0)


def test_spread_is_the_interquartile_range_over_the_median() -> None:
    timing = Timing(Case("", "", {}), "", 0.0, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert timing.median_s == 3.0
    assert timing.spread == 2.0 / 3.0


def test_the_table_compares_and_the_history_grows(tmp_path: Path) -> None:
    case = Case("a chain", "16 floats", {}, per=10, goal="quick")
    timings = [Timing(case, "nbgrad", 0.5, [1e-5]), Timing(case, "PyTorch eager", 0.5, [1e-4])]
    text = history.table(timings, "1")
    assert "a chain [16 floats, 1 threads]   goal: quick" in text
    assert "1 us per operation" in text
    assert "nbgrad takes 0.10 of it" in text
    for _ in range(2):
        history.append(history.rows_of(timings, "1", True, 99), tmp_path / "history.csv")
    rows = list(csv.DictReader((tmp_path / "history.csv").open()))
    assert [row["contestant"] for row in rows] == ["nbgrad", "PyTorch eager"] * 2
    assert rows[0]["case"] == "a chain"
    assert rows[0]["numba"]
