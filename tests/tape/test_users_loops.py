"""Loops as users write them: a loss at each step, second derivatives, rows of a Hessian; planned for a few rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import Tensor
from nbgrad.config import override
from nbgrad.graph import rounds as graph_rounds
from nbgrad.multi_device import AnyPlan
from nbgrad.pipeline import Plan
from nbgrad.trace.flush_plan import plans_run

STEPS = 36


@pytest.fixture(autouse=True, scope="module")
def _small_programs_too() -> Iterator[None]:
    before = graph_rounds.LEAST_NODES
    graph_rounds.LEAST_NODES = 40  # type: ignore[misc]
    yield
    graph_rounds.LEAST_NODES = before  # type: ignore[misc]


def random(*shape: int, requires_grad: bool = False) -> Tensor:
    values = np.random.default_rng(sum(shape)).standard_normal(shape)
    return nb.tensor(values.astype(np.float32), requires_grad=requires_grad)


def gradients(loss: Tensor, *of: Tensor, create_graph: bool = False, retain_graph: bool = False) -> list[Tensor]:
    found = nb.autograd.grad(loss, of, create_graph=create_graph, retain_graph=retain_graph or create_graph)
    return [cast(Tensor, g) for g in found]


def recurrent() -> list[Tensor]:
    """A mean of squares that each step adds to the loss: reductions that follow one another."""
    w, out = random(5, 5, requires_grad=True), random(5, 3, requires_grad=True)
    rows, wanted = random(STEPS, 4, 5), random(STEPS, 4, 3)
    h, loss = nb.zeros(4, 5), nb.tensor(0.0)
    for t in range(STEPS):
        h = nb.tanh(rows[t] + h @ w)
        loss = loss + ((h @ out - wanted[t]) ** 2).mean()
    return [loss, *gradients(loss, w, out)]


def classifier() -> list[Tensor]:
    """A cross entropy at each step: all of them read the same numbers of classes."""
    w = random(6, 6, requires_grad=True)
    classes = nb.tensor(np.random.default_rng(0).integers(0, 6, (STEPS, 4)))
    h, loss = nb.ones(4, 6), nb.tensor(0.0)
    for t in range(STEPS):
        h = nb.tanh(h @ w)
        loss = loss + nb.nn.functional.cross_entropy(h, classes[t])
    return [loss, *gradients(loss, w)]


def swung(p: Tensor) -> Tensor:
    """The energy of a damped oscillator after some steps."""
    x, v = nb.tensor(1.0, dtype=nb.float64), nb.tensor(0.0, dtype=nb.float64)
    for _ in range(STEPS):
        pull = -p[0] * x - p[1] * v
        v = v + 0.1 * pull
        x = x + 0.1 * v
    return x * x + v * v


def hessian_vector_product() -> list[Tensor]:
    """The loops of second derivatives lack more rounds at their ends than those of first ones."""
    p = nb.tensor([1.0, 0.1], dtype=nb.float64, requires_grad=True)
    loss = swung(p)
    (g,) = gradients(loss, p, create_graph=True)
    direction = nb.tensor([0.3, -0.2], dtype=nb.float64)
    return [loss, g, *gradients((g * direction).sum(), p)]


def hessian_rows() -> list[Tensor]:
    """Numbers are kept for the next row: loops of equal instructions stand one behind the other."""
    p = nb.tensor([1.0, 0.1], dtype=nb.float64, requires_grad=True)
    x, v = nb.tensor(1.0, dtype=nb.float64), nb.tensor(0.0, dtype=nb.float64)
    for _ in range(STEPS):
        v = v + 0.1 * (-p[0] * x - p[1] * x * x * x)
        x = x + 0.1 * v
    (g,) = gradients(x * x, p, create_graph=True)
    return [g, *[gradients(g[i], p, retain_graph=True)[0] for i in range(2)]]


def notes_of(plans: list[AnyPlan]) -> list[str]:
    return [note for plan in plans if isinstance(plan, Plan) and plan.tape is not None for note in plan.tape.notes]


@pytest.mark.parametrize("program", [recurrent, classifier, hessian_vector_product, hessian_rows])
def test_it_is_planned_for_a_few_rounds_with_the_bits_of_one_planned_whole(
    program: Callable[[], list[Tensor]],
) -> None:
    with override(compile="eager"), plans_run() as plans:
        found = [x.tolist() for x in program()]
    assert any("planned once" in note for note in notes_of(plans))
    with override(compile="never", passes="-rounds"), plans_run() as plans:
        assert found == [x.tolist() for x in program()]
    assert not any("planned once" in note for note in notes_of(plans))


def test_loops_of_few_operators_over_small_arrays_are_planned_once() -> None:
    def run(size: int) -> list[str]:
        h = random(size, requires_grad=True)
        with override(compile="eager"), plans_run() as plans:
            y = h
            for t in range(STEPS):
                y = (y * 0.9 + 0.1 * t).tanh()
            gradients((y * y).sum(), h)[0].tolist()
        return notes_of(plans)

    assert any("planned once" in note for note in run(200))
    assert not run(5000)  # each round would load and store more than it computes
