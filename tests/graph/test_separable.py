"""Where elements lie, as a sum of a number for the row and one for the column."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.graph.separable import separable
from nbgrad.ops.library import transposed
from nbgrad.ops.view import slice_at
from nbgrad.ops.window import windows
from tests.passes.build import permuted, reshaped, value

X = value(2, 3, 7, 8)


def window_columns(stride: int = 1, dilation: int = 1) -> Node:
    """(3 * 2 * 3, 2 * places)."""
    seen = permuted(windows(X, (2, 3), (stride, stride), (dilation, dilation)), 1, 4, 5, 0, 2, 3)
    return reshaped(seen, 18, seen.spec.size // 18)


CASES = [
    window_columns(),
    window_columns(stride=2),
    window_columns(dilation=2),
    transposed(window_columns()),
    permuted(reshaped(window_columns(), 18, 2, 36), 1, 0, 2),
    reshaped(permuted(X, 1, 0, 2, 3), 3, 112),
    reshaped(slice_at(permuted(X, 0, 2, 1, 3), 6, 1, 3, -2), 1, 6, 24),
    reshaped(reshaped(permuted(X, 1, 0, 2, 3), 336), 6, 56),
]


@pytest.mark.parametrize("x", CASES, ids=[str(x.spec) for x in CASES])
def test_the_sum_tells_where_every_element_lies(x: Node) -> None:
    array = np.arange(2 * 3 * 7 * 8, dtype="f").reshape(2, 3, 7, 8)
    found = separable(x, {})
    assert found is not None
    assert found.base is X
    assert found.terms == ()
    places = np.full(x.spec.shape, found.offset)
    places += found.rows[:, None] + found.columns
    for dim, stride in enumerate(found.strides):
        places += (stride * np.arange(x.spec.shape[dim])).reshape(-1, *(1,) * (x.spec.rank - dim - 1))
    np.testing.assert_array_equal(array.ravel()[places], interpret([x], [array])[0])


def test_strides_need_no_sum_and_uneven_cuts_have_none() -> None:
    assert separable(X, {}) is None
    assert separable(permuted(X, 0, 1, 3, 2), {}) is None
    assert separable(reshaped(X, 6, 56), {}) is None
    assert separable(reshaped(permuted(X, 3, 0, 1, 2), 28, 12), {}) is None
    mixed = reshaped(permuted(X, 1, 0, 2, 3), 2, 3, 56)
    assert separable(mixed, {}) is None, "a batch of 2 out of 3 channels"
    assert separable(apply("exp", X), {}) is None
