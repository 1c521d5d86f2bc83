from __future__ import annotations

import pytest

from bench.schedule import JOB_S, parts_of, reckoned
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.tape import Instruction
from nbgrad.tape.work import SPLIT, WAVE

TEXT = KernelText("map", 1, 0, ())
COST = 100_000_000


def row(items: int, flags: int) -> Instruction:
    return Instruction(TEXT, 0, items, 0, COST // items, flags, ())


def test_what_cannot_be_shared_keeps_one_thread_busy_unless_others_are_beside_it() -> None:
    alone = [row(1, 0), row(1, 0)]
    found = reckoned(alone, [3.0, 2.0], 2)
    assert (found.alone_s, found.in_waves_s, found.one_by_one_s, found.ideal_s) == (5.0, 5.0, 5.0, 2.5)
    beside = reckoned([alone[0]._replace(flags=WAVE), alone[1]], [3.0, 2.0], 2)
    assert beside.one_by_one_s == 5.0
    assert beside.in_waves_s == pytest.approx(3.0 + JOB_S)


def test_uneven_parts_are_waited_for() -> None:
    assert parts_of(row(3, SPLIT), 2) == [1 / 3] * 3
    assert reckoned([row(3, SPLIT)], [3.0], 2).in_waves_s == pytest.approx(2.0 + JOB_S)


def test_little_work_stays_with_one_thread() -> None:
    assert reckoned([row(4, SPLIT)._replace(cost=1)], [1e-6], 2).in_waves_s == 1e-6
