"""The command line: ``python -m bench [overhead | cuda | numba | ports] [--quick] [--only CASE,...] ...``.

Threads are set in a process of its own, because libraries read their number when they start.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from bench import chart, history, process, start, table
from bench.cases import ALL, IN_NUMBA, OVERHEAD, PORTS, cases_of
from bench.cuda import CUDA, cuda_cases_of
from bench.libraries import COMPILED, NUMBA, gpu_name, release_gpu_memory, why_absent, why_without_gpu
from bench.measure import Case, Pace, Timing, measured

THREAD_VARIABLES = (
    "NBGRAD_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NPROC",  # JAX
)
QUICK, FULL = Pace(3, 0.02, 0.3), Pace(25, 0.08, 2.0)  # many short rounds: others may use the machine too
ALL_CORES = "default"
CPU_TIME = "1 (CPU time)"  # how the table calls it
COMPILE_S = 150.0  # torch.compile may take so long for its first call of a case


def main() -> int:
    args = _arguments()
    if not args.prepared:
        return _prepared(args)
    timings: list[Timing] = []
    failed = []
    for name in _chosen(args):
        try:
            timings += _shown(start.timings(args.quick), args) if name == "start" else _suite(name, args, failed)
        except Exception:  # the others are measured all the same; the exit status tells
            traceback.print_exc()
            failed.append(name)
    if args.what != "overhead":
        print(table.summary(timings))
        if args.keep and not (args.only or args.quick or args.matching):
            if args.what == "all":
                chart.draw(timings)
            if args.what == "numba":
                chart.draw(timings, chart.NUMBA_FILE, NUMBA)
    if failed:
        print(f"\nwrong, or not measured, see above: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _suite(name: str, args: Any, failures: list[str]) -> list[Timing]:
    """The times of the cases in a file. Which of them failed for whom is added to ``failures``."""
    timings = []
    pace = QUICK if args.quick else FULL
    if args.cpu_time:
        pace = dataclasses.replace(pace, clock=time.process_time)
    cases = cuda_cases_of(name, args.quick) if args.what == "cuda" else cases_of(name, args.quick)
    for index, case in enumerate(cases):
        if args.matching not in f"{case.name}, {case.size}":
            continue
        case, compiling_s = _with_affordable_compiler(_with_those_present(case, args), name, index, args)
        failed: dict[str, str] = {}
        new = measured(case, pace, failed)
        for contestant, why in failed.items():
            print(f"\n{case.name}, {case.size}: {contestant} failed:\n{why}", file=sys.stderr, flush=True)
            failures.append(f"{case.name}: {contestant}")
        if args.what in ("all", "ports") and not args.quick:
            process.complete(new, name, index, args.quick, args.cpu_time)
            for timing in new:
                if timing.contestant == COMPILED and compiling_s is not None:
                    timing.first_s = compiling_s
        timings += _shown(new, args)
        if args.what == "cuda":
            release_gpu_memory()
    return timings


def _shown(timings: list[Timing], args: Any) -> list[Timing]:
    """``timings``, printed and kept."""
    threads = gpu_name() if args.what == "cuda" else CPU_TIME if args.cpu_time else args.threads
    print(table.blocks(timings, threads), flush=True)
    if args.keep:
        history.append(history.rows_of(timings, threads, args.quick), args.history)
    return timings


def _with_those_present(case: Case, args: Any) -> Case:
    reasons = {name: why_absent(name, args.compile) for name in case.makers}
    if args.what == "cuda":
        reasons = {name: reason or why_without_gpu(name) for name, reason in reasons.items()}
    makers = {name: maker for name, maker in case.makers.items() if not reasons[name]}
    absent = {**case.absent, **{name: reason for name, reason in reasons.items() if reason}}
    return dataclasses.replace(case, makers=makers, absent=absent)


def _with_affordable_compiler(case: Case, name: str, index: int, args: Any) -> tuple[Case, float | None]:
    """``case`` without torch.compile where its first call takes too long; else how long it takes, where that is known:
    the files that it leaves are found when the case is measured."""
    if COMPILED not in case.makers or args.what != "all":
        return case, None
    flags = ["--quick"] if args.quick else []
    try:
        first = process.start_within(COMPILE_S, name, index, COMPILED, flags)
        reason = f"over {COMPILE_S:.0f} s to compile"
    except subprocess.CalledProcessError as error:  # it has said why
        first, reason = None, f"its first call failed with status {error.returncode}, see above"
    if first is not None:
        return case, first.first_s
    makers = {name: maker for name, maker in case.makers.items() if name != COMPILED}
    return dataclasses.replace(case, makers=makers, absent={**case.absent, COMPILED: reason}), None


def _chosen(args: Any) -> list[str]:
    if args.only:
        return list(args.only)
    if args.what != "overhead":
        return list({"cuda": CUDA, "numba": IN_NUMBA, "ports": PORTS}.get(args.what, ALL))
    return [*OVERHEAD, *(["start"] if args.threads != "1" else [])]


def _prepared(args: Any) -> int:
    """Run again with the environment that libraries read when they start; for ``cuda`` a file of cases after the other,
    so that each begins with an empty GPU."""
    numbers = (
        ["1"]
        if args.cpu_time
        else [args.threads]
        if args.threads
        else [ALL_CORES]
        if args.what != "overhead"
        else ["1", ALL_CORES]
    )
    parts = [["--only", name] for name in _chosen(args)] if args.what == "cuda" else [[]]
    worst = 0
    for threads, part in itertools.product(numbers, parts):
        with tempfile.TemporaryDirectory() as inductor:  # what torch.compile kept from earlier runs is no first call
            env = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": inductor}
            env["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # else JAX takes most of a GPU's memory
            if threads != ALL_CORES:
                env.update(dict.fromkeys(THREAD_VARIABLES, threads))
            command = [sys.executable, "-m", "bench", *sys.argv[1:], *part, "--prepared", "--threads", threads]
            worst = subprocess.run(command, env=env, check=False).returncode or worst
    return worst


def _names(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in {*ALL, *OVERHEAD, *CUDA, *IN_NUMBA, *PORTS, "start"}:
            raise argparse.ArgumentTypeError(
                f"no case {name}: there are {', '.join({**dict.fromkeys(ALL + OVERHEAD)})}, start; "
                f"of cuda {', '.join(CUDA)}"
            )
    return names


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure nbgrad beside its peers.")
    parser.add_argument(
        "what", nargs="?", choices=["all", "overhead", "cuda", "numba", "ports"], default="all", help="the cases"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: shows that all run and agree, measures little"
    )
    parser.add_argument(
        "--only", type=_names, metavar="CASE,...", help=f"some of {', '.join(ALL)}; of cuda {', '.join(CUDA)}"
    )
    parser.add_argument("--matching", metavar="TEXT", default="", help="those with this in their title or size")
    parser.add_argument(
        "--history", type=Path, metavar="FILE", default=history.FILE, help="where figures are added; bench/history.csv"
    )
    parser.add_argument(
        "--threads", metavar="N", help="threads for every library; by default all cores (overhead: both 1 and all)"
    )
    parser.add_argument("--cpu-time", action="store_true", help="one thread, and its CPU time: for a busy machine")
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        help=f"torch.compile too, where its first call takes less than {COMPILE_S:.0f} s (`cuda`: however long); "
        "by default yes, but for `cuda`, `overhead` and --quick",
    )
    parser.add_argument(
        "--no-history", dest="keep", action="store_false", help="leave history.csv and results.png alone"
    )
    parser.add_argument("--prepared", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compile is None:
        args.compile = args.what == "all" and not args.quick
    return args


if __name__ == "__main__":
    sys.exit(main())
