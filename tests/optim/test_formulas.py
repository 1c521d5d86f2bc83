"""Optimisers beside their published formulas, number by number, and what options they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

START, GRADS = 1.5, [0.4, -2.0, 0.9, 0.1, 0.0]


def decayed(g: float, p: float, maximize: bool = False, weight_decay: float = 0.0) -> float:
    return (-g if maximize else g) + weight_decay * p


def sgd(
    lr: float = 1e-3, momentum: float = 0, dampening: float = 0, nesterov: bool = False, **decay: Any
) -> Iterator[float]:
    p, v = START, None
    for g in GRADS:
        g = decayed(g, p, **decay)
        if momentum:
            v = g if v is None else momentum * v + (1 - dampening) * g
            g = g + momentum * v if nesterov else v
        p -= lr * g
        yield p


def adam(
    lr: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    amsgrad: bool = False,
    shrinks: float = 0.0,
    **decay: Any,
) -> Iterator[float]:
    p, m, v, largest = START, 0.0, 0.0, 0.0
    for t, g in enumerate(GRADS, start=1):
        g = decayed(g, p, **decay)
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        largest = max(largest, v) if amsgrad else v
        p -= lr * shrinks * p
        p -= lr * (m / (1 - betas[0] ** t)) / (np.sqrt(largest / (1 - betas[1] ** t)) + eps)
        yield p


def adamw(weight_decay: float = 1e-2, **options: Any) -> Iterator[float]:
    """Adam around a weight that shrinks by itself before each step."""
    return adam(shrinks=weight_decay, **options)


def adagrad(
    lr: float = 1e-2, lr_decay: float = 0.0, initial_accumulator_value: float = 0.0, eps: float = 1e-10, **decay: Any
) -> Iterator[float]:
    p, square = START, initial_accumulator_value
    for t, g in enumerate(GRADS):
        g = decayed(g, p, **decay)
        square += g * g
        p -= lr / (1 + t * lr_decay) * g / (np.sqrt(square) + eps)
        yield p


def rmsprop(
    lr: float = 1e-2,
    alpha: float = 0.99,
    eps: float = 1e-8,
    momentum: float = 0.0,
    centered: bool = False,
    **decay: Any,
) -> Iterator[float]:
    p, square, mean, velocity = START, 0.0, 0.0, 0.0
    for g in GRADS:
        g = decayed(g, p, **decay)
        square = alpha * square + (1 - alpha) * g * g
        mean = alpha * mean + (1 - alpha) * g if centered else 0.0
        velocity = momentum * velocity + g / (np.sqrt(square - mean * mean) + eps)
        p -= lr * velocity
        yield p


FORMULAS = {"SGD": sgd, "Adam": adam, "AdamW": adamw, "Adagrad": adagrad, "RMSprop": rmsprop}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.5},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        {"lr": 0.1, "momentum": 0.9, "maximize": True},
        {"lr": 0.1, "maximize": True, "weight_decay": 0.1},
    ],
    "Adam": [
        {},
        {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3},
        {"lr": 0.1, "betas": (0.0, 0.5)},
        {"lr": 0.1, "betas": (0.3, 0.0)},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "amsgrad": True, "betas": (0.9, 0.5)},
        {"lr": 0.1, "maximize": True},
    ],
    "AdamW": [{}, {"lr": 0.1, "weight_decay": 0.5}, {"lr": 0.1, "weight_decay": 0}, {"amsgrad": True}],
    "Adagrad": [
        {},
        {"lr": 0.1, "lr_decay": 0.5, "eps": 1e-3},
        {"initial_accumulator_value": 0.3, "weight_decay": 0.1, "maximize": True},
    ],
    "RMSprop": [
        {},
        {"lr": 0.1, "alpha": 0.9, "eps": 1e-3},
        {"momentum": 0.9},
        {"centered": True},
        {"momentum": 0.5, "centered": True, "weight_decay": 0.1, "maximize": True},
    ],
}


@pytest.mark.parametrize(("name", "options"), [(name, options) for name in OPTIONS for options in OPTIONS[name]])
def test_an_optimiser_follows_its_formula(name: str, options: dict[str, Any]) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    optimizer = getattr(nb.optim, name)([p], **options)
    got = []
    for g in GRADS:
        p.grad = nb.tensor(g, dtype=nb.float64)
        optimizer.step()
        assert p.grad.item() == g  # the gradient is read, not changed
        got.append(p.item())
    rtol = 1e-12 if name in ("Adagrad", "RMSprop") else 1e-13 if name != "SGD" else 1e-14
    np.testing.assert_allclose(got, [*FORMULAS[name](**options)], rtol=rtol)


def test_the_first_step_of_adam_is_the_learning_rate_whatever_the_gradient() -> None:
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


def test_adamw_is_an_adam() -> None:
    assert isinstance(nb.optim.AdamW([nb.zeros(1)]), nb.optim.Adam)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("SGD", {"lr": -0.1}, "Invalid learning rate: -0.1"),
    ("SGD", {"momentum": -1.0}, "Invalid momentum value: -1.0"),
    ("SGD", {"weight_decay": -1.0}, "Invalid weight_decay value: -1.0"),
    ("SGD", {"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
    ("SGD", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "Nesterov momentum requires"),
    ("SGD", {"lr": float("nan") if nb.__name__ != "torch" else -1.0}, "Invalid learning rate"),
    ("Adam", {"lr": -0.1}, "Invalid learning rate: -0.1"),
    ("Adam", {"eps": -1.0}, "Invalid epsilon value: -1.0"),
    ("Adam", {"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
    ("Adam", {"betas": (0.9, -0.1)}, "Invalid beta parameter at index 1: -0.1"),
    ("Adam", {"weight_decay": -1.0}, "Invalid weight_decay value: -1.0"),
    ("AdamW", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
    *[("Adagrad", {k: -1}, "Invalid ") for k in ("lr", "lr_decay", "eps", "initial_accumulator_value", "weight_decay")],
    *[("RMSprop", {k: -1}, "Invalid ") for k in ("lr", "eps", "alpha", "momentum", "weight_decay")],
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_options_out_of_range_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(nb.optim, name)([nb.zeros(1, requires_grad=True)], **options)
