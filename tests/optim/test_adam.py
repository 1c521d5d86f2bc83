from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb

START, GRADS = 1.5, [0.4, -2.0, 0.9, 0.1, 0.0]


def reference(
    lr: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    amsgrad: bool = False,
    maximize: bool = False,
) -> list[float]:
    """The published update, number by number."""
    p, m, v, largest, out = START, 0.0, 0.0, 0.0, []
    for t, g in enumerate(GRADS, start=1):
        g = (-g if maximize else g) + weight_decay * p
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        largest = max(largest, v) if amsgrad else v
        p -= lr * (m / (1 - betas[0] ** t)) / (np.sqrt(largest / (1 - betas[1] ** t)) + eps)
        out.append(p)
    return out


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3},
        {"lr": 0.1, "betas": (0.0, 0.5)},
        {"lr": 0.1, "betas": (0.3, 0.0)},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "amsgrad": True, "betas": (0.9, 0.5)},
        {"lr": 0.1, "maximize": True},
    ],
)
def test_adam_follows_its_formula(options: dict) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    optimizer = nb.optim.Adam([p], **options)
    got = []
    for g in GRADS:
        p.grad = nb.tensor(g, dtype=nb.float64)
        optimizer.step()
        got.append(p.item())
    np.testing.assert_allclose(got, reference(**options), rtol=1e-13)


def test_the_first_step_is_the_learning_rate_whatever_the_gradient() -> None:
    p = nb.zeros(3, requires_grad=True)
    p.grad = nb.tensor([1e-3, -5.0, 1e4])
    nb.optim.Adam([p], lr=0.5).step()
    np.testing.assert_allclose(p.tolist(), [-0.5, 0.5, -0.5], rtol=1e-4)


def test_parameters_count_their_own_steps() -> None:
    a, b = (nb.zeros(1, requires_grad=True) for _ in range(2))
    optimizer = nb.optim.Adam([a, b], lr=0.5)
    a.grad = nb.ones(1)
    optimizer.step()
    b.grad = nb.ones(1)
    optimizer.step()
    assert int(optimizer.state[a]["step"]) == 2
    assert int(optimizer.state[b]["step"]) == 1
    np.testing.assert_allclose(b.item(), -0.5, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -0.1}, "Invalid learning rate: -0.1"),
        ({"eps": -1.0}, "Invalid epsilon value: -1.0"),
        ({"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ({"betas": (0.9, -0.1)}, "Invalid beta parameter at index 1: -0.1"),
        ({"weight_decay": -1.0}, "Invalid weight_decay value: -1.0"),
    ],
)
def test_options_out_of_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nb.optim.Adam([nb.zeros(1, requires_grad=True)], **options)
