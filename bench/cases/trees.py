"""Random expressions, each new: what a structure costs that was never seen before."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.libraries import AUTOGRAD, COMPILED, JAX, NBGRAD, TORCH, autograd_functions, library
from bench.measure import Case, Work

TREES, LEAVES, OPERATIONS, SIZE = 100, 4, 40, 16
BINARY = "add", "sub", "mul", "maximum"
AHEAD = 60  # calls whose trees are drawn before the clock runs


def program(rng: random.Random) -> list[tuple[str, int, int]]:
    """A straight line of operations: (name, number of the first value, number of the second)."""
    names = ["add", "sub", "mul", "tanh", "sin", "sigmoid", "maximum"]
    lines = []
    for k in range(OPERATIONS):
        # The newest value is always read, so nothing is left out of the tree.
        lines.append((rng.choice(names), LEAVES + k - 1 if k else 0, rng.randrange(LEAVES + k)))
    return lines


def run_program(lib: Any, lines: list[tuple[str, int, int]], leaves: Any) -> Any:
    """The sum of the program's last value."""
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
            values.append(lib.maximum(x, y))
        else:
            values.append(getattr(lib, name)(x))
    return values[-1].sum()


def _programs(seed: int) -> Iterator[list[tuple[str, int, int]]]:
    """Without end and without repetition; the same for every library."""
    rng = random.Random(seed)
    while True:
        yield program(rng)


def _leaves() -> list[Any]:
    numbers = np.linspace(-1, 1, SIZE, dtype=np.float32)
    return [np.roll(numbers, k) for k in range(LEAVES)]


def _drawn(trees: int) -> Iterator[list[tuple[str, int, int]]]:
    """Programs for calls of ``trees`` each, the first of them drawn already."""
    drawn = _programs(0)
    return itertools.chain([next(drawn) for _ in range(AHEAD * trees)], drawn)


def _define_by_run(name: str, trees: int) -> Work:
    lib, programs = library(name), _drawn(trees)

    def work() -> Any:
        out = []
        leaves = [lib.tensor(array, requires_grad=True) for array in _leaves()]
        for _ in range(trees):
            for leaf in leaves:
                leaf.grad = None
            loss = run_program(lib, next(programs), leaves)
            loss.backward()
            out.append(loss.item())
        return out, *(leaf.grad for leaf in leaves if leaf.grad is not None)

    return work


def _autograd(trees: int) -> Work:
    anp, programs = autograd_functions(), _drawn(trees)
    import autograd

    leaves = _leaves()

    def work() -> Any:
        out = []
        for _ in range(trees):
            lines = next(programs)
            value, grads = autograd.value_and_grad(lambda leaves, lines=lines: run_program(anp, lines, leaves))(leaves)
            out.append(float(value))
        read = {0, *(b for name, _, b in lines if name in BINARY)}  # the others have no gradient, here zeros
        return out, *(grads[k] for k in range(LEAVES) if k in read)

    return work


def cases(quick: bool) -> list[Case]:
    """New trees at every call: there is no steady state to wait for."""
    trees = TREES // 10 if quick else TREES
    return [
        Case(
            "random trees, each new, forward and backward",
            f"{trees} trees of {OPERATIONS} operations on {SIZE} float32",
            {
                **{name: partial(_define_by_run, name, trees) for name in (NBGRAD, TORCH)},
                AUTOGRAD: partial(_autograd, trees),
            },
            per=trees * OPERATIONS,
            goals={TORCH: 0.3},
            rtol=1e-3,
            settles=False,
            absent={COMPILED: "about 500 s: compiles each tree", JAX: "about 140 s: compiles each tree"},
        )
    ]
