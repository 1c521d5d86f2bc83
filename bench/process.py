"""One contestant in a process of its own: its first call, and the memory it takes.

``python -m bench.process CASE INDEX CONTESTANT [--quick] [--cpu-time]`` prints both as JSON. In the process that times
everybody, others have long imported and compiled what a first call would wait for.
"""

from __future__ import annotations

import compileall
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.cases import cases_of
from bench.libraries import COMPILED, DRJIT, JAX, NBGRAD, NBGRAD_COMPILED
from bench.measure import Timing, Work, settle

ROOT = Path(__file__).resolve().parents[1]
SETTLE_S = 1.0
TURNS, SLOW_S = 3, 2.0
COMPARED = (NBGRAD, NBGRAD_COMPILED, JAX)  # whose first calls have goals
MIB = 1 << 20


@dataclass(frozen=True)
class Start:
    """Seconds of the first call after import and preparation, and the memory that steady calls need above those."""

    first_s: float
    peak_mib: float


@cache
def _write_byte_code() -> None:
    """An installed package comes with its byte code, as the peers' do; this one runs from its sources."""
    compileall.compile_dir(ROOT / "nbgrad", quiet=1)
    compileall.compile_dir(ROOT / "bench", quiet=1)


def start(case: str, index: int, contestant: str, flags: Sequence[str], **environment: str) -> Start:
    """Run ``contestant`` in a new process."""
    found = start_within(None, case, index, contestant, flags, **environment)
    assert found is not None
    return found


def start_within(
    limit_s: float | None, case: str, index: int, contestant: str, flags: Sequence[str], **environment: str
) -> Start | None:
    """The same; None where it takes longer than ``limit_s``, which ends it and the compilers that it runs."""
    _write_byte_code()
    command = [sys.executable, "-m", "bench.process", case, str(index), contestant, *flags]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except BaseException as stop:  # Ctrl-C, too
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(stop, subprocess.TimeoutExpired):
                return None
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Start(**json.loads(output.splitlines()[-1]))


def complete(timings: Sequence[Timing], case: str, index: int, quick: bool, cpu_time: bool = False) -> None:
    """Put the first calls and the memory of new processes into the ``timings`` of a case.

    One first call alone may be a third off, so those that goals compare are made several times, in turns; the median
    counts. Slow ones are made once.
    """
    flags = [flag for flag, given in (("--quick", quick), ("--cpu-time", cpu_time)) if given]
    shared = [t for t in timings if not (t.contestant == t.case.floor and t.contestant.startswith("floor"))]
    found: dict[str, list[_Starts]] = {t.contestant: [] for t in shared}
    for turn in range(1 if quick else TURNS):
        for name, starts in found.items():
            if turn == 0 or (name in COMPARED and starts[0].longest_s < SLOW_S):
                starts.append(_starts(name, case, index, flags))
    for timing in shared:
        starts = found[timing.contestant]
        cold, warm = _median([s.cold_s for s in starts]), _median([s.warm_s for s in starts])
        timing.first_s = timing.first_s if cold is None else cold
        timing.warm_first_s = warm
        timing.peak_mib = _median([s.peak_mib for s in starts])


@dataclass(frozen=True)
class _Starts:
    """First calls of one contestant without and with the files that earlier ones left; None where it has none such."""

    cold_s: float | None
    warm_s: float | None
    peak_mib: float

    @property
    def longest_s(self) -> float:
        return max(self.cold_s or 0.0, self.warm_s or 0.0)


def _starts(contestant: str, case: str, index: int, flags: Sequence[str]) -> _Starts:
    keeps = {NBGRAD: "NBGRAD_CACHE_DIR", NBGRAD_COMPILED: "NBGRAD_CACHE_DIR", DRJIT: "HOME"}.get(contestant)
    if keeps is not None:
        with tempfile.TemporaryDirectory() as folder:  # mode 0700, as the cache demands
            cold = start(case, index, contestant, flags, **{keeps: folder})
            warm = start(case, index, contestant, flags, **{keeps: folder})
        return _Starts(cold.first_s, warm.first_s, warm.peak_mib)
    new = start(case, index, contestant, flags)
    if contestant == COMPILED:  # its compiler keeps files too; the cold call was timed before there were any
        return _Starts(None, new.first_s, new.peak_mib)
    return _Starts(new.first_s, None, new.peak_mib)


def _median(found: Sequence[float | None]) -> float | None:
    given = [value for value in found if value is not None]
    return statistics.median(given) if given else None


def _status_bytes(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {name}")


def _peak_from_now() -> None:
    """Forget the peak so far (Linux: proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def _run(work: Work, clock: Callable[[], float]) -> Start:
    before_bytes = _status_bytes("VmRSS")
    begin = clock()
    work()
    first_s = clock() - begin
    settle(work, SETTLE_S)
    _peak_from_now()
    for _ in range(3):
        work()
    return Start(first_s, (_status_bytes("VmHWM") - before_bytes) / MIB)


def main() -> None:
    name, index, contestant = sys.argv[1:4]
    case = cases_of(name, "--quick" in sys.argv)[int(index)]
    # What torch.compile waits for are compilers in processes of their own: only the wall's clock sees them.
    by_cpu = "--cpu-time" in sys.argv and contestant != COMPILED
    result = _run(case.makers[contestant](), time.process_time if by_cpu else time.perf_counter)
    print(json.dumps(vars(result)))


if __name__ == "__main__":
    main()
