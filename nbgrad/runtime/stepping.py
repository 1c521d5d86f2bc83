"""A program's rows one after the other, each timed: the same kernels with the same descriptors, called by the same
runner, which comes back to Python after each."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from typing import Any

from nbgrad.runtime.layout import BASES, CODE, DONE, FAILED, FLAGS, N_ROWS, PAUSED, PC, WAVE
from nbgrad.runtime.runner import Program
from nbgrad.runtime.runner_code import runner_code

# (first row, the one behind the last, begin and end in ns): several rows where threads ran them beside each other.
Clock = Callable[[int, int, int, int], None]

_Words = ctypes.c_int64 * BASES


@contextmanager
def stepwise(program: Program, clock: Clock) -> Iterator[None]:
    """Runs of ``program`` in the ``with`` block tell ``clock`` of each row. They must not write to memory of inputs."""
    before = getattr(program._run, "before", program._run)  # another thread may step through it, too
    stepper: Any = _stepper(runner_code().run, _ends(program), clock)
    stepper.before = before
    program._run = stepper
    try:
        yield
    finally:
        program._run = before


def _ends(program: Program) -> list[int]:
    """Behind the last row of each wave; waves run row by row where nothing is shared."""
    last = len(program.tape) - 1
    flags: Sequence[Any] = program.tape[:, FLAGS].tolist()
    return [pc + 1 for pc in range(last + 1) if pc == last or not (program.shared_ps and flags[pc] & WAVE)]


def _stepper(run: Callable[[int], int], ends: Sequence[int], clock: Clock) -> Callable[[int], int]:
    def step(address: int) -> int:
        frame = _Words.from_address(address)
        begin, done = 0, False
        try:
            for end in ends:
                frame[PC], frame[N_ROWS] = begin, end
                begun_ns = perf_counter_ns()
                status = run(address)
                while status == PAUSED:
                    status = run(address)
                if status == FAILED:
                    done = True
                    return FAILED
                clock(begin, end, begun_ns, perf_counter_ns())
                begin = end
            done = True
        finally:
            frame[N_ROWS] = ends[-1] if ends else 0
            if not done:
                frame[CODE] = -1  # whoever asks whether the run is over must not take the end of a row for it
        return DONE

    return step
