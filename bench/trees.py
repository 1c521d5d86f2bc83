"""Random expressions, each new: what a structure costs that was never seen before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.libraries import libraries
from bench.measure import Case, Work

TREES, LEAVES, OPERATIONS, SIZE = 100, 4, 40, 16


def program(rng: random.Random) -> list[tuple[str, int, int]]:
    """A straight line of operations: (name, number of the first value, number of the second)."""
    names = ["add", "sub", "mul", "tanh", "sin", "sigmoid", "maximum"]
    lines = []
    for k in range(OPERATIONS):
        # The newest value is always read, so nothing is left out of the tree.
        lines.append((rng.choice(names), LEAVES + k - 1 if k else 0, rng.randrange(LEAVES + k)))
    return lines


def run_program(lines: list[tuple[str, int, int]], leaves: list[Any]) -> Any:
    """The last value of the program."""
    values = list(leaves)
    for name, a, b in lines:
        x, y = values[a], values[b]
        if name == "add":
            values.append(x + y)
        elif name == "sub":
            values.append(x - y)
        elif name == "mul":
            values.append(x * y)
        elif name == "maximum":
            values.append(x.maximum(y))
        else:
            values.append(getattr(x, name)())
    return values[-1]


def _programs(seed: int) -> Iterator[list[tuple[str, int, int]]]:
    """Without end and without repetition; the same for every library."""
    rng = random.Random(seed)
    while True:
        yield program(rng)


def _work(lib: Any, trees: int) -> Work:
    programs = _programs(0)
    numbers = np.linspace(-1, 1, SIZE, dtype=np.float32)

    def work() -> Any:
        out = []
        leaves = [lib.tensor(np.roll(numbers, k), requires_grad=True) for k in range(LEAVES)]
        for _ in range(trees):
            for leaf in leaves:
                leaf.grad = None
            loss = run_program(next(programs), leaves).sum()
            loss.backward()
            out.append(loss.item())
        return out

    return work


def cases(quick: bool) -> list[Case]:
    """New trees at every call: there is no steady state to wait for."""
    trees = TREES // 10 if quick else TREES
    works = {name: _work(lib, trees) for name, lib in libraries()}
    return [
        Case(
            "random trees, each new, forward and backward",
            f"{trees} trees of {OPERATIONS} operations on {SIZE} float32",
            works,
            per=trees * OPERATIONS,
            goal="less total time than PyTorch",
            rtol=1e-3,
            settles=False,
        )
    ]
