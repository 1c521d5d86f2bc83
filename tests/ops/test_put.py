"""Writing through a chain of views gives the base that NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from nbgrad.errors import ShapeError
from nbgrad.graph import dtypes
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.put import is_undoable, is_view_of, put_through
from nbgrad.ops.source import input_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at
from tests.passes.runs import fused, run_plan

SHAPE = (4, 6)


def _base() -> Node:
    return input_node(0, Spec.of(SHAPE, dtypes.float32))


VIEWS: list[tuple[Callable[[Node], Node], Callable[[np.ndarray], np.ndarray]]] = [
    (lambda x: x, lambda a: a),
    (lambda x: apply("permute", x, params=((1, 0),)), lambda a: a.T),
    (lambda x: slice_at(x, 1, 0, 2), lambda a: a[1:3]),
    (lambda x: apply("permute", slice_at(x, 2, 1, 3), params=((1, 0),)), lambda a: a[:, 2:5].T),
    (lambda x: reshape_to(slice_at(x, 1, 0, 2), (3, 4)), lambda a: a[1:3].reshape(3, 4)),
    (lambda x: apply("detach", slice_at(x, 1, 0, 1)), lambda a: a[1:2]),
    (lambda x: apply("diagonal", x, params=(0, 1, 1)), lambda a: as_strided(a[:, 1:], (4,), (28,))),
    (lambda x: apply("diagonal", apply("permute", x, params=((1, 0),)), params=(0, 1, -2)), lambda a: _diagonal(a, 2)),
    (lambda x: slice_at(apply("diagonal", x, params=(1, 0, -3)), 1, 0, 2), lambda a: _diagonal(a, 3)[1:]),
    (lambda x: slice_at(expand_to(x, (3, 4, 6)), 1, 0, 1), lambda a: a[None]),
    (lambda x: apply("detach", slice_at(expand_to(slice_at(x, 2, 0, 1), (3, 6)), 1, 0, 1)), lambda a: a[2:3]),
    (lambda x: slice_at(apply("window", x, params=(1, 3, 2, 1)), 1, 1, 1), lambda a: a[:, None, 2:5]),
]
# Views that show an element more than once: of what is written there, the last in row-major order stays.
OVERLAPPING: list[tuple[Callable[[Node], Node], Callable[[np.ndarray], np.ndarray]]] = [
    (lambda x: apply("window", x, params=(1, 3, 1, 1)), lambda a: _windows(a, 1, 3, 1)),
    (lambda x: apply("window", x, params=(0, 2, 1, 2)), lambda a: _windows(a, 0, 2, 1, 2)),
    (
        lambda x: apply("window", apply("permute", x, params=((1, 0),)), params=(0, 4, 2, 1)),
        lambda a: _windows(a.T, 0, 4, 2),
    ),
    (
        lambda x: apply("window", apply("window", x, params=(0, 2, 1, 1)), params=(1, 2, 2, 1)),
        lambda a: _windows(_windows(a, 0, 2, 1), 1, 2, 2),
    ),
    (
        lambda x: slice_at(apply("window", slice_at(x, 1, 0, 3), params=(1, 5, 1, 1)), 1, 0, 2),
        lambda a: _windows(a[1:], 1, 5, 1)[1:],
    ),
]


def _diagonal(a: np.ndarray, offset: int) -> np.ndarray:
    shown = np.diagonal(a, offset)
    shown.flags.writeable = True
    return shown


def _windows(a: np.ndarray, dim: int, size: int, step: int, dilation: int = 1) -> np.ndarray:
    shown = sliding_window_view(a, (size - 1) * dilation + 1, dim, writeable=True)
    return shown[(slice(None),) * dim + (slice(None, None, step),)][..., ::dilation]


def _written(view: Any, window: Any) -> tuple[Any, ...]:
    """A write through ``view`` of a base, the arrays of both, a copy of the base, and what ``window`` shows of it."""
    base = _base()
    node = view(base)
    array = np.arange(24, dtype=np.float32).reshape(SHAPE)
    new = -1 - np.arange(node.spec.size, dtype=np.float32).reshape(node.spec.shape)
    want = array.copy()
    return put_through(base, node, input_node(1, node.spec)), array, new, want, window(want)


@pytest.mark.parametrize("place", range(len(VIEWS)))
def test_a_write_through_views_changes_what_they_show(place: int) -> None:
    written, array, new, want, target = _written(*VIEWS[place])
    [got] = interpret([written], [array, new], [])
    if np.shares_memory(target, want):
        target[...] = new
    else:
        want[1:3] = new.reshape(2, 6)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("place", range(len(OVERLAPPING)))
def test_of_writes_to_one_element_the_last_stays(place: int) -> None:
    view, window = OVERLAPPING[place]
    written, array, new, want, target = _written(view, window)
    assert target.shape == new.shape
    for at in np.ndindex(*new.shape):
        target[at] = new[at]
    for got in (interpret([written], [array, new], []), run_plan(fused([written]), [array, new])):
        np.testing.assert_array_equal(got[0], want)
    np.testing.assert_array_equal(interpret([view(written)], [array, new], [])[0], window(want))


def test_all_of_a_base_is_written_only_where_each_element_is_shown_once() -> None:
    base = input_node(0, Spec.of((6,), dtypes.float32))
    assert is_undoable(base, reshape_to(base, (2, 3)))
    assert not is_undoable(base, apply("window", base, params=(0, 3, 2, 1)))  # six elements, none of them the last one
    assert not is_undoable(base, expand_to(base, (2, 6)))


def test_expanded_memory_is_written_where_a_mask_says() -> None:
    base = input_node(0, Spec.of((1, 6), dtypes.float32))
    view = expand_to(base, (3, 6))
    value = expand_to(input_node(1, Spec.of((), dtypes.float32)), (3, 6))
    written = put_through(base, view, value, input_node(2, Spec.of((3, 6), dtypes.bool_)))
    mask = np.zeros((3, 6), bool)
    mask[0, :2] = mask[2, 4] = True
    [got] = interpret([written], [np.zeros((1, 6), np.float32), np.float32(5), mask], [])
    np.testing.assert_array_equal(got, np.float32([[5, 5, 0, 0, 5, 0]]))


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
