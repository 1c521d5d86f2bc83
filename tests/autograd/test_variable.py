"""What tensors say of themselves besides values and gradients, and writes by other means."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd.graph import increment_version
from tests.autograd.test_nodes import Two


def test_views_know_their_base() -> None:
    x = nb.ones(2, 2, requires_grad=True)
    y = x * 2
    view = y[0]
    with nb.no_grad():
        silent = y[0]
    for a in (view, view[1:], silent, y.t(), y.unbind(0)[1]):
        assert a._base is y and a._is_view()
    y.tolist()
    y.add_(1)
    assert view._base is y
    d = view.detach()
    assert d[0:1]._base is d
    for a in (x, y, d, y.detach(), y.t().reshape(4)):
        assert a._base is None and not a._is_view()


def test_a_gradient_can_be_deleted() -> None:
    x = nb.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    assert x.grad is None


def test_tensors_are_variables() -> None:
    x = nb.ones(2)
    made = nb.autograd.Variable(x, requires_grad=True)
    assert isinstance(x, nb.autograd.Variable) and not isinstance(3.0, nb.autograd.Variable)
    assert made.requires_grad and made.is_leaf and not x.requires_grad
    x[0] = 5.0
    assert made.tolist() == [5.0, 1.0]
    with pytest.raises(TypeError, match="has to be a tensor, but got list"):
        nb.autograd.Variable([1.0])


def test_outputs_are_numbered() -> None:
    x = nb.ones(2, requires_grad=True)
    assert [a.output_nr for a in (x, x * 2, *Two.apply(x, 2.0, x))] == [0, 0, 0, 1]


def test_a_version_is_not_counted_and_it_says_so() -> None:
    x = nb.ones(2)
    assert not hasattr(x, "_version")
    with pytest.raises(AttributeError, match="writes are counted only where several tensors show the same memory"):
        assert x._version


@pytest.mark.parametrize("given", [lambda x: x, lambda x: [x]])
def test_a_write_by_other_means_counts(given: Any) -> None:
    x = nb.ones(2, requires_grad=True) * 1
    with nb.no_grad():
        view = x[0:1]
    increment_version(given(x))
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        view * 2
    assert (x * 2).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="expected tensors, got int"):
        increment_version([3])  # type: ignore[list-item]
