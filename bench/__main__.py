"""The command line: ``python -m bench overhead [--quick] [--only WORD]``.

Each number of threads is measured in a process of its own, because libraries read it when they start.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from typing import Any

from bench import chain, digits, elementwise, history, start, trees
from bench.measure import Timing, measured

SUITES = {"chain": chain, "elementwise": elementwise, "digits": digits, "trees": trees}
THREAD_VARIABLES = (
    "NBGRAD_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
)


def main() -> int:
    args = _arguments()
    if args.threads is None:
        return _each_number_of_threads(args)
    rounds, slot_s, settle_s = (3, 0.02, 1.0) if args.quick else (15, 0.25, 2.0)
    timings: list[Timing] = []
    for name, suite in SUITES.items():
        if args.only in (None, name):
            for case in suite.cases(args.quick):
                timings += _announced(measured(case, rounds, slot_s, settle_s), args.threads)
    if args.only in (None, "start") and args.threads != "1":
        timings += _announced(start.timings(args.quick), args.threads)
    if args.keep:
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        history.append(history.rows_of(timings, args.threads, args.quick, peak_mib))
    return 0


def _announced(timings: list[Timing], threads: str) -> list[Timing]:
    print(history.table(timings, threads), flush=True)
    return timings


def _each_number_of_threads(args: argparse.Namespace) -> int:
    for threads in ("1", "default"):
        env = dict(os.environ)
        if threads != "default":
            env.update(dict.fromkeys(THREAD_VARIABLES, threads))
        done = subprocess.run(
            [sys.executable, "-m", "bench", *sys.argv[1:], "--threads", threads], env=env, check=False
        )
        if done.returncode:
            return done.returncode
    return 0


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure nbgrad beside PyTorch and Numba.")
    parser.add_argument("what", choices=["overhead"], help="the set of measurements")
    parser.add_argument("--quick", action="store_true", help="a few seconds: shows that it runs, measures little")
    parser.add_argument("--only", choices=[*SUITES, "start"], help="one of the measurements")
    parser.add_argument("--threads", metavar="N", help="label of this process; by default two processes, 1 and default")
    parser.add_argument("--no-history", dest="keep", action="store_false", help="leave bench/history.csv alone")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
