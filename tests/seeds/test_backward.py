"""The examples on ``backward``: building a graph, calling it, and what happens to ``.grad``."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb


def values(x: nb.Tensor) -> list:
    return x.detach().numpy().tolist()


def test_operations_on_tensors_that_require_grad_build_a_graph() -> None:
    x = nb.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    out = z.mean()
    assert x.is_leaf
    assert x.grad_fn is None
    for made in (y, z, out):
        assert made.requires_grad
        assert not made.is_leaf
        assert made.grad_fn is not None
    assert values(z) == [[27.0, 27.0], [27.0, 27.0]]
    assert out.item() == 27.0


def test_backward_gives_the_gradient_of_the_mean() -> None:
    x = nb.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    z.mean().backward()
    assert values(x.grad) == [[4.5, 4.5], [4.5, 4.5]]  # 6 (x + 2) / 4


def test_backward_of_the_gradient_page_gives_twice_x() -> None:
    x = nb.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    y = x * x
    z = y.sum()
    z.backward()
    assert values(x.grad) == [[2.0, -4.0], [6.0, 1.0]]
    (again,) = nb.autograd.grad([(x * x).sum()], [x])
    assert values(again) == [[2.0, -4.0], [6.0, 1.0]]


def test_backward_of_a_vector_takes_a_gradient() -> None:
    x = nb.randn(3, requires_grad=True)
    y = x * 2
    y.backward(nb.ones(3))
    assert values(x.grad) == [2.0, 2.0, 2.0]


def test_backward_of_a_vector_weights_by_the_gradient() -> None:
    x = nb.randn(3, requires_grad=True)
    (x * 2).backward(gradient=nb.tensor([1.0, 10.0, -0.5]))
    assert values(x.grad) == [2.0, 20.0, -1.0]


def test_backward_of_a_vector_without_gradient_is_an_error() -> None:
    y = nb.randn(3, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="scalar"):
        y.backward()


def test_backward_over_several_tensors_adds_up() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = nb.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    z = x + 2 * y + x * y
    nb.autograd.backward([z.sum()])
    assert values(x.grad) == [[6.0, 7.0], [8.0, 9.0]]  # 1 + y
    assert values(y.grad) == [[3.0, 4.0], [5.0, 6.0]]  # 2 + x


def test_backward_takes_none_for_scalars_among_its_gradients() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    nb.autograd.backward([(x * x).sum(), 3 * x], [None, nb.tensor([1.0, 10.0])])
    assert values(x.grad) == [5.0, 34.0]  # 2 x + 3 (1, 10)


def test_backward_with_none_for_a_vector_is_an_error() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar"):
        nb.autograd.backward([(x * x).sum(), 3 * x], [None, None])


def test_backward_into_chosen_inputs_leaves_the_others_alone() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    y = nb.tensor(3.0, requires_grad=True)
    (x * y).backward(inputs=[x])
    assert x.grad.item() == 3.0
    assert y.grad is None


def test_retaining_the_graph_lets_backward_run_twice() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * x
    y.sum().backward(retain_graph=True)
    first = x.grad.clone()
    y.sum().backward()
    assert values(first) == [[2.0, 4.0], [6.0, 8.0]]
    assert values(x.grad) == values(2 * first)


def test_a_freed_graph_says_how_to_keep_it() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_retain_graph_follows_create_graph() -> None:
    x = nb.tensor(3.0, requires_grad=True)
    y = x * x
    (first,) = nb.autograd.grad(y, x, create_graph=True)
    (second,) = nb.autograd.grad(y, x)  # the graph is still there
    assert first.item() == second.item() == 6.0


def test_gradients_accumulate_over_calls() -> None:
    x = nb.randn(2, 2, requires_grad=True)
    for i in range(3):
        y = x * i
        y.sum().backward(retain_graph=True)
    assert values(x.grad) == [[3.0, 3.0], [3.0, 3.0]]  # 0 + 1 + 2


def test_a_gradient_can_be_zeroed_in_place() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    held = x.grad
    if x.grad is not None:
        x.grad.zero_()
    assert x.grad is held
    assert values(held) == [0.0, 0.0]
    (3 * x).sum().backward()
    assert values(x.grad) == [3.0, 3.0]


def test_a_gradient_can_be_set_to_none() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.grad = None
    assert x.grad is None
    (3 * x).sum().backward()
    assert values(x.grad) == [3.0, 3.0]


def test_an_optimizer_zeroes_gradients_by_forgetting_them() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = nb.optim.SGD([x], lr=0.1)
    (x * x).sum().backward()
    optimizer.zero_grad()
    assert x.grad is None
    (x * x).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])


def test_a_gradient_is_none_before_backward() -> None:
    x = nb.randn(2, requires_grad=True)
    assert x.grad is None
    assert nb.randn(2).grad is None
