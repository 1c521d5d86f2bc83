"""Iteration dims."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbgrad.tape.dims import collapse, column_blocks, pad, padded_rank, row_blocks
from nbgrad.tape.kernel import COLUMN_BLOCK, COLUMN_OUTPUTS, COLUMN_RUN, ROW_BLOCK


def test_contiguous_dims_become_one() -> None:
    assert collapse((2, 3, 4), [(12, 4, 1), (12, 4, 1)]) == ([24], [[1], [1]])


def test_a_repeated_operand_keeps_the_dims_apart() -> None:
    assert collapse((2, 3, 4), [(12, 4, 1), (0, 4, 1)]) == ([2, 12], [[12, 1], [0, 1]])


def test_dims_of_one_element_are_dropped() -> None:
    assert collapse((1, 5, 1), [(99, 2, 7)]) == ([5], [[2]])
    assert collapse((1, 1), [(3, 4)]) == ([], [[]])


@given(st.data())
def test_collapsed_dims_visit_the_same_places_in_the_same_order(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), max_size=4))
    some = st.lists(st.sampled_from([0, 1, 2, 3, 4, 6, 8, 12, -1]), min_size=len(sizes), max_size=len(sizes))
    rows = data.draw(st.lists(some, min_size=1, max_size=3))
    new_sizes, new_rows = collapse(sizes, rows)
    for row, new_row in zip(rows, new_rows, strict=True):
        assert places(sizes, row) == places(new_sizes, new_row)


def places(sizes: list[int], strides: list[int]) -> list[int]:
    return [int(np.dot(index, strides)) if sizes else 0 for index in np.ndindex(*sizes)]


def test_padding_puts_single_elements_in_front() -> None:
    sizes, rows = [5], [[4]]
    pad(sizes, rows, 3)
    assert (sizes, rows) == ([1, 1, 5], [[0, 0, 4]])


def test_ranks_are_rounded_up_to_few() -> None:
    assert [padded_rank(r, 1) for r in range(7)] == [1, 1, 2, 4, 4, 5, 6]
    assert padded_rank(0, 2) == 2


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
