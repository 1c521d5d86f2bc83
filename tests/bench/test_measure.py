from __future__ import annotations

import threading
import time
from collections.abc import Mapping

import numpy as np
import pytest

from bench.measure import Case, Enqueued, Maker, Pace, Timing, Work, measured, wait_for_threads

TINY = Pace(rounds=3, slot_s=0.001, settle_s=0.0)


def makers(**works: Work) -> Mapping[str, Maker]:
    return {name: lambda work=work: work for name, work in works.items()}  # type: ignore[misc]


def test_contestants_take_turns_and_are_timed() -> None:
    order: list[str] = []

    def work(name: str, seconds: float) -> Work:
        def once() -> float:
            order.append(name)
            time.sleep(seconds)
            return 1.0

        return once

    case = Case("sleep", "", makers(short=work("short", 0.001), long=work("long", 0.004)), settles=False)
    short, long = measured(case, TINY)
    assert len(short.rounds_s) == len(long.rounds_s) == 3
    assert short.median_s < long.median_s
    assert list(dict.fromkeys(order[-4:])) == ["short", "long"]  # each once before it is timed
    assert order[-4:].count("short") == 2


def test_the_pace_brings_the_clock() -> None:
    ticks = iter(range(1000))
    pace = Pace(rounds=3, slot_s=0.0, settle_s=0.0, clock=lambda: float(next(ticks)))
    (timing,) = measured(Case("ticks", "", makers(one=lambda: 1.0), settles=False), pace)
    assert timing.rounds_s == [1.0, 1.0, 1.0]


def test_contestants_that_disagree_are_not_timed() -> None:
    case = Case("sums", "", makers(right=lambda: np.ones(3), wrong=lambda: np.array([1.0, 1.0, 1.1])))
    with pytest.raises(AssertionError, match="sums: wrong differs from right"):
        measured(case, TINY)


def test_as_many_calls_are_compared_as_the_case_says() -> None:
    counts = [0, 0]

    def work() -> int:
        counts[0] += 1
        return counts[0]

    def goes_astray() -> int:
        counts[1] += 1
        return counts[1] + (counts[1] > 3)

    case = Case("counts", "", makers(right=work, wrong=goes_astray), compared=4)
    with pytest.raises(AssertionError, match="counts: wrong differs"):
        measured(case, TINY)


def test_a_floor_may_do_only_part_of_the_work() -> None:
    case = Case("sums", "", makers(whole=lambda: 1.0, part=lambda: None), floor="part", settles=False)
    assert [t.contestant for t in measured(case, TINY)] == ["whole", "part"]


def test_others_may_not() -> None:
    case = Case("sums", "", makers(whole=lambda: 1.0, part=lambda: None), settles=False)
    with pytest.raises(ValueError, match="zip"):
        measured(case, TINY)


def test_spread_is_the_interquartile_range_over_the_median() -> None:
    timing = Timing(Case("", "", {}), "", 0.0, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert timing.median_s == 3.0
    assert timing.spread == 2.0 / 3.0


def test_waits_until_no_thread_works(monkeypatch: pytest.MonkeyPatch) -> None:
    spent_s = iter([0.0, 1.0, 1.0, 2.0, 2.0, 2.0])  # before and after each look: threads work during two of three
    monkeypatch.setattr(time, "process_time", lambda: next(spent_s))
    wait_for_threads(limit_s=60.0)
    assert next(spent_s, None) is None


def test_does_not_wait_for_ever() -> None:
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            pass

    spinning = threading.Thread(target=spin)
    spinning.start()
    wait_for_threads(limit_s=0.02)
    over.set()
    spinning.join()


def test_what_goes_wrong_keeps_nobody_else_from_being_timed() -> None:
    def breaks() -> float:
        raise RuntimeError("no room")

    def no_maker() -> Work:
        raise ImportError("no library")

    works = makers(right=lambda: 1.0, wrong=lambda: 2.0, broken=breaks, last=lambda: 1.0)
    failed: dict[str, str] = {}
    case = Case("sums", "", {**works, "missing": no_maker}, settles=False)
    assert [t.contestant for t in measured(case, TINY, failed)] == ["right", "wrong", "last"]
    assert {name: text.splitlines()[-1] for name, text in failed.items() if name != "wrong"} == {
        "broken": "RuntimeError: no room",
        "missing": "ImportError: no library",
    }
    assert "sums: wrong differs from right" in failed["wrong"]


def test_what_was_enqueued_before_is_done_when_the_clock_starts() -> None:
    waiting: list[int] = []
    most = 0

    def wait() -> None:
        nonlocal most
        most = max(most, len(waiting))
        waiting.clear()

    case = Case("queue", "", {"gpu": lambda: Enqueued(lambda: waiting.append(1), wait)}, compared=1, settles=False)
    measured(case, Pace(rounds=3, slot_s=0.0, settle_s=0.0))
    assert most == 1, "a round of one call waits for one call"
