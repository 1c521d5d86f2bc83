"""What was split and put together again is one concatenation."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.view import expand_to, slice_at
from nbgrad.passes.fold import fold
from nbgrad.passes.pieces import MOST_PIECES, joined, seen_past
from tests.passes.build import lines, start, value
from tests.passes.runs import fused, run_plan, same_bits, unfused


def put(x: Node, w: Node, at: int, dim: int = 0) -> Node:
    return apply("put_slice", x, w, const(at, int64), params=(dim, w.spec.shape[dim], 1))


def zeros(*shape: int) -> Node:
    return expand_to(const(0.0, float32), shape)


def test_a_slice_looks_past_writes_beside_it() -> None:
    x, w = value(8), value(3, at=1)
    y = seen_past(slice_at(put(put(x, w, 0), w, 5), 3, 0, 2))
    assert y.inputs[0] is x


def test_a_slice_of_what_was_written_there_is_that() -> None:
    x, w, v = value(8), value(3, at=1), value(2, at=2)
    assert seen_past(slice_at(put(put(x, w, 1), v, 5), 1, 0, 3)) is w


def test_a_slice_that_meets_a_write_in_part_stays() -> None:
    for at, n in ((0, 2), (2, 3), (0, 8)):
        y = slice_at(put(value(8), value(3, at=1), 1), at, 0, n)
        assert seen_past(y) is y
    moving = apply("slice", put(value(8), value(3, at=1), 0), start(), params=(0, 2, 1))
    assert seen_past(moving) is moving
    crossing = slice_at(put(value(8, 4), value(8, 2, at=1), 0, dim=1), 0, 0, 2)
    assert seen_past(crossing) is crossing


def test_writes_everywhere_are_a_concatenation_in_the_order_of_their_places() -> None:
    a, b, c = value(2, at=0), value(3, at=1), value(1, at=2)
    y = joined(put(put(put(zeros(6), b, 2), c, 5), a, 0))
    assert (y.op.name, y.inputs, y.params) == ("cat", (a, b, c), (0,))
    assert joined(put(zeros(3), b, 0)) is b


@pytest.mark.parametrize("places", [(0, 2), (0, 4), (1, 3)])
def test_writes_with_gaps_or_overlaps_stay(places: tuple[int, int]) -> None:
    a, b = value(3, at=0), value(3, at=1)
    y = put(put(zeros(6), a, places[0]), b, places[1])
    assert joined(y) is y


def test_a_long_chain_stays() -> None:
    y = zeros(MOST_PIECES + 1)
    for i in range(MOST_PIECES + 1):
        y = put(y, value(1, at=i), i)
    assert joined(y) is y


def test_the_gradient_of_pieces_is_added_to_zero_and_joined() -> None:
    """Adding to 0.0 is not nothing: it makes 0.0 of -0.0."""
    a, b = value(2, at=0), value(2, at=1)
    first = put(zeros(4), a, 0)
    root = put(first, slice_at(first, 2, 0, 2) + b, 2)
    assert [line.split(" = ")[1].split()[0] for line in lines(*fold([root]))[:-1]] == [
        *("input", "const", "input", "add", "cat"),
    ]
    inputs = [np.array([1.0, -0.0], "f"), np.array([-0.0, 2.0], "f")]
    assert same_bits(run_plan(fused([root]), inputs), run_plan(unfused([root]), inputs))


def test_the_gradient_of_chunks_is_concatenated() -> None:
    x = nb.ones(3, 8, requires_grad=True)

    def step() -> None:
        a, b = (x * 2.0).chunk(2, 1)
        (a.sigmoid() * b.tanh()).sum().backward()

    with override(compile="eager"):
        stages = nb.explain(step)
    assert "put_slice" not in stages["fuse"]
    assert "cat" in stages["fuse"]
    x.grad = None
