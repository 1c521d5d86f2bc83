from __future__ import annotations

import csv
from pathlib import Path

from bench import history
from bench.measure import Case, Timing

TIMINGS = [Timing(Case("a chain", "16 floats", {}), name, 0.5, [1e-5]) for name in ("nbgrad", "PyTorch eager")]


def test_the_history_grows(tmp_path: Path) -> None:
    for _ in range(2):
        history.append(history.rows_of(TIMINGS, "1", True), tmp_path / "history.csv")
    rows = list(csv.DictReader((tmp_path / "history.csv").open()))
    assert [row["contestant"] for row in rows] == ["nbgrad", "PyTorch eager"] * 2
    assert rows[0]["case"] == "a chain"
    assert rows[0]["numba"]
    assert rows[0]["peak_mib"] == ""


def test_the_kept_history_has_the_columns_that_are_written() -> None:
    with history.FILE.open(encoding="utf-8") as file:
        assert tuple(next(csv.reader(file))) == history.FIELDS
