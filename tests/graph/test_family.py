"""Sequences with other numbers of rounds."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.graph.family import OUTSIDE, Family, even_runs, find_family
from nbgrad.graph.runs import Run, find_runs

Refs = list[list[int]]


def there_and_back(rounds: int) -> tuple[str, Refs]:
    """A weight and a state; steps of two entries; then, backward, entries that read their step and the one before."""
    codes, refs = "ws", [[], []]
    for _ in range(rounds):
        at = len(refs)
        codes += "ab"
        refs += [[0, at - 1], [at]]
    end = len(refs)
    codes += "l"
    refs.append([end - 1])
    for t in range(rounds):
        at = len(refs)
        codes += "gh"
        refs += [[at - 1, end - 2 * t - 1], [at, end - 2 * t - 2, 0]]
    codes += "r"
    refs.append([len(refs) - 1, end - 1])
    return codes, refs


def family_of(codes: str, refs: Refs, labels: Sequence[int] | None = None) -> Family | None:
    return find_family(refs, find_runs(codes, 8, 2), labels or [0] * len(codes), 8)


def test_rounds_are_taken_out_and_put_in() -> None:
    codes, refs = there_and_back(20)
    family = family_of(codes, refs)
    assert family is not None
    for rounds in (6, 7, 20, 31):
        entries = family.resized(rounds - 20)
        assert entries is not None
        wanted = there_and_back(rounds)
        assert "".join([codes[entry.like] for entry in entries]) == wanted[0]
        assert [entry.refs for entry in entries] == wanted[1]


def test_the_first_and_the_last_rounds_are_kept() -> None:
    codes, refs = there_and_back(20)
    family = family_of(codes, refs)
    assert family is not None
    entries = family.resized(-14) or []
    kept = [entry.like for entry in entries if codes[entry.like] == "a"]
    assert kept[0] == 2
    assert kept[-1] == 2 + 2 * 19
    assert {entry.region for entry in entries if codes[entry.like] == "w"} == {OUTSIDE}


def test_who_reads_a_round_in_the_middle_leaves_no_family() -> None:
    codes, refs = there_and_back(20)
    refs[-1].append(2 + 2 * 10)
    family = family_of(codes, refs)
    assert family is not None
    assert family.resized(-14) is None


def test_labels_have_to_move_on_evenly() -> None:
    codes, refs = there_and_back(20)
    labels = [0] * len(codes)
    for t in range(20):
        labels[2 + 2 * t] = 3 * t
    assert family_of(codes, refs, labels) is not None
    labels[2 + 2 * 10] = 5
    assert family_of(codes, refs, labels) is None


def test_terms_of_a_sum_are_counted_by_the_rounds_that_they_belong_to() -> None:
    codes, refs = "", Refs()
    for _ in range(12):
        codes += "abcd"
        refs += [[max(len(refs) - 1, 0)], [len(refs)], [len(refs) + 1], [len(refs) + 2]]
    for t in range(12):
        codes += "ss"
        refs += [[4 * (11 - t)], [4 * (11 - t) + 3]]
    runs = even_runs(refs, [Run(0, 4, 12), Run(48, 1, 24)], 5)
    assert [run.period for run in runs] == [4, 2]


def test_a_round_that_the_caller_leaves_out_cannot_be_asked_for() -> None:
    """Rounds 1 and 2 of eight are left out, not those in the middle."""
    refs = [[], *[[i] for i in range(8)], [2]]
    family = find_family(refs, [Run(1, 1, 8)], [0] * len(refs), 3)
    assert family is not None
    assert family.resized(-2, [1]) is None
