"""The example of a custom function: a product with a backward of its own."""

from __future__ import annotations

from typing import Any

import nbgrad as nb


class MyMultiply(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: nb.Tensor, weight: nb.Tensor) -> nb.Tensor:
        ctx.save_for_backward(input, weight)
        return input * weight

    @staticmethod
    def backward(ctx: Any, grad_output: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
        input, weight = ctx.saved_tensors
        return grad_output * weight, grad_output * input


def test_a_custom_multiply_has_the_gradients_of_a_product() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = nb.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    y = MyMultiply.apply(x, w)
    y.sum().backward()
    assert y.detach().numpy().tolist() == [[5.0, 12.0], [21.0, 32.0]]
    assert x.grad.numpy().tolist() == [[5.0, 6.0], [7.0, 8.0]]
    assert w.grad.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_custom_multiply_knows_which_inputs_need_gradients() -> None:
    seen = []

    class Watched(MyMultiply):
        @staticmethod
        def backward(ctx: Any, grad_output: nb.Tensor) -> tuple[nb.Tensor | None, nb.Tensor | None]:
            seen.append(tuple(ctx.needs_input_grad))
            _, weight = ctx.saved_tensors
            return (grad_output * weight if ctx.needs_input_grad[0] else None), None

    x = nb.tensor([2.0], requires_grad=True)
    Watched.apply(x, nb.tensor([3.0])).sum().backward()
    assert seen == [(True, False)]
    assert x.grad.item() == 3.0


def test_a_custom_multiply_can_be_differentiated_twice() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    y = MyMultiply.apply(x, x)
    (first,) = nb.autograd.grad(y, x, create_graph=True)
    (second,) = nb.autograd.grad(first, x)
    assert first.item() == 4.0
    assert second.item() == 2.0
