"""What was measured, as rows: a table to read, and lines appended to ``history.csv`` to look back on."""

from __future__ import annotations

import csv
import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.measure import Timing

FILE = Path(__file__).with_name("history.csv")
VERSIONS = ("nbgrad", "numba", "llvmlite", "numpy", "torch")
FIELDS = (
    *("date", "commit", "machine", "cores", "python", *VERSIONS, "threads", "quick"),
    *("case", "size", "contestant", "first_s", "median_s", "spread", "rounds", "per", "peak_mib"),
)

Row = dict[str, Any]


def rows_of(timings: Iterable[Timing], threads: str, quick: bool, peak_mib: int) -> list[Row]:
    """One row per case and contestant."""
    common = {**_surroundings(), "threads": threads, "quick": int(quick), "peak_mib": peak_mib}
    return [
        {
            **common,
            "case": t.case.name,
            "size": t.case.size,
            "contestant": t.contestant,
            "first_s": f"{t.first_s:.6g}",
            "median_s": f"{t.median_s:.6g}",
            "spread": f"{t.spread:.3f}",
            "rounds": len(t.rounds_s),
            "per": t.case.per,
        }
        for t in timings
    ]


def _surroundings() -> Row:
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "commit": _commit(),
        "machine": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: _version(name) for name in VERSIONS},
    }


def _commit() -> str:
    """The commit of the working tree, with a + where files differ from it."""
    command = ["git", "-C", str(FILE.parent), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def append(rows: Iterable[Row], path: Path = FILE) -> None:
    """Add ``rows`` to the end of the history; the first ones bring the line of names."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def table(timings: Iterable[Timing], threads: str) -> str:
    """The timings in words: per case the contestants, and how nbgrad compares with each."""
    by_case: dict[str, list[Timing]] = {}
    for timing in timings:
        by_case.setdefault(timing.case.name, []).append(timing)
    return "\n".join(line for group in by_case.values() for line in _case_lines(group, threads))


def _case_lines(group: list[Timing], threads: str) -> list[str]:
    case = group[0].case
    title = f"{case.name} [{', '.join(filter(None, (case.size, f'{threads} threads')))}]"
    lines = ["", title + (f"   goal: {case.goal}" if case.goal else "")]
    own = next((t.median_s for t in group if t.contestant == "nbgrad"), None)
    for t in group:
        text = f"  {t.contestant:16} {in_units(t.median_s):>11}  +-{50 * t.spread:3.0f} %"
        if case.per > 1:
            text += f"  {in_units(t.median_s / case.per):>11} per operation"
        if t.first_s:
            text += f"   first call {in_units(t.first_s)}"
        if own and t.contestant != "nbgrad":
            text += f"   nbgrad takes {own / t.median_s:.2f} of it"
        lines.append(text)
    return lines


def in_units(seconds: float) -> str:
    """Seconds with three digits, in s, ms or us."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError
