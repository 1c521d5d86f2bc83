"""Random functions with state: compiled, they do what they do plainly, bit for bit, call after call."""

from __future__ import annotations

import os
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


NAMES = [
    "add",
    "mul",
    "tanh",
    "centre",
    "part",
    "number",
    "decide",
    "rand",
    "scratch",
    "write_argument",
    "write_buffer",
    "look",
    "backward",
    "zero",
    "descend",
    "grad",
    "detach",
    "view_write",
    "swap",
    "moving",
]
steps = st.lists(
    st.builds(Step, st.sampled_from(NAMES), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12
)


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
            getattr(self, f"do_{name}")(pool, pool[i % len(pool)], pool[j % len(pool)], a, k)
        return pool[-1], {"a": pool[-2].detach(), "n": a * 2}

    def do_add(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p + q)

    def do_mul(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p * q * 0.5)

    def do_tanh(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p.tanh())

    def do_centre(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p - q.mean())

    def do_part(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(nb.cat([p[1:], q[:1]]))

    def do_number(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p * (1 - a) + k * self.scale)

    def do_decide(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p.sin() if a > 0.3 else p.cos())

    def do_rand(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p + nb.rand(3))

    def do_scratch(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        t = p * 2
        t.add_(q.detach()).mul_(0.25)
        pool.append(t)

    def do_write_argument(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool[1].copy_(q.detach().clamp(-2, 2))

    def do_write_buffer(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        self.buffer.mul_(0.5).add_(q.detach().tanh())

    def do_look(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        if p.detach().sum().item() > 1e6:
            pool.append(q)

    def do_backward(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        if p.requires_grad:
            p.tanh().sum().backward(retain_graph=True)

    def do_zero(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        self.w.grad = None

    def do_descend(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        if self.w.grad is not None:
            with nb.no_grad():
                self.w.sub_(a * self.w.grad)

    def do_grad(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        if p.requires_grad:
            (g,) = nb.autograd.grad((p * q).sum(), self.w, create_graph=True, retain_graph=True, allow_unused=True)
            if g is not None:
                pool.append(g.tanh())

    def do_detach(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p.detach())

    def do_view_write(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        t = p * 1.0
        t[1:] = q[:2] * 0.5
        pool.append(t)

    def do_swap(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool[0], pool[-1] = pool[-1], pool[0]

    def do_moving(self, pool: list[Any], p: Any, q: Any, a: float, k: int) -> None:
        pool.append(p + self.table[k % 7 : k % 7 + 2].sum(0))


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
