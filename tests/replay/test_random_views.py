"""Random functions that hold views and memory that NumPy sees: compiled, they do what they do plainly, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgrad as nb
from tests.replay.test_compiled import programs_of
from tests.replay.test_random_steps import EXAMPLES, Step, bits

CALLS = 8
# What a line adds to the values, of the state, two values and two numbers.
READS: dict[str, Callable[[Any, Any, Any, float, int], Any]] = {
    "add": lambda s, p, q, a, k: p + q,
    "mul": lambda s, p, q, a, k: p * q * 0.5,
    "row": lambda s, p, q, a, k: p.sin() + s.row,
    "column": lambda s, p, q, a, k: p * s.column,
    "part": lambda s, p, q, a, k: p - s.part * a,
    "whole": lambda s, p, q, a, k: p + s.base.sum(0),
    "shared": lambda s, p, q, a, k: p + s.shared.mean(0),
    "window": lambda s, p, q, a, k: p * s.lazy_view,
    "rows_of_shared": lambda s, p, q, a, k: p + s.shared[k % 4 : k % 4 + 2].sum(0),
    "strided": lambda s, p, q, a, k: s.strided - p,
    "leaf": lambda s, p, q, a, k: p * s.leaf,
}
WRITES = ["write_row", "write_column", "write_base", "descend", "write_shared"]
OUTSIDE = ["nothing", "base", "row", "memory", "look", "late", "numpy", "other_row"]
lines_of = st.lists(
    st.builds(Step, st.sampled_from([*READS, *READS, *WRITES]), st.integers(0, 99), st.integers(0, 99)),
    min_size=1,
    max_size=8,
)


class World:
    """A tensor with views, one of them a leaf, memory of NumPy's with views, and a function of all that."""

    def __init__(self, lines: list[Step], memory: Any) -> None:
        self.lines = lines
        self.base = nb.tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
        self.row, self.column, self.part = self.base[1], self.base[:3, 1], self.base[1:].T[1]
        self.shared = nb.from_numpy(memory)
        self.lazy_view, self.strided = self.shared[2], self.shared[::2, 0][:3]
        self.leaf = nb.ones(2, 3)[1].requires_grad_()

    def run(self, x: Any, a: float, k: int) -> Any:
        pool = [x, x * a]
        for name, i, j in self.lines:
            p, q = pool[i % len(pool)], pool[j % len(pool)]
            if name in READS:
                pool.append(READS[name](self, p, q, a, k))
            else:
                getattr(self, name)(p, q)
        return pool[-1], pool[-2].detach()

    def write_row(self, p: Any, q: Any) -> None:
        self.row.mul_(0.5).add_(p.detach().tanh())

    def write_column(self, p: Any, q: Any) -> None:
        self.column.copy_(q.detach().tanh())

    def write_base(self, p: Any, q: Any) -> None:
        self.base.mul_(0.75)
        self.base[2] = p.detach().cos()

    def descend(self, p: Any, q: Any) -> None:
        if p.requires_grad:
            p.tanh().sum().backward(retain_graph=True)
            with nb.no_grad():
                self.leaf.sub_(0.1 * self.leaf.grad)
            self.leaf.grad = None

    def write_shared(self, p: Any, q: Any) -> None:
        self.lazy_view.copy_(p.detach().tanh())


def happen(what: str, world: World, memory: Any, kept: list[Any], k: int) -> Any:
    """What a program does between two calls."""
    if what == "base":
        world.base[k % 4] = 0.1 * k
    elif what == "row":
        world.row.add_(0.25)
    elif what == "memory":
        memory[k % 6] = 0.3 * k - 1
    elif what == "look":
        return bits([world.part + world.lazy_view, world.base])
    elif what == "late":
        kept.append(world.row * 2 + world.column)
    elif what == "numpy":
        kept.append(world.base.numpy())
    elif what == "other_row":
        world.row = world.base[k % 4]
    return None


def history(lines: list[Step], between: list[str], compiled: bool) -> tuple[list[Any], Any]:
    memory = np.linspace(0, 1, 18, dtype=np.float32).reshape(6, 3)
    world = World(lines, memory)
    run = nb.compile(world.run) if compiled else world.run
    found: list[Any] = []
    kept: list[Any] = []
    for k in range(CALLS):
        x = nb.tensor(np.linspace(-1, 1, 3, dtype=np.float32) * k)
        try:
            result = bits(run(x, 0.1 * (k + 1), k))
        except RuntimeError as error:
            result = type(error).__name__
        found.append([result, memory.tobytes(), happen(between[k % len(between)], world, memory, kept, k)])
        if k % 3 == 2:
            found.append(
                bits([world.base, world.row, world.column, world.part, world.leaf, world.shared, world.lazy_view])
            )
    return found + [x.tobytes() if isinstance(x, np.ndarray) else bits(x) for x in kept], run


@pytest.mark.cpu
@settings(max_examples=max(EXAMPLES // 2, 1))
@given(lines_of, st.lists(st.sampled_from(OUTSIDE), min_size=1, max_size=4))
def test_compiled_functions_that_hold_views_do_what_plain_ones_do(lines: list[Step], between: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nb.errors.PerformanceWarning)
        plain, _ = history(lines, between, compiled=False)
        found, run = history(lines, between, compiled=True)
    assert found == plain
    if between == ["nothing"] and all(line.name in READS for line in lines):
        assert programs_of(run)
