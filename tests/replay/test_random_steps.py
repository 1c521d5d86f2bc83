"""Random functions with state: compiled, they do what they do plainly, bit for bit, call after call."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgrad as nb

CALLS = 7
EXAMPLES = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 6, 1)


class Step(NamedTuple):
    """One line of a function: what it does, to which values."""

    name: str
    i: int
    j: int


# What a line adds to the values, of the state, two values and two numbers.
VALUES: dict[str, Callable[[Any, Any, Any, float, int], Any]] = {
    "add": lambda s, p, q, a, k: p + q,
    "mul": lambda s, p, q, a, k: p * q * 0.5,
    "tanh": lambda s, p, q, a, k: p.tanh(),
    "centre": lambda s, p, q, a, k: p - q.mean(),
    "part": lambda s, p, q, a, k: nb.cat([p[1:], q[:1]]),
    "number": lambda s, p, q, a, k: p * (1 - a) + k * s.scale,
    "decide": lambda s, p, q, a, k: p.sin() if a > 0.3 else p.cos(),
    "rand": lambda s, p, q, a, k: p + nb.rand(3),
    "detach": lambda s, p, q, a, k: p.detach(),
    "moving": lambda s, p, q, a, k: p + s.table[k % 7 : k % 7 + 2].sum(0),
}


class World:
    """State of a program that lives from call to call, and its function."""

    def __init__(self, lines: list[Step]) -> None:
        nb.manual_seed(1)
        self.lines = lines
        self.w = nb.tensor([0.5, -1.0, 2.0], requires_grad=True)
        self.buffer = nb.tensor([1.0, 2.0, 3.0])
        self.table = nb.tensor(np.linspace(-1, 1, 30, dtype=np.float32).reshape(10, 3))
        self.scale = 0.5

    def run(self, x: Any, y: Any, a: float, k: int) -> Any:
        pool = [x, y, self.w * 1.5, self.buffer + 0.25]
        for name, i, j in self.lines:
            p, q = pool[i % len(pool)], pool[j % len(pool)]
            if name in VALUES:
                pool.append(VALUES[name](self, p, q, a, k))
            else:
                getattr(self, name)(pool, p, q, a)
        return pool[-1], {"a": pool[-2].detach(), "n": a * 2}

    def scratch(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        pool.append((p * 2).add_(q.detach()).mul_(0.25))

    def view_write(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        t = p * 1.0
        t[1:] = q[:2] * 0.5
        pool.append(t)

    def write_argument(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        pool[1].copy_(q.detach().clamp(-2, 2))

    def write_buffer(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        self.buffer.mul_(0.5).add_(q.detach().tanh())

    def look(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        if p.detach().sum().item() > 1e6:
            pool.append(q)

    def swap(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        pool[0], pool[-1] = pool[-1], pool[0]

    def backward(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        if p.requires_grad:
            p.tanh().sum().backward(retain_graph=True)

    def zero(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        self.w.grad = None

    def descend(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        if self.w.grad is not None:
            with nb.no_grad():
                self.w.sub_(a * self.w.grad)

    def grad(self, pool: list[Any], p: Any, q: Any, a: float) -> None:
        if p.requires_grad:
            (g,) = nb.autograd.grad((p * q).sum(), self.w, create_graph=True, retain_graph=True, allow_unused=True)
            if g is not None:
                pool.append(g.tanh())


NAMES = [*VALUES, *[name for name in vars(World) if name[0] != "_" and name != "run"]]
steps = st.lists(
    st.builds(Step, st.sampled_from(NAMES), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12
)


def bits(x: Any) -> Any:
    if isinstance(x, nb.Tensor):
        return (x.requires_grad, x.detach().numpy().tobytes())
    if isinstance(x, dict):
        return {name: bits(v) for name, v in x.items()}
    return [bits(v) for v in x] if isinstance(x, (list, tuple)) else x


def history(lines: list[Step], compiled: bool) -> list[Any]:
    world = World(lines)
    run = nb.compile(world.run) if compiled else world.run
    data = nb.tensor(np.random.default_rng(0).standard_normal((CALLS, 2, 3)).astype(np.float32))
    found: list[Any] = []
    for k in range(CALLS):
        x, y = data[k, 0] * 1.0, data[k, 1] * 1.0
        if k == 4:
            world.scale = 0.75
        try:
            result = bits(run(x, y, 0.1 * (k + 1), k))
        except RuntimeError as error:
            result = type(error).__name__
        found.append([result, bits([x, y, world.w, world.buffer, nb.get_rng_state()])])
        found.append(None if world.w.grad is None else bits(world.w.grad))
    return found


@settings(max_examples=EXAMPLES)
@given(steps)
def test_compiled_functions_do_what_plain_ones_do(lines: list[Step]) -> None:
    for k, (a, b) in enumerate(zip(history(lines, compiled=False), history(lines, compiled=True), strict=True)):
        assert a == b, f"after call {k // 2}"
