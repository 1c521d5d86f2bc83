"""In what order groups run: what writes into a value comes behind all that read it, where it can."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import nbgrad as nb
from nbgrad import config
from nbgrad.passes.schedule import in_order
from nbgrad.trace.flush_plan import plans_run

SIDE = 200


def test_a_wish_is_no_need() -> None:
    needs: list[set[int]] = [set(), {0}, {0}, {2}]
    ranks = range(4)
    assert in_order(needs, ranks) == [0, 1, 2, 3]
    assert in_order(needs, ranks, {1: {3}}) == [0, 2, 3, 1]
    assert in_order(needs, ranks, {1: {3}, 3: {1}}) == [0, 2, 1, 3]
    assert in_order(needs, ranks, {0: {3}}) == [0, 1, 2, 3]


def recurrence(w: nb.Tensor, a: nb.Tensor) -> nb.Tensor:
    out = nb.zeros(len(a) + 1, SIDE)
    out[0] = w
    for i in range(len(a)):
        out[i + 1] = (out[i] * 0.9 + 0.1).tanh()
    return (out * out).sum()


def rows(w: nb.Tensor, a: nb.Tensor) -> nb.Tensor:
    buffer, h = nb.zeros(len(a), SIDE), w
    for t in range(len(a)):
        h = h * 0.9 + a[t]
        buffer[t].copy_(h)
    return (buffer * buffer).sum()


def written_back(w: nb.Tensor, a: nb.Tensor) -> nb.Tensor:
    h = w.repeat(len(a), 1) * 1.0
    for t in range(1, len(a)):
        h[t] += h[t - 1].clone() * a[t]
    return (h * h).sum()


def nonlinear(w: nb.Tensor, a: nb.Tensor) -> nb.Tensor:
    h = w.repeat(len(a), 1) * 0.5
    for t in range(1, len(a)):
        h[t] = h[t - 1] * h[t - 1] * a[t]
    return (h * h).sum()


@pytest.mark.parametrize("loop", [recurrence, rows, written_back, nonlinear])
def test_rows_are_written_in_place_in_both_directions(loop: Callable[[nb.Tensor, nb.Tensor], nb.Tensor]) -> None:
    def tape_of(n: int) -> tuple[int, int]:
        w, a = nb.ones(SIDE, requires_grad=True), nb.full((n,), 0.5).requires_grad_()
        with config.override(compile="eager"), plans_run() as plans:
            loop(w, a).backward()
            assert w.grad is not None
            w.grad.tolist()
        tape = max([p.tape for p in plans], key=lambda tape: len(tape.instructions))
        return sum([i.items for i in tape.instructions]), tape.arena_bytes

    (items, arena), (more_items, more_arena) = tape_of(20), tape_of(40)
    assert more_items < 2.6 * items  # a copy of all rows in each round makes it 4
    assert more_arena < 2.6 * arena
