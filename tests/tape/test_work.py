"""How work is dealt out."""

from __future__ import annotations

from nbgrad.tape.work import CHUNK_PS, SHARE_PS, SPLIT, chunk_items, element_ps, pieces_of


def test_little_work_and_single_items_are_not_shared() -> None:
    assert pieces_of(1000, SHARE_PS // 1000 - 1) == (1000, 0)
    assert pieces_of(1000, SHARE_PS // 1000) == (1000, SPLIT)
    assert pieces_of(1, 100 * SHARE_PS)[1] == 0
    assert pieces_of(2, SHARE_PS // 2) == (2, SPLIT)


def test_no_call_takes_longer_than_a_millisecond() -> None:
    assert chunk_items(1000, 500) == 1000
    assert chunk_items(1_000_000, CHUNK_PS // 10) == 10
    assert chunk_items(5, CHUNK_PS * 2) == 1


def test_dearer_operators_and_more_bytes_cost_more() -> None:
    assert element_ps(["exp"], 8) > element_ps(["add"], 8) > element_ps(["add"], 0) > 0
