"""Blocks of reductions."""

from __future__ import annotations

from nbgrad.graph.blocks import (
    COLUMN_BLOCK,
    COLUMN_OUTPUTS,
    COLUMN_RUN,
    ENOUGH_WARPS,
    ROW_BLOCK,
    Cut,
    column_blocks,
    item_rows,
    row_blocks,
    runs_apart,
)


def test_short_rows_are_taken_together_and_long_ones_cut() -> None:
    assert row_blocks(1, 100) == (ROW_BLOCK // 100, 100, 1, 1)
    assert row_blocks(100_000, 3) == (ROW_BLOCK // 3, 3, 1, 37)
    assert row_blocks(2, ROW_BLOCK + 1) == (1, ROW_BLOCK, 2, 4)


def test_long_columns_of_few_outputs_are_cut_into_blocks_of_whole_runs() -> None:
    assert column_blocks(64, 1024) == (1024, 1)
    assert column_blocks(64, 1025) == (1024, 2)
    assert column_blocks(10, 100_000) == (6400, 16)
    assert column_blocks(COLUMN_OUTPUTS, 1000) == (2 * COLUMN_RUN, 2)
    assert column_blocks(COLUMN_OUTPUTS + 1, 1 << 20) == (1 << 20, 1)
    assert column_blocks(1, COLUMN_BLOCK + 1) == (COLUMN_BLOCK, 2)
    assert column_blocks(0, 5) == (5, 1)


def test_runs_are_blocks_where_warps_are_few() -> None:
    whole = Cut(1000, 1)
    assert runs_apart(whole, 1000, 8) == (Cut(COLUMN_RUN, 4), Cut(4, 1))
    assert runs_apart(whole, 1000, ENOUGH_WARPS) == (whole, None)
    assert runs_apart(Cut(COLUMN_RUN, 1), COLUMN_RUN, 8) == (Cut(COLUMN_RUN, 1), None)
    assert runs_apart(Cut(512, 2), 600, 1) == (Cut(COLUMN_RUN, 3), Cut(2, 2))  # the last block has one run
    many = 300 * COLUMN_RUN
    assert runs_apart(Cut(many, 1), many, 8)[1] == Cut(300, 1, 300)  # added up in one run, as in the whole


def test_rows_of_an_item_keep_to_the_blocks_of_columns() -> None:
    assert item_rows(COLUMN_OUTPUTS, 768) == column_blocks(COLUMN_OUTPUTS, 768)[0] == 2 * COLUMN_RUN
    assert item_rows(COLUMN_OUTPUTS, 100) == COLUMN_RUN
    assert item_rows(1024, 4096) == COLUMN_RUN
    assert item_rows(1024, COLUMN_RUN * COLUMN_RUN) == COLUMN_RUN
    assert item_rows(1024, COLUMN_RUN * COLUMN_RUN + 1) == 0  # too many runs to be folded in one
