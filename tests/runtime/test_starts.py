"""Slice starts that come at run time: which are accepted, and whose error it is."""

from __future__ import annotations

import pytest

from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph import dtypes
from nbgrad.graph.node import apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.runtime.starts import Starts
from nbgrad.tape.tape import StartBounds

NODE = apply("slice", input_node(0, Spec.of((8,), dtypes.float32)), scalar_node(0, dtypes.int64), params=(0, 2, 1))


def bounds(*rows: tuple[tuple[tuple[int, int], ...], int, int]) -> Starts:
    return Starts([StartBounds(terms, low, high, NODE) for terms, low, high in rows])


def refused(starts: Starts, *numbers: float) -> bool:
    try:
        starts.check(numbers)
    except TensorIndexError:
        return True
    return False


def test_a_start_lies_within_all_bounds_that_it_has() -> None:
    starts = bounds((((0, 1),), 0, 5), (((0, 1),), 2, 9))
    assert [refused(starts, n) for n in (1, 2, 5, 6)] == [True, False, False, True]


def test_every_start_is_looked_at() -> None:
    starts = bounds(*[(((k, 1),), 0, k) for k in range(4)])
    assert not refused(starts, 0, 1, 2, 3)
    for k in range(4):
        assert refused(starts, *[n + (n == k) for n in range(4)])


def test_sums_of_several_numbers_are_bounded() -> None:
    starts = bounds((((0, 1), (1, 3)), 0, 10), (((1, 1),), 0, 3))
    assert [refused(starts, *pair) for pair in ((1, 3), (2, 3), (0, -1), (3, 0))] == [False, True, True, False]


def test_the_error_names_the_start_and_its_bounds() -> None:
    with pytest.raises(TensorIndexError, match="slice: start 9 is out of range, expected 0 to 6"):
        bounds((((0, 1),), 0, 6)).check([9])


def test_a_start_that_is_no_integer_is_refused() -> None:
    with pytest.raises(RunError, match="not an integer"):
        bounds((((0, 1),), 0, 6)).check([1.0])
    bounds((((0, 1),), 0, 6)).check([True])
