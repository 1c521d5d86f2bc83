"""Adagrad beside its formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_adam import GRADS, START

OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 0.1, "lr_decay": 0.5, "eps": 1e-3},
    {"initial_accumulator_value": 0.3, "weight_decay": 0.1, "maximize": True},
]


def reference(
    lr: float = 1e-2,
    lr_decay: float = 0.0,
    weight_decay: float = 0.0,
    initial_accumulator_value: float = 0.0,
    eps: float = 1e-10,
    maximize: bool = False,
) -> list[float]:
    p, square, out = START, initial_accumulator_value, []
    for t, g in enumerate(GRADS):
        g = (-g if maximize else g) + weight_decay * p
        square += g * g
        p -= lr / (1 + t * lr_decay) * g / (np.sqrt(square) + eps)
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
def test_adagrad_divides_by_the_root_of_all_squares(options: dict[str, Any]) -> None:
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    np.testing.assert_allclose(stepped(nb.optim.Adagrad([p], **options), p), reference(**options), rtol=1e-12)


@pytest.mark.parametrize("options", OPTIONS)
def test_adagrad_is_pytorchs(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
    q = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    optimizer, want = torch.optim.Adagrad([q], **options), []
    for g in GRADS:
        q.grad = torch.tensor(g, dtype=torch.float64)
        optimizer.step()
        want.append(q.item())
    ours = nb.optim.Adagrad([p], **options)
    np.testing.assert_allclose(stepped(ours, p), want, rtol=1e-12)
    assert set(ours.state[p]) == set(optimizer.state[q])


def test_adagrad_goes_on_where_its_state_was_saved() -> None:
    def make() -> tuple[nb.Tensor, Any]:
        p = nb.tensor(START, dtype=nb.float64, requires_grad=True)
        return p, nb.optim.Adagrad([p], lr=0.1, lr_decay=0.2)

    p, first = make()
    stepped(first, p)
    q, second = make()
    second.load_state_dict(first.state_dict())
    with nb.no_grad():
        q.copy_(p)
    assert stepped(second, q) == stepped(first, p)


def test_adagrad_is_compiled_with_its_step() -> None:
    def make() -> tuple[nb.Tensor, Any]:
        w = nb.ones(3, requires_grad=True)
        optimizer = nb.optim.Adagrad([w], lr=0.1, lr_decay=0.2)

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
    for name in ("lr", "lr_decay", "eps", "initial_accumulator_value", "weight_decay"):
        with pytest.raises(ValueError, match="Invalid "):
            nb.optim.Adagrad([nb.zeros(1, requires_grad=True)], **{name: -1})
