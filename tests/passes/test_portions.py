"""Where loops of many operators are cut."""

from __future__ import annotations

import random

import pytest

from nbgrad.graph.node import Node, apply
from nbgrad.passes.portions import ENOUGH_NODES, MOST_NODES, portions
from tests.passes.build import value


def chain(rounds: int, *names: str, size: int = 1000) -> list[Node]:
    nodes, x = [], value(size)
    for _ in range(rounds):
        for name in names:
            x = apply(name, x)
            nodes.append(x)
    return nodes


BODY = ("tanh", "exp", "sin", "neg", "sqrt", "cos", "log", "exp", "tanh", "abs")


def test_a_loop_that_fits_is_not_cut() -> None:
    nodes = chain(25, *BODY)
    assert portions(nodes) == [nodes]


def test_pieces_are_the_same_rounds_of_the_body() -> None:
    nodes = [*chain(1, "neg", "neg"), *chain(100, *BODY), *chain(1, "sqrt")]
    pieces = portions(nodes)
    assert [n for piece in pieces for n in piece] == nodes
    assert all(len(piece) <= MOST_NODES for piece in pieces)
    assert len({tuple([n.op.name for n in piece]) for piece in pieces}) <= 4
    assert len(pieces) <= 5


def test_a_body_too_large_for_a_kernel_is_cut_evenly() -> None:
    pieces = portions(chain(4, *random.Random(0).choices(BODY, k=400)))
    assert {len(piece) for piece in pieces} == {200}


def test_what_does_not_repeat_itself_is_cut_evenly() -> None:
    nodes = chain(1, *random.Random(0).choices(BODY, k=600))
    assert [len(piece) for piece in portions(nodes)] == [200, 200, 200]


@pytest.mark.parametrize(("size", "length"), [(10_000, ENOUGH_NODES), (1000, 2)])
def test_few_rounds_that_stand_for_many_are_cut_at_once(size: int, length: int) -> None:
    nodes = chain(100, "tanh", "exp", size=size)
    assert portions(nodes) == [nodes]
    pieces = portions(nodes, few=True)
    assert {len(piece) for piece in pieces[1:-1]} == {length}
    assert [n for piece in pieces for n in piece] == nodes
