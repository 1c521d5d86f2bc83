"""Random training loops: a ``backward`` that was recorded before gives the bits of one that is recorded anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.autograd import engine


def looks(rng: random.Random) -> Iterator[str]:
    """What a step does besides, mostly nothing: the same for the whole loop, or now and then."""
    always = rng.choice(["", "", "", "loss", "grad"])
    while True:
        yield always if rng.random() < 0.9 else rng.choice(("loss", "grad", "value", "keep", "again", "view", "other"))


def run_loop(seed: int, steps: int) -> list[Any]:
    """All that a random training loop shows."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    n, m = rng.choice([(1, 1), (3, 2), (5, 4)])
    x = nb.tensor(numbers.normal(size=(7, n)).astype("float32"))
    y = nb.tensor(numbers.normal(size=(7, m)).astype("float32"))
    w = nb.tensor(numbers.normal(size=(n, m)).astype("float32"), requires_grad=True)
    b = nb.zeros(m, requires_grad=True)
    parameters = [w, b]
    forwards: list[Callable[[], Any]] = [
        lambda: (x @ w + b - y).square().mean(),
        lambda: ((x @ w + b).tanh() - y).abs().sum() / 7,
        lambda: nb.nn.functional.mse_loss(x[:4] @ w + b, y[:4]),
        lambda: (x @ w.T.T * b.exp()).sigmoid().sum() * 0.1,
    ]
    forward, other = rng.choice(forwards), rng.choice(forwards)
    way = rng.choice(["sgd", "adam", "hand", "none", "data"])
    clears = rng.choice(["none", "zero", "never"])
    optimizer = nb.optim.Adam(parameters, 0.01) if way == "adam" else nb.optim.SGD(parameters, 0.01, momentum=0.5)
    shown: list[Any] = []
    kept: list[Any] = []
    events = looks(rng)
    for _ in range(steps):
        event = next(events)
        loss = (other if event == "other" else forward)()
        if event == "again":
            loss.backward(retain_graph=True)
        loss.backward()
        if event == "grad":
            shown.append(w.grad.tolist())
        if way in ("sgd", "adam"):
            optimizer.step()
        elif way == "hand":
            with nb.no_grad():
                for p in parameters:
                    p -= 0.01 * p.grad
        elif way == "data":
            for p in parameters:
                p.data.sub_(p.grad * 0.01)
        if event == "loss":
            shown.append(loss.item())
        elif event == "value":
            shown.append([p.tolist() for p in parameters])
        elif event == "keep":
            kept += [loss, w.grad.clone(), w.detach().clone()]
        elif event == "view":
            with nb.no_grad():
                w[0] *= 0.5
        if clears == "none":
            w.grad = b.grad = None
        elif clears == "zero":
            w.grad.zero_()
            b.grad.zero_()
    return [*shown, *[z.tolist() for z in (*kept, *parameters)], None if w.grad is None else w.grad.tolist()]


@pytest.mark.parametrize("seed", range(40))
def test_they_show_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []
    backward_again = engine.backward_again

    def watched(*arguments: Any) -> bool:
        taken.append(backward_again(*arguments))
        return taken[-1]

    monkeypatch.setattr(engine, "backward_again", watched)
    found = run_loop(seed, 60)
    assert any(taken)
    monkeypatch.setattr(engine, "backward_again", lambda *arguments: False)
    assert repr(run_loop(seed, 60)) == repr(found)
