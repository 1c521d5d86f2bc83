"""RMSprop beside its formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_adam import GRADS, START

OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "alpha": 0.9, "eps": 1e-3},
    {"momentum": 0.9},
    {"centered": True},
    {"momentum": 0.5, "centered": True, "weight_decay": 0.1, "maximize": True},
]


def reference(
    lr: float = 1e-2,
    alpha: float = 0.99,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    momentum: float = 0.0,
    centered: bool = False,
    maximize: bool = False,
) -> list[float]:
    p, square, mean, velocity, out = START, 0.0, 0.0, 0.0, []
    for g in GRADS:
        g = (-g if maximize else g) + weight_decay * p
        square = alpha * square + (1 - alpha) * g * g
        mean = alpha * mean + (1 - alpha) * g if centered else 0.0
        step = g / (np.sqrt(square - mean * mean) + eps)
        velocity = momentum * velocity + step
        p -= lr * velocity
        out.append(p)
    return out


def stepped(optimizer: Any, p: nb.Tensor) -> list[float]:
    got = []
    for g in GRADS:
        p.grad = nb.tensor(g, dtype=nb.float64)
        optimizer.step()
        got.append(p.item())
    return got


@pytest.mark.parametrize("options", OPTIONS)
def test_rmsprop_divides_by_the_running_root_mean_square(options: dict[str, Any]) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    np.testing.assert_allclose(stepped(nb.optim.RMSprop([p], **options), p), reference(**options), rtol=1e-12)


@pytest.mark.parametrize("options", OPTIONS)
def test_rmsprop_is_pytorchs(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    q = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    optimizer, want = torch.optim.RMSprop([q], **options), []
    for g in GRADS:
        q.grad = torch.tensor(g, dtype=torch.float64)
        optimizer.step()
        want.append(q.item())
    ours = nb.optim.RMSprop([p], **options)
    np.testing.assert_allclose(stepped(ours, p), want, rtol=1e-12)
    assert set(ours.state[p]) == set(optimizer.state[q])


def test_rmsprop_goes_on_where_its_state_was_saved() -> None:
    def make() -> tuple[nb.Tensor, Any]:
        p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
        return p, nb.optim.RMSprop([p], lr=0.1, momentum=0.9, centered=True)

    p, first = make()
    stepped(first, p)
    q, second = make()
    second.load_state_dict(first.state_dict())
    with nb.no_grad():
        q.copy_(p)
    assert stepped(second, q) == stepped(first, p)


def test_rmsprop_is_compiled_with_its_step() -> None:
    def make() -> tuple[nb.Tensor, Any]:
        w = nb.ones(3, requires_grad=True)
        optimizer = nb.optim.RMSprop([w], lr=0.1, momentum=0.9)

        def step() -> None:
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()

        return w, step

    (w, plain), (compiled_w, step) = make(), make()
    step = nb.compile(step, fullgraph=True)
    for _ in range(6):
        plain()
        step()
    assert w.tolist() == compiled_w.tolist()


def test_options_out_of_range_are_refused() -> None:
    for name in ("lr", "eps", "alpha", "momentum", "weight_decay"):
        with pytest.raises(ValueError, match="Invalid "):
            nb.optim.RMSprop([nb.zeros(1, requires_grad=True)], **{name: -1})
