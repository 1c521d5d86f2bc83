"""The examples of whole training loops and the patterns round them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

import nbgrad as nb


def test_linear_regression_recovers_slope_and_offset() -> None:
    nb.manual_seed(0)
    x = nb.randn(100, 1)
    y = 3 * x + 2 + nb.randn(100, 1) * 0.1
    w = nb.randn(1, 1, requires_grad=True)
    b = nb.zeros(1, requires_grad=True)
    learning_rate = 0.01
    losses = []
    for _ in range(500):
        y_pred = x.mm(w) + b
        loss = (y_pred - y).pow(2).mean()
        loss.backward()
        with nb.no_grad():
            w -= learning_rate * w.grad
            b -= learning_rate * b.grad
            w.grad.zero_()
            b.grad.zero_()
        losses.append(loss.item())
    assert losses[-1] < 0.02 < losses[0]
    assert abs(w.item() - 3) < 0.05  # noise 0.1 over 100 points: standard error 0.01
    assert abs(b.item() - 2) < 0.05


def test_the_training_pattern_zeroes_steps_and_descends() -> None:
    nb.manual_seed(0)
    x, y = nb.randn(32, 3), nb.randn(32, 1)
    model = nb.nn.Linear(3, 1)
    optimizer = nb.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(20):
        loss = nb.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert all(after < before for before, after in pairwise(losses))
    _, residual, _, _ = np.linalg.lstsq(np.c_[x.numpy(), np.ones(32)], y.numpy(), rcond=None)
    assert losses[-1] >= residual[0] / 32 - 1e-6  # nothing is below the least squares


def gradients(model: nb.nn.Module, scale: float) -> dict[str, list]:
    model.zero_grad()
    (model(nb.tensor([[1.0, 2.0], [3.0, -4.0]])).sum() * scale).backward()
    return {name: p.grad.numpy().tolist() for name, p in model.named_parameters()}


def test_gradients_are_clipped_by_their_common_norm() -> None:
    model = nb.nn.Linear(2, 1)
    assert gradients(model, 10.0) == {"weight": [[40.0, -20.0]], "bias": [20.0]}
    norm = nb.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    assert abs(norm.item() - 2400**0.5) < 1e-4
    clipped = np.concatenate([p.grad.numpy().ravel() for p in model.parameters()])
    np.testing.assert_allclose(clipped, np.array([40.0, -20.0, 20.0]) / 2400**0.5, rtol=1e-5)


def test_gradients_are_clipped_value_by_value() -> None:
    model = nb.nn.Linear(2, 1)
    gradients(model, 0.125)
    for param in model.parameters():
        if param.grad is not None:
            param.grad.clamp_(-0.3, 0.3)
    assert model.weight.grad.numpy().tolist() == np.array([[0.3, -0.25]], dtype=np.float32).tolist()
    assert model.bias.grad.item() == 0.25
    nb.nn.utils.clip_grad_value_(model.parameters(), 0.125)
    assert model.weight.grad.numpy().tolist() == [[0.125, -0.125]]
    assert model.bias.grad.item() == 0.125


def test_parameters_are_frozen_by_name() -> None:
    class Net(nb.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv_like = nb.nn.Linear(2, 2)
            self.head = nb.nn.Linear(2, 1)

        def forward(self, x: nb.Tensor) -> nb.Tensor:
            return self.head(self.conv_like(x))

    model = Net()
    for name, param in model.named_parameters():
        if "conv" in name:
            param.requires_grad = False
    model(nb.ones(1, 2)).sum().backward()
    assert {name for name, p in model.named_parameters() if p.grad is None} == {"conv_like.weight", "conv_like.bias"}
    assert model.head.bias.grad.item() == 1.0
    before = model.conv_like.weight.detach().clone()
    nb.optim.SGD(model.parameters(), lr=1.0).step()
    assert (model.conv_like.weight == before).all().item()


def test_a_checkpointed_forward_keeps_no_history_and_is_run_again_for_the_gradient() -> None:
    def checkpoint_forward(func: Callable[[nb.Tensor], nb.Tensor], input: nb.Tensor) -> nb.Tensor:
        with nb.no_grad():
            return func(input.detach())

    def block(x: nb.Tensor) -> nb.Tensor:
        return (x * x).sin()

    x = nb.tensor([0.5, 1.0], requires_grad=True)
    cheap = checkpoint_forward(block, x)
    assert not cheap.requires_grad
    assert cheap.grad_fn is None
    again = block(x)
    assert (again == cheap).all().item()
    again.backward(nb.ones(2))
    expected = 2 * np.array([0.5, 1.0]) * np.cos(np.array([0.25, 1.0]))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)
