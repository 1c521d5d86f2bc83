"""500 operations on 16 floats, recorded and differentiated: what an operation costs with nothing to compute."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.libraries import libraries
from bench.measure import Case, Work

OPERATIONS = 500


def _work(lib: Any) -> Work:
    numbers = np.linspace(-1, 1, 16, dtype=np.float32)
    x = lib.tensor(numbers, requires_grad=True)
    w = lib.tensor(np.cos(numbers), requires_grad=True)

    def work() -> Any:
        x.grad = w.grad = None
        y = x
        for _ in range(OPERATIONS // 4):
            y = y * 1.01
            y = y + 0.1
            y = y.tanh()
            y = y * w
        loss = y.sum()
        loss.backward()
        return loss, x.grad, w.grad

    return work


def cases(quick: bool) -> list[Case]:
    """The chain for every library."""
    return [
        Case(
            "chain of 500 operations, forward and backward",
            "16 float32",
            {name: _work(lib) for name, lib in libraries()},
            per=OPERATIONS,
            goal="at most 1/5 of PyTorch (aim: 1/10)",
        )
    ]
