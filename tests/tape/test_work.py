"""How work is dealt out."""

from __future__ import annotations

from nbgrad.tape.work import CHUNK_ELEMENTS, CHUNK_PS, chunk_items, element_ps


def test_little_work_stays_in_one_piece() -> None:
    assert chunk_items(1000, 1, 500) == 1000


def test_much_work_is_cut_into_pieces_worth_a_thread() -> None:
    assert chunk_items(1_000_000, 1, 500) == CHUNK_ELEMENTS
    assert chunk_items(4096, 1024, 500 * 1024) == CHUNK_ELEMENTS // 1024


def test_no_piece_takes_longer_than_a_millisecond() -> None:
    assert chunk_items(1_000_000, 1, CHUNK_PS // 10) == 10
    assert chunk_items(5, 1, CHUNK_PS * 2) == 1


def test_dearer_operators_and_more_bytes_cost_more() -> None:
    assert element_ps(["exp"], 8) > element_ps(["add"], 8) > element_ps(["add"], 0) > 0
