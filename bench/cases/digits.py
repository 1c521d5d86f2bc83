"""One training step of the digits example: batch of 64, two layers, cross entropy, Adam."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.libraries import NBGRAD, TORCH, library
from bench.measure import Case, Work

BATCH, FEATURES, HIDDEN, CLASSES, SAMPLES = 64, 64, 128, 10, 640


def _arrays() -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(SAMPLES, FEATURES)).astype(np.float32)
    y = rng.integers(0, CLASSES, SAMPLES)
    shapes = {"0.weight": (HIDDEN, FEATURES), "0.bias": (HIDDEN,), "2.weight": (CLASSES, HIDDEN), "2.bias": (CLASSES,)}
    return x, y, {key: (rng.normal(size=s) / 10).astype(np.float32) for key, s in shapes.items()}


def model_of(lib: Any) -> Any:
    """The example's model."""
    return lib.nn.Sequential(lib.nn.Linear(FEATURES, HIDDEN), lib.nn.ReLU(), lib.nn.Linear(HIDDEN, CLASSES))


def _work(name: str) -> Work:
    lib = library(name)
    x_array, y_array, weights = _arrays()
    x, y = lib.from_numpy(x_array), lib.from_numpy(y_array)
    model = model_of(lib)
    model.load_state_dict({key: lib.tensor(value) for key, value in weights.items()})
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = lib.nn.CrossEntropyLoss()
    step = 0

    def work() -> float:
        nonlocal step
        start = step * BATCH % SAMPLES
        step += 1
        loss = loss_fn(model(x[start : start + BATCH]), y[start : start + BATCH])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        value: float = loss.item()
        return value

    return work


def cases(quick: bool) -> list[Case]:
    """The step for every library."""
    makers = {name: partial(_work, name) for name in (NBGRAD, TORCH)}
    return [Case("digits training step", f"batch {BATCH}", makers, goals={TORCH: 1.0})]
