"""One contestant in a process of its own: its first call, and the memory it takes.

``python -m bench.process CASE INDEX CONTESTANT [--quick]`` prints both as JSON. In the process that times everybody,
others have long imported and compiled what a first call would wait for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.cases import cases_of
from bench.libraries import COMPILED, NBGRAD
from bench.measure import Timing, settle

ROOT = Path(__file__).resolve().parents[1]
SETTLE_S = 1.0
MIB = 1 << 20


@dataclass(frozen=True)
class Start:
    """Seconds of the first call after import and preparation, and the memory that steady calls need above those."""

    first_s: float
    peak_mib: float


def start(case: str, index: int, contestant: str, quick: bool, **environment: str) -> Start:
    """Run ``contestant`` in a new process."""
    command = [sys.executable, "-m", "bench.process", case, str(index), contestant, *(["--quick"] if quick else [])]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return Start(**json.loads(done.stdout.splitlines()[-1]))


def complete(timing: Timing, case: str, index: int, quick: bool) -> None:
    """Put the first call and the memory of new processes into ``timing``."""
    if timing.contestant == timing.case.floor and timing.contestant.startswith("floor"):
        return
    if timing.contestant == NBGRAD:
        with tempfile.TemporaryDirectory() as folder:  # mode 0700, as the cache demands
            timing.first_s = start(case, index, NBGRAD, quick, NBGRAD_CACHE_DIR=folder).first_s
            warm = start(case, index, NBGRAD, quick, NBGRAD_CACHE_DIR=folder)
        timing.warm_first_s, timing.peak_mib = warm.first_s, warm.peak_mib
        return
    new = start(case, index, timing.contestant, quick)
    timing.peak_mib = new.peak_mib
    if timing.contestant == COMPILED:  # its compiler keeps files too; the cold call was timed with an empty folder
        timing.warm_first_s = new.first_s
    else:
        timing.first_s = new.first_s


def _status_bytes(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {name}")


def _peak_from_now() -> None:
    """Forget the peak so far (Linux: proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def _run(work: Any, before_bytes: int) -> Start:
    begin = time.perf_counter()
    work()
    first_s = time.perf_counter() - begin
    settle(work, SETTLE_S)
    _peak_from_now()
    for _ in range(3):
        work()
    return Start(first_s, (_status_bytes("VmHWM") - before_bytes) / MIB)


def main() -> None:
    name, index, contestant = sys.argv[1:4]
    case = cases_of(name, "--quick" in sys.argv)[int(index)]
    work = case.makers[contestant]()
    result = _run(work, _status_bytes("VmRSS"))
    print(json.dumps(vars(result)))


if __name__ == "__main__":
    main()
