"""Graphs with fewer rounds."""

from __future__ import annotations

import pytest

from nbgrad.graph import rounds
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.rounds import find_rounds
from nbgrad.graph.show import show
from nbgrad.ops.compare import cast_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.transform.vjp import vjp
from tests.passes.build import number, reduced, value


@pytest.fixture(autouse=True)
def _small_programs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "LEAST_NODES", 50)


def row(x: Node, t: int) -> Node:
    return apply("slice", x, const(t, int64), params=(0, 1, 1))


def recurrence(steps: int) -> list[Node]:
    """A state that reads another row and another number in each step, its sum and its derivative."""
    h = start = value(1, 4)
    x, w = value(100, 4, at=1), value(1, 4, at=2)
    for t in range(steps):
        h = apply("tanh", h * w + row(x, t) * cast_to(number(t), float32))
    loss = reduced("sum", h, 0, 1)
    return canonicalize([loss, *[g for g in vjp([loss], [const(1.0, float32)], [start, w]) if g is not None]])


def test_a_loop_is_found_forward_and_backward() -> None:
    found = find_rounds(recurrence(50))
    assert found is not None
    assert 46 <= found.count <= 50
    assert len(found.family.regions) >= 2


def test_the_short_graph_is_that_of_the_short_loop_but_for_its_numbers() -> None:
    found = find_rounds(recurrence(50))
    assert found is not None
    short = found.shortened(40)
    assert short is not None
    wanted = toposort(recurrence(10))
    assert [(n.op, n.spec) for n in toposort(short.roots)] == [(n.op, n.spec) for n in wanted]
    assert short.places == [0, 1, 2]
    positions = [n.params[0] for n in toposort(short.roots) if n.op.name == "scalar"]
    assert positions == [0, 1, 2, 3, 4, *positions[5:]]
    assert positions[-1] == 49


def test_nothing_left_out_is_the_same_graph() -> None:
    roots = recurrence(45)
    found = find_rounds(roots)
    assert found is not None
    same = found.shortened(0)
    assert same is not None
    assert show(same.roots) == show(roots)


def test_results_of_each_round_stay_with_it() -> None:
    h, each = value(4), []
    for _ in range(50):
        h = apply("tanh", apply("exp", h) * 2.0)
        each.append(h)
    found = find_rounds([*each, h * 3.0])
    assert found is not None
    short = found.shortened(40)
    assert short is not None
    assert len(short.roots) == 11
    assert short.places[0] == 0
    assert short.places[-1] == 50


def test_a_result_from_the_middle_keeps_the_graph_whole() -> None:
    h, each = value(4), []
    for _ in range(50):
        h = apply("tanh", apply("exp", h) * 2.0)
        each.append(h)
    found = find_rounds([each[25], h])
    assert found is not None
    assert found.shortened(40) is None


@pytest.mark.parametrize("first", [53, 57])
def test_results_of_two_loops_in_a_row_are_no_rounds_of_one(first: int) -> None:
    """The results alone go on from one loop to the next without a seam."""
    h = start = value(4)
    each = []
    for t in range(110):
        h = apply("tanh", apply("exp", start if t == first else h) * 2.0)
        each.append(h)
    found = find_rounds(each)
    assert found is None or found.shortened(30) is None


def test_rows_of_what_was_written_are_no_numbers_of_rounds() -> None:
    """A row that is read is that which was written in one round, and in the others it is not."""
    x = apply("put_slice", value(100, 4), value(1, 4, at=1), const(20, int64), params=(0, 1, 1))
    h = value(1, 4, at=2)
    for t in range(50):
        h = apply("tanh", h * row(x, t))
    assert find_rounds(canonicalize([h])) is None


def test_bodies_that_differ_are_no_rounds() -> None:
    h = value(4)
    for t in range(80):
        h = apply("tanh" if t * t % 7 < 3 else "exp", h) * 2.0
    assert find_rounds([h]) is None
