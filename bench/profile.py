"""Where a call of nbgrad goes, kernel by kernel: ``python -m bench.profile CASE [INDEX] [--compiled] [--each] ...``.

With ``--compiled`` the case is that of ``nbgrad.compile``; with ``--threads N`` it reckons how long N threads take, see
``schedule.py``. Beside each kernel stand the bytes that it reads and writes at least, see ``traffic.py``.

After every run of a tape its kernels are called once more, one by one in their order, each under the clock (they read
the same inputs and write the same values, but for an update in place, which happens twice). CPU time, one thread, the
least of several calls: what other programs on the machine do hardly shows.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

CALLS, SETTLE_S = 15, 4.0


@dataclass
class Tape:
    """What was seen of one tape: its lines, its runs, and the least seconds of a run and of each kernel."""

    lines: Sequence[str]
    instructions: Sequence[Any]
    traffic: Sequence[int | None]
    kernels_s: Any
    run_s: float = float("inf")
    runs: int = 0


class Kind(NamedTuple):
    """What kernels of one form with the same operators and items take in a call: how often they run, their seconds,
    and the bytes that they move at least, where that is known."""

    what: str
    often: float
    seconds: float
    nbytes: float | None


@dataclass
class Profile:
    """Seconds of the quickest call, and the tapes that the calls ran."""

    call_s: float
    calls: int
    tapes: list[Tape] = field(default_factory=list)

    def by_kind(self) -> list[Kind]:
        """Where the time goes, the longest first."""
        kinds: dict[str, Kind] = {}
        for tape in self.tapes:
            often = tape.runs / self.calls
            for line, seconds, nbytes in zip(tape.lines, tape.kernels_s, tape.traffic, strict=True):
                before = kinds.get(_kind(line), Kind(_kind(line), 0.0, 0.0, 0.0))
                moved = None if nbytes is None or before.nbytes is None else before.nbytes + often * nbytes
                kinds[before.what] = Kind(before.what, before.often + often, before.seconds + often * seconds, moved)
        return sorted(kinds.values(), key=lambda kind: -kind.seconds)


def _kind(line: str) -> str:
    """A line of the tape without its number and its places in memory."""
    found = re.match(r"\s*\d+[:+] (.*?)\s+(\d+ items(?: shared)?)", line)
    return f"{found[1]} [{found[2]}]" if found else line


def profiled(work: Any, calls: int = CALLS, settle_s: float = SETTLE_S) -> Profile:
    """Call ``work`` until its kernels have come, time it whole, then kernel by kernel."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < settle_s:
        work()
    call_s = min(_seconds(work) for _ in range(calls))
    with _watching() as tapes:
        for _ in range(calls):
            work()
    return Profile(call_s, calls, list(tapes.values()))


def _seconds(work: Any) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


@contextmanager
def _watching() -> Iterator[dict[int, Tape]]:
    """Inside, each run of a tape is followed by its kernels one by one; gives what was seen, by program.

    Steady calls of compiled functions go to the runner directly; where somebody watches the plans, they take the way
    of all others, with the same kernels.
    """
    from nbgrad.runtime.executable import Executable
    from nbgrad.runtime.runner import Program
    from nbgrad.trace.flush_plan import plans_run

    tapes: dict[int, Tape] = {}
    listings: list[Any] = []
    run_executable, run_program = Executable.run, Program.run

    def executable(self: Any, *bound: Any) -> Any:
        listings.append(self.tape)
        return run_executable(self, *bound)

    def program(self: Any, bases: Any, scalars_address: int, renewed: Any = None) -> None:
        begin = time.process_time()
        run_program(self, bases, scalars_address, renewed)
        elapsed = time.process_time() - begin
        if id(self) not in tapes:
            tapes[id(self)] = _tape_of(self, listings[-1])
        tape = tapes[id(self)]
        tape.runs += 1
        tape.run_s = min(tape.run_s, elapsed)
        np.minimum(tape.kernels_s, _one_by_one(self), out=tape.kernels_s)

    Executable.run, Program.run = executable, program  # type: ignore[method-assign]
    try:
        with plans_run():
            yield tapes
    finally:
        Executable.run, Program.run = run_executable, run_program  # type: ignore[method-assign]


def _tape_of(program: Any, tape: Any) -> Tape:
    from bench.traffic import traffic_of
    from nbgrad.tape.show import show_tape

    lines = show_tape(tape).splitlines()[: len(program)]
    return Tape(lines, tape.instructions, traffic_of(tape), np.full(len(program), np.inf))


def _one_by_one(program: Any) -> list[float]:
    """Seconds of each kernel, on the descriptors that the last run has bound."""
    from nbgrad.kernels.records import WORD
    from nbgrad.runtime.layout import BASES, ITEMS, KERNEL, OFFSET

    kernel_type = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    descriptors = program._frames[-1].address + (BASES + program.n_slots) * WORD
    seconds = []
    for row in program.tape.tolist():
        kernel, at, items = kernel_type(row[KERNEL]), descriptors + WORD * row[OFFSET], row[ITEMS]
        begin = time.process_time()
        kernel(at, 0, items)
        seconds.append(time.process_time() - begin)
    return seconds


def report(profile: Profile, each: bool) -> str:
    """The profile in words; ``each`` lists every instruction."""
    run_s = sum(t.run_s * t.runs for t in profile.tapes) / profile.calls
    runs = sum(t.runs for t in profile.tapes) / profile.calls
    lines = [f"a call {1e6 * profile.call_s:.0f} us, of that {1e6 * run_s:.0f} us in {runs:g} runs of tapes"]
    lines += [f"{_figures(s, nbytes)} {often:8g} x  {what}" for what, often, s, nbytes in profile.by_kind()]
    for tape in profile.tapes if each else ():
        lines.append(f"\ntape: {1e6 * tape.run_s:.1f} us a run, {tape.runs / profile.calls:g} runs a call")
        rows = zip(tape.lines, tape.kernels_s, tape.traffic, strict=True)
        lines += [f"{_figures(s, nbytes)} {line}" for line, s, nbytes in rows]
    return "\n".join(lines)


def _figures(seconds: float, nbytes: float | None) -> str:
    """Time, bytes and bandwidth."""
    moved = " " * 25 if nbytes is None else f"{nbytes / 1e3:10.1f} kB {nbytes / seconds / 1e9:6.1f} GB/s"
    return f"{1e6 * seconds:10.1f} us {moved}"


def shared(profile: Profile, threads: int) -> str:
    """What several threads would take for each tape."""
    from bench.schedule import reckoned

    lines = []
    for tape in profile.tapes:
        found = reckoned(tape.instructions, tape.kernels_s.tolist(), threads)
        alone, waves, single, ideal = (f"{1e6 * s:.0f} us" for s in found)
        lines.append(
            f"{len(tape.lines)} instructions: {alone} on one thread; on {threads}: {waves} in waves, "
            f"{single} one by one, {ideal} without any loss"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("case")
    parser.add_argument("index", nargs="?", type=int, default=0, help="which of the file's cases")
    parser.add_argument("--compiled", action="store_true", help="by nbgrad.compile")
    parser.add_argument("--quick", action="store_true", help="the small sizes")
    parser.add_argument("--each", action="store_true", help="every instruction, too")
    parser.add_argument("--threads", type=int, default=1, help="reckon with so many")
    args = parser.parse_args()
    os.environ["NBGRAD_NUM_THREADS"] = str(args.threads)
    from bench.cases import ALL, OVERHEAD, cases_of
    from bench.libraries import NBGRAD, NBGRAD_COMPILED
    from nbgrad.config import override

    names = dict.fromkeys(ALL + OVERHEAD)
    if args.case not in names:
        parser.error(f"there is no case {args.case}: there are {', '.join(names)}")
    cases = cases_of(args.case, args.quick)
    if not 0 <= args.index < len(cases):
        parser.error(f"{args.case} has no case {args.index}, but 0 to {len(cases) - 1}")
    case = cases[args.index]
    contestant = NBGRAD_COMPILED if args.compiled else NBGRAD
    if contestant not in case.makers:
        parser.error(f"{args.case} is not done by {contestant}")
    print(f"{case.name} [{case.size}], {contestant}")
    with override(compile="eager"):  # the kernels that all calls have once they have come
        profile = profiled(case.makers[contestant]())
    print(report(profile, args.each))
    if args.threads > 1:
        print(shared(profile, args.threads))


if __name__ == "__main__":
    main()
