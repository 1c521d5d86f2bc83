"""Random programs whose values move between the CPU and two GPUs: their numbers are those of the CPU alone."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgrad as nb
from tests.on_devices import cuda

pytestmark = pytest.mark.fuzz

COUNT = int(os.environ.get("NBGRAD_FUZZ", "300")) // 10
DEVICES = ("cpu", "cuda:0", "cuda:1")
STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=14)


class Run:
    """One run of a program. ``at_home``: on the CPU alone, where a move is a product with 1, because derivatives are
    added up in the order in which operations were recorded, and a move is one."""

    def __init__(self, *, at_home: bool) -> None:
        self.at_home = at_home
        self.lives: dict[int, int] = {}  # by id of a tensor, which device it is on or would be
        self.values: list[nb.Tensor] = []

    def moved(self, x: nb.Tensor, to: int) -> nb.Tensor:
        if self.lives[id(x)] == to:
            return x
        return self.living(x * 1.0 if self.at_home else x.to(DEVICES[to]), to)

    def living(self, x: nb.Tensor, where: int) -> nb.Tensor:
        self.values.append(x)  # kept: ids are not given again
        self.lives[id(x)] = where
        return x


def run(steps: list[tuple[int, int, int]], *, at_home: bool) -> list[Any]:
    """Everything that can be seen of a program."""
    home = [nb.tensor([0.5, -1.0, 2.0, 3.0], requires_grad=True), nb.tensor([1.5, 0.25, -2.0, 1.0], requires_grad=True)]
    program = Run(at_home=at_home)
    for x in home:
        program.living(x * 1.0, 0)
    values, seen = program.values, list[Any]()
    for kind, i, j in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        here = program.lives[id(a)]
        if kind == 0:
            program.moved(a, j % 3)
        elif kind == 1:
            program.living(a.tanh(), here)
        elif kind == 2:
            program.living(a * program.moved(b, here) + 0.5, here)
        elif kind == 3:
            a.mul_(0.5)
        elif kind == 4:
            a[1:3].add_(program.moved(b, here)[:2])
        elif kind == 5:
            program.living(a * a.sum() * nb.tensor(0.25), here)
        elif kind == 6:
            seen.append(a.tolist())
        elif kind == 7:
            program.living(a[nb.tensor([j % 4, 0, 1, 3])], here)
        elif kind == 8:
            a.copy_(b)
        else:
            program.living(a.detach() + nb.ones_like(a) * j, here)
    total = nb.tensor(0.0)
    for x in list(values):
        total = total + program.moved(x, 0).tanh().sum()
    total.backward()
    return [
        seen,
        total.item(),
        [x.tolist() for x in values],
        [None if x.grad is None else x.grad.tolist() for x in home],
    ]


@settings(max_examples=COUNT)
@given(STEPS)
def test_a_program_gives_the_cpus_bits_wherever_its_values_live(steps: list[tuple[int, int, int]]) -> None:
    expected = run(steps, at_home=True)
    with cuda(2):
        for _ in range(2):
            assert str(run(steps, at_home=False)) == str(expected)


def test_a_stream_goes_on_as_if_nothing_had_been_drawn() -> None:
    nb.manual_seed(3)
    expected = nb.rand(3).tolist()
    nb.manual_seed(3)
    with contextlib.suppress(ZeroDivisionError), nb.random.fork_rng():
        assert nb.rand(3).tolist() == expected
        raise ZeroDivisionError
    assert nb.rand(3).tolist() == expected
    with nb.random.fork_rng(enabled=False):
        assert nb.rand(3).tolist() != expected
    with nb.random.fork_rng():
        nb.manual_seed(4)
    assert nb.initial_seed() == 3
