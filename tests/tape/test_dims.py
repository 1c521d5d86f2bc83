"""Iteration dims."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbgrad.tape.descriptor import collapse, pad, padded_rank


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
