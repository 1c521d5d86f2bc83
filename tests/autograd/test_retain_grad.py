"""Tensors that keep their gradient, where what was recorded is taken back."""

from __future__ import annotations

import pytest

import nbgrad as nb


class Bend(nb.autograd.Function):
    @staticmethod
    def forward(ctx: nb.autograd.function.FunctionCtx, x: nb.Tensor) -> nb.Tensor:
        return x * 0.5

    @staticmethod
    def backward(ctx: nb.autograd.function.FunctionCtx, g: nb.Tensor) -> nb.Tensor:
        return g * 3.0


def _kept_view() -> tuple[nb.Tensor, nb.Tensor]:
    """A leaf, and a view of it that keeps its gradient, which is 1, and is older than a write."""
    x = nb.tensor([-1.0, 2.0], dtype=nb.float64, requires_grad=True)
    view = x[-1]
    view.retain_grad()
    view.sum().backward(retain_graph=True)
    with nb.no_grad():
        x.add_(1.0)
    return x, view


def test_a_gradient_that_could_not_be_computed_leaves_nothing_that_keeps_its_own() -> None:
    _, view = _kept_view()
    other = nb.tensor([0.5, 1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        nb.autograd.grad((other * 3.0).sum(), view, create_graph=True)
    assert view.grad is not None
    for make in (Bend.apply, nb.exp, lambda x: (x * 2.0) * x):
        nb.autograd.grad(make(other.relu()).sum(), other, create_graph=True)
        with pytest.raises(RuntimeError, match="appears to not have been used"):
            nb.autograd.grad(make(other.relu()).sum(), view, create_graph=True)
    assert view.grad.item() == 1.0


def test_a_view_that_moved_in_a_call_that_failed_keeps_its_gradient_at_its_new_place() -> None:
    x, view = _kept_view()
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        nb.autograd.grad((nb.ones(2, requires_grad=True) * 3.0).sum(), view, create_graph=True)
    (view * 5.0).sum().backward()
    assert view.grad is not None and x.grad is not None
    assert (view.grad.item(), x.grad.tolist()) == (6.0, [0.0, 6.0])
