"""What a thread did twice it is expected to do again."""

from __future__ import annotations

from nbgrad.trace.pace import MOST, MOST_CREDIT_S, MOST_ENTRIES, Join, Pace


def backwards(pace: Pace, join: Join, count: int) -> None:
    for _ in range(count):
        pace.goes_on(join)


def test_a_number_of_backwards_counts_when_it_came_twice() -> None:
    join = Join(10)
    lengths = []
    for period in (4, 6, 4, 4, 5, 5, 4):
        join.note(period)
        lengths.append(join.length)
    assert lengths == [1, 1, 1, 4, 4, 5, 5]


def test_no_more_than_fit_into_one_program() -> None:
    join = Join(MOST_ENTRIES // 3)
    join.note(100)
    join.note(200)
    assert join.length == 3
    assert Join(1).most == MOST


def test_a_look_ends_a_period_and_so_do_as_many_as_may_be_joined() -> None:
    pace, join = Pace(), Join(10)
    backwards(pace, join, 3)
    pace.looked()
    assert join.period == 3
    pace.looked()
    assert join.period == 3  # nothing came between
    backwards(pace, join, MOST + 2)
    assert join.period == MOST
    pace.looked()
    assert join.period == 2


def test_only_plans_of_chapters_that_wait_are_paid_for() -> None:
    pace, join = Pace(), Join(10)
    pace.join = join
    join.earn(2 * MOST_CREDIT_S)
    pace.planned(0.25)
    assert join.credit_s == MOST_CREDIT_S
    pace.parts = 1
    pace.planned(0.25)
    assert join.credit_s == MOST_CREDIT_S - 0.25
