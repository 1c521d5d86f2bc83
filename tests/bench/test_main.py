"""The command line of the benchmark: which cases it takes, and what it does about those that fail."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as command
from bench import process
from bench.libraries import COMPILED
from bench.measure import Case, Work


def broken() -> Work:
    raise RuntimeError("no room")


CASES = [
    Case("one", "16 floats", {"right": lambda: lambda: 1.0}, settles=False),
    Case("two", "16 floats", {"right": lambda: lambda: 1.0, "wrong": lambda: lambda: 2.0}, settles=False),
    Case("three", "32 floats", {"right": lambda: lambda: 1.0, "broken": broken}, settles=False),
]


@pytest.mark.parametrize(
    ("options", "rows", "failed"),
    [
        (["--matching", "one, 16"], [("one", "right")], ""),
        (["--matching", "16"], [("one", "right"), ("two", "right"), ("two", "wrong")], "two: wrong"),
        (["--matching", "three"], [("three", "right")], "three: broken"),
    ],
)
def test_cases_are_chosen_by_title_and_those_that_fail_are_named(
    options: list[str],
    rows: list[tuple[str, str]],
    failed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "cases_of", lambda name, quick: CASES)
    history = tmp_path / "history.csv"
    given = ["--quick", "--only", "chain", "--prepared", "--threads", "1", "--history", str(history), *options]
    monkeypatch.setattr(sys, "argv", ["bench", *given])
    assert command.main() == bool(failed)
    with history.open(encoding="utf-8") as file:
        assert [(row["case"], row["contestant"]) for row in csv.DictReader(file)] == rows
    said = capsys.readouterr().err
    assert said.endswith(f"wrong, or not measured, see above: {failed}\n") if failed else not said


@pytest.mark.parametrize("fails", [False, True])
def test_a_compiler_that_takes_too_long_or_fails_is_left_out_with_the_reason(
    fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start_within(limit_s: float, *_: Any) -> None:
        assert limit_s == command.COMPILE_S
        if fails:
            raise subprocess.CalledProcessError(3, "python")

    right = {"right": lambda: lambda: 1.0}
    monkeypatch.setattr(
        command, "cases_of", lambda name, quick: [Case("one", "", {**right, COMPILED: broken}, settles=False)]
    )
    monkeypatch.setattr(command, "why_absent", lambda *_: "")
    monkeypatch.setattr(process, "start_within", start_within)
    given = ["--quick", "--compile", "--only", "chain", "--prepared", "--threads", "1", "--no-history"]
    monkeypatch.setattr(sys, "argv", ["bench", *given])
    assert command.main() == 0
    why = "its first call failed with status 3, see above" if fails else "over 150 s to compile"
    assert f"torch.compile      left out: {why}" in capsys.readouterr().out
