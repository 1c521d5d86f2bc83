"""Where a sequence repeats itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from nbgrad.graph import runs as runs_module
from nbgrad.graph.runs import Run, find_runs


def test_a_body_is_found_between_what_comes_before_and_after() -> None:
    codes = [*"xyz", *("abcdefg" * 12), *"uv"]
    (run,) = find_runs(codes, 10)
    assert (run.period, run.rounds) == (7, 12)
    assert run.start == 3


def test_the_shortest_body_is_taken_and_not_two_of_them_together() -> None:
    assert find_runs("abcdefgh" * 40, 10) == [Run(0, 8, 40)]


def test_a_body_that_repeats_itself_inside_is_found_whole() -> None:
    body = "aab" * 9 + "c"
    (run,) = find_runs(body * 15, 12)
    assert (run.period, run.rounds) == (28, 15)


def test_two_loops_are_two_runs() -> None:
    runs = find_runs([*("abcdefg" * 9), *"-", *("hijklmnop" * 8)], 8)
    assert [(run.period, run.rounds) for run in runs] == [(7, 9), (9, 8)]


def test_a_run_may_end_with_the_sequence() -> None:
    assert find_runs("abcdefgh" * 6 + "a", 6) == [Run(0, 8, 6)]
    assert find_runs([*"xyzuvw", *("ab" * 3)], 3, 2) == [Run(6, 2, 3)]


def test_few_rounds_are_no_run() -> None:
    assert find_runs("abcdefg" * 9, 10) == []
    assert find_runs([], 3) == []
    assert find_runs("ab", 3, 1) == []


def test_a_run_has_equal_rounds_and_none_lies_in_another() -> None:
    chance = random.Random(1)
    for _ in range(50):
        codes = "".join([*chance.choices("ab", k=5), "abc" * chance.randint(1, 9), *chance.choices("abc", k=20)])
        end = 0
        for run in find_runs(codes, 3, 1):
            assert run.start >= end
            end = run.end
            rounds = {codes[run.start + run.period * t : run.start + run.period * (t + 1)] for t in range(run.rounds)}
            assert len(rounds) == 1
            assert run.rounds >= 3


def test_a_body_with_an_entry_that_is_new_each_round_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Counted(list[int]):
        def __getitem__(self, key: Any) -> Any:
            found = super().__getitem__(key)
            compared.append(len(found))
            return found

    given = runs_module._equal
    monkeypatch.setattr(runs_module, "_equal", lambda values, i, period: given(Counted(values), i, period))
    assert find_runs([x for t in range(500) for x in (*"abcdefgh", t)], 30) == []
    assert 0 < sum(compared) < 9 * 500 * 64
