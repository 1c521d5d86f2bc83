"""How long several threads would take for a tape, reckoned from what each kernel takes alone.

On a machine that others use, two threads cannot be timed; this shows what is lost to instructions that cannot be
shared, to uneven parts, and to handing out jobs.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from nbgrad.runtime.pool_kernels import part_size
from nbgrad.tape.work import SHARE_PS, WAVE

JOB_S: Final = 1.3e-6  # for handing out a job and waiting for its end, as bench.threads measures it


class Reckoned(NamedTuple):
    """Seconds of a tape on one thread; on several: in waves, one instruction after the other, and without any loss."""

    alone_s: float
    in_waves_s: float
    one_by_one_s: float
    ideal_s: float


def reckoned(instructions: Sequence[Any], seconds: Sequence[float], threads: int) -> Reckoned:
    """``seconds`` are those of each instruction alone."""
    alone = float(sum(seconds))
    pairs = list(zip(instructions, seconds, strict=True))
    one_by_one = sum([job_s([pair], threads) for pair in pairs])
    in_waves, wave = 0.0, list[tuple[Any, float]]()
    for pair in pairs:
        wave.append(pair)
        if not pair[0].flags & WAVE:
            in_waves += job_s(wave, threads)
            wave = []
    return Reckoned(alone, in_waves, one_by_one, alone / threads)


def job_s(wave: Sequence[tuple[Any, float]], threads: int) -> float:
    """Seconds of some instructions with their seconds, given to threads together."""
    work = sum([i.items * i.cost for i, _ in wave])
    if work < SHARE_PS or (len(wave) == 1 and not wave[0][0].splits):
        return sum([seconds for _, seconds in wave])
    busy = [0.0] * threads
    for i, seconds in wave:
        for share in parts_of(i, threads):
            heapq.heapreplace(busy, busy[0] + share * seconds)
    return max(busy) + JOB_S


def parts_of(i: Any, threads: int) -> list[float]:
    """The parts in which threads take an instruction, as shares of it."""
    if not i.splits or not i.items:
        return [1.0]
    step = part_size(i.items, i.chunk or i.items, max(i.cost, 1), threads)
    return [min(step, i.items - at) / i.items for at in range(0, i.items, step)]
