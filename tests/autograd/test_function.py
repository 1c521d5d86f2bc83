"""Custom functions on every road; what they compute is tested with the seeds (tests/seeds/test_function.py)."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad import config


class Cube(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: nb.Tensor) -> nb.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


@pytest.mark.parametrize("switches", [{}, {"interpret": True}, {"compile": "never"}, {"compile": "eager"}])
def test_a_custom_function_has_the_same_derivatives_on_every_road(switches: dict[str, Any]) -> None:
    with config.override(**switches):
        x = nb.tensor([2.0, -1.0], requires_grad=True)
        (first,) = nb.autograd.grad((Cube.apply(x) + 1).sum(), x, create_graph=True)
        (second,) = nb.autograd.grad(first.sum(), x)
        assert first.tolist() == [12.0, 3.0]
        assert second.tolist() == [12.0, -6.0]
