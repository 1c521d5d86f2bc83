from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb

START, GRADS = 1.5, [0.4, -0.2, 0.9, 0.1]


def reference(
    lr: float,
    momentum: float = 0,
    dampening: float = 0,
    weight_decay: float = 0,
    nesterov: bool = False,
    maximize: bool = False,
) -> list[float]:
    """The published update, number by number."""
    p, v, out = START, None, []
    for g in GRADS:
        g = (-g if maximize else g) + weight_decay * p
        if momentum:
            v = g if v is None else momentum * v + (1 - dampening) * g
            g = g + momentum * v if nesterov else v
        p -= lr * g
        out.append(p)
    return out


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight_decay": 0.1},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.5},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        {"momentum": 0.9, "maximize": True},
        {"maximize": True, "weight_decay": 0.1},
    ],
)
def test_sgd_follows_its_formula(options: dict) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    optimizer = nb.optim.SGD([p], lr=0.1, **options)
    got = []
    for g in GRADS:
        p.grad = nb.tensor(g, dtype=nb.float64)
        optimizer.step()
        assert p.grad.item() == g  # the gradient is read, not changed
        got.append(p.item())
    np.testing.assert_allclose(got, reference(0.1, **options), rtol=1e-14)


def test_the_default_learning_rate_is_pytorchs() -> None:
    assert nb.optim.SGD([nb.zeros(1, requires_grad=True)]).param_groups[0]["lr"] == 1e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -0.1}, "Invalid learning rate: -0.1"),
        ({"lr": 0.1, "momentum": -1.0}, "Invalid momentum value: -1.0"),
        ({"lr": 0.1, "weight_decay": -1.0}, "Invalid weight_decay value: -1.0"),
        ({"lr": 0.1, "nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
        ({"lr": 0.1, "nesterov": True, "momentum": 0.9, "dampening": 0.1}, "Nesterov momentum requires"),
        ({"lr": float("nan")}, "Invalid learning rate") if nb.__name__ != "torch" else ({"lr": -1.0}, "Invalid"),
    ],
)
def test_options_out_of_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nb.optim.SGD([nb.zeros(1, requires_grad=True)], **options)
