"""Writing through a chain of views gives the base that NumPy gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nbgrad.errors import ShapeError
from nbgrad.graph import dtypes
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from nbgrad.trace.put import is_view_of, put_through

SHAPE = (4, 6)


def _base() -> Node:
    return input_node(0, Spec.of(SHAPE, dtypes.float32))


VIEWS: list[tuple[Callable[[Node], Node], Callable[[np.ndarray], np.ndarray]]] = [
    (lambda x: x, lambda a: a),
    (lambda x: apply("permute", x, params=((1, 0),)), lambda a: a.T),
    (lambda x: slice_at(x, 1, 0, 2), lambda a: a[1:3]),
    (lambda x: apply("permute", slice_at(x, 2, 1, 3), params=((1, 0),)), lambda a: a[:, 2:5].T),
    (lambda x: reshape_to(slice_at(x, 1, 0, 2), (3, 4)), lambda a: a[1:3].reshape(3, 4)),
    (lambda x: apply("stop", slice_at(x, 1, 0, 1)), lambda a: a[1:2]),
]


@pytest.mark.parametrize("place", range(len(VIEWS)))
def test_a_write_through_views_changes_what_they_show(place: int) -> None:
    view, window = VIEWS[place]
    base = _base()
    node = view(base)
    value = input_node(1, node.spec)
    written = put_through(base, node, value)
    array = np.arange(24, dtype=np.float32).reshape(SHAPE)
    new = -1 - np.arange(node.spec.size, dtype=np.float32).reshape(node.spec.shape)
    [got] = interpret([written], [array, new], [])
    want = array.copy()
    target = window(want)
    if np.shares_memory(target, want):
        target[...] = new
    else:
        want[1:3] = new.reshape(2, 6)
    np.testing.assert_array_equal(got, want)


def test_a_write_to_expanded_memory_is_refused() -> None:
    base = input_node(0, Spec.of((1, 6), dtypes.float32))
    view = expand_to(base, (3, 6))
    with pytest.raises(ShapeError, match="clone"):
        put_through(base, view, input_node(1, view.spec))


def test_views_know_their_source() -> None:
    base = _base()
    assert is_view_of(slice_at(base, 1, 0, 2), base)
    assert not is_view_of(base, base)
    assert not is_view_of(apply("neg", base), base)
