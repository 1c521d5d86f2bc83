"""What was measured, as lines appended to ``history.csv`` to look back on."""

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
VERSIONS = ("nbgrad", "numba", "llvmlite", "numpy", "torch", "jax", "autograd")
LATER = ("drjit",)  # versions that older lines have not: these end before
FIELDS = (
    *("date", "commit", "machine", "cores", "python", *VERSIONS, "threads", "quick"),
    *("case", "size", "contestant", "first_s", "warm_first_s", "median_s", "spread", "rounds", "per", "peak_mib"),
    *LATER,
)

Row = dict[str, Any]


def rows_of(timings: Iterable[Timing], threads: str, quick: bool) -> list[Row]:
    """One row per case and contestant."""
    common = {**_surroundings(), "threads": threads, "quick": int(quick)}
    return [
        {
            **common,
            "case": t.case.name,
            "size": t.case.size,
            "contestant": t.contestant,
            "first_s": f"{t.first_s:.6g}",
            "warm_first_s": "" if t.warm_first_s is None else f"{t.warm_first_s:.6g}",
            "median_s": f"{t.median_s:.6g}",
            "spread": f"{t.spread:.3f}",
            "rounds": len(t.rounds_s),
            "per": t.case.per,
            "peak_mib": "" if t.peak_mib is None else f"{t.peak_mib:.1f}",
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
        **{name: _version(name) for name in (*VERSIONS, *LATER)},
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
