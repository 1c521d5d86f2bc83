"""What tensors say of themselves besides values and gradients, and writes by other means."""

from __future__ import annotations

import warnings
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


def test_a_look_at_a_gradient_that_nothing_writes_warns() -> None:
    x = nb.ones(2, requires_grad=True)
    y, kept = x * 2, x * 3
    kept.retain_grad()
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed") as warned:
        assert y.grad is None and y[0:1].grad is None
    assert len(warned) == 2 and warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [a.grad for a in (x, kept, y.detach(), nb.ones(2), x.detach()[0])] == [None] * 5
        y.grad = nb.ones(2)
        assert y.grad.tolist() == [1.0, 1.0]


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


def test_writes_are_counted_from_the_first_look_at_the_version() -> None:
    x = nb.ones(3)
    x += 1
    before = x._version
    (x * 2).tolist()
    assert x._version == before
    x.add_(1).mul_(2)
    x[0] = 5.0
    x.tolist()
    x.zero_()
    assert x._version == before + 4
    w = nb.ones(2, requires_grad=True)
    before = w._version
    optimizer = nb.optim.SGD([w], lr=0.1)
    for _ in range(3):
        (w * w).sum().backward()
        optimizer.step()
    assert w._version == before + 3


def test_what_shows_one_memory_has_one_version() -> None:
    x = nb.ones(2, 2)
    view, detached, data = x[0], x.detach(), x.data
    for k, written in enumerate((x, view, detached), 1):
        written.add_(1)
        assert x._version == view._version == detached._version == k and data._version == 0
    x.data = nb.zeros(3)
    assert x._version == 3
    x.add_(1)
    assert x._version == view._version == 4


def test_a_tensor_whose_version_was_asked_for_is_no_view() -> None:
    x = nb.ones(2)
    assert x._version == 0 and not x._is_view()
    assert x.unsqueeze_(0).shape == (1, 2)
    with nb.inference_mode():
        y = nb.ones(2)
    with pytest.raises(RuntimeError, match="do not track version"):
        assert y._version


def test_a_compiled_function_counts_its_writes_from_its_first_call() -> None:
    double = nb.compile(lambda x: x.mul_(2))
    x = nb.ones(2)
    assert x._version == 0
    for k in range(1, 5):
        double(x)
        assert x._version == k and x.tolist() == [2.0**k] * 2


def test_a_compiled_function_takes_a_leaf_whose_writes_are_counted() -> None:
    @nb.compile(fullgraph=True)
    def step(w: Any) -> Any:
        (w * w).sum().backward()
        with nb.no_grad():
            w -= 0.25 * w.grad
        w.grad = None

    w = nb.ones(2, requires_grad=True)
    for k in range(4):
        before = w._version
        step(w)
        assert w._version > before and w.tolist() == [0.5 ** (k + 1)] * 2


def test_the_names_of_a_tensor_are_there() -> None:
    for x in (nb.ones(2, 2), nb.ones(2, 2, requires_grad=True) * 2, nb.ones(2, 2)[:1]):
        assert {"shape", "grad", "add_", "_version"} <= {*dir(x)}
        assert all(hasattr(x, name) for name in dir(x) if name != "imag")  # of real numbers a RuntimeError


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


def test_a_callback_runs_at_the_end_of_the_derivative_that_asked() -> None:
    order: list[Any] = []
    queue = nb.autograd.Variable._execution_engine.queue_callback

    class Nested(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            queue(lambda: order.append(x.grad.tolist()))
            with nb.enable_grad():
                y = g.detach().requires_grad_()
                z = y * 2
                z.register_hook(lambda g: queue(lambda: order.append("inner")))
                z.sum().backward()
            order.append("backward")
            return g

    x = nb.ones(2, requires_grad=True)
    Nested.apply(x).sum().backward()
    assert order == ["inner", "backward", [1.0, 1.0]]
    with pytest.raises(RuntimeError, match="only be installed during backward pass"):
        queue(order.clear)


def test_memory_and_flags_cannot_be_deleted() -> None:
    x = nb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Deleting tensor data is not allowed"):
        del x.data
    with pytest.raises(RuntimeError, match="requires_grad cannot be deleted"):
        del x.requires_grad
