"""The examples on ``autograd.grad``: gradients as results, and gradients of gradients."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb


def pair() -> tuple[nb.Tensor, nb.Tensor]:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = nb.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    return x, y


def values(x: nb.Tensor) -> list:
    return x.detach().numpy().tolist()


def test_grad_gives_gradients_and_accumulates_nothing() -> None:
    x, y = pair()
    z = x + 2 * y + x * y
    grads = nb.autograd.grad([z], [x, y], [nb.ones(2, 2)])
    assert values(grads[0]) == [[6.0, 7.0], [8.0, 9.0]]
    assert values(grads[1]) == [[3.0, 4.0], [5.0, 6.0]]
    assert x.grad is None
    assert y.grad is None


def test_grad_with_create_graph_gives_a_hessian_vector_product() -> None:
    x, y = pair()
    z = x + 2 * y + x * y
    z.sum().backward(retain_graph=True, create_graph=True)
    x_grad, y_grad = x.grad, y.grad
    assert values(x_grad) == [[6.0, 7.0], [8.0, 9.0]]
    grad_sum = 2 * x_grad + y_grad  # 2 (1 + y) + 2 + x
    hessian = nb.autograd.grad([grad_sum], [x], [nb.ones(2, 2)], retain_graph=True)
    assert values(hessian[0]) == [[1.0, 1.0], [1.0, 1.0]]
    (by_y,) = nb.autograd.grad([grad_sum], [y], [nb.ones(2, 2)])
    assert values(by_y) == [[2.0, 2.0], [2.0, 2.0]]
    x.grad = y.grad = None  # they hold the graph that holds them


def test_grad_of_grad_of_grad() -> None:
    x = nb.tensor(2.0, dtype=nb.float64, requires_grad=True)
    y = x**4
    found = []
    for _ in range(4):
        (y,) = nb.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    assert found == [32.0, 48.0, 48.0, 24.0]  # 4 x^3, 12 x^2, 24 x, 24


def test_grad_takes_none_for_scalar_outputs() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    (got,) = nb.autograd.grad([(x * x).sum(), x * 3], [x], [None, nb.ones(2)])
    assert values(got) == [5.0, 7.0]


def test_grad_takes_its_arguments_in_order() -> None:
    x, unused = nb.tensor(3.0, requires_grad=True), nb.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"index 1 .*allow_unused"):
        nb.autograd.grad(x * x, [x, unused], None, None, False, True)  # the sixth one is only_inputs
    got, nothing = nb.autograd.grad(x * x, [x, unused], None, None, False, True, True)
    assert got.item() == 6.0 and nothing is None
    (got,) = nb.autograd.grad(x * x, x, only_inputs=True)
    assert got.item() == 6.0
    nb.autograd.backward([x * x], None, None, False, None, [x])
    assert x.grad.item() == 6.0


def test_grad_refuses_an_unused_input_unless_allowed() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    unused = nb.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="allow_unused"):
        nb.autograd.grad(x * x, [x, unused])
    got, nothing = nb.autograd.grad(x * x, [x, unused], allow_unused=True)
    assert got.item() == 4.0
    assert nothing is None


def test_grad_materializes_zeros_on_request() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    unused = nb.tensor([1.0, 1.0], requires_grad=True)
    _, zeros = nb.autograd.grad(x * x, [x, unused], materialize_grads=True)
    assert values(zeros) == [0.0, 0.0]


def test_grad_with_respect_to_a_value_in_the_middle() -> None:
    x = nb.tensor(3.0, requires_grad=True)
    y = x * x
    z = y * y
    (by_y,) = nb.autograd.grad(z, y)
    assert by_y.item() == 18.0


def test_the_jacobian_comes_row_by_row() -> None:
    def jacobian_of(x: nb.Tensor, y: nb.Tensor) -> nb.Tensor:
        jacobian = nb.zeros(y.shape[0], x.shape[0])
        for i in range(y.shape[0]):
            if x.grad is not None:
                x.grad.zero_()
            grad_output = nb.zeros_like(y)
            grad_output[i] = 1
            y.backward(grad_output, retain_graph=True)
            jacobian[i] = x.grad.clone()
        return jacobian

    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    weight = nb.tensor([[1.0, -1.0, 0.5], [2.0, 0.0, 3.0]])
    y = weight.matmul(x * x)  # Jacobian: weight * 2 x
    expected = np.array([[2.0, -4.0, 3.0], [4.0, 0.0, 18.0]])
    np.testing.assert_array_equal(jacobian_of(x, y).numpy(), expected)
