"""Concatenated values are made in their places."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.run import optimise
from nbgrad.tape.lower import lower
from nbgrad.tape.pieces import cat_places
from tests.passes.build import reduced, value
from tests.passes.runs import assert_close, fused, run_plan, same_bits, unfused


def cat(*xs: Node, dim: int = 1) -> Node:
    return apply("cat", *xs, params=(dim,))


def copies(*roots: Node) -> int:
    tape = lower(roots, fuse(roots), padded=False)
    return sum([i.text.form == "map" and not i.text.stmts for i in tape.instructions])


def halves(columns: int = 64) -> tuple[Node, Node]:
    x, y = value(3, columns), value(3, columns, at=1)
    return apply("exp", x), apply("sin", y)


def test_places_follow_each_other_along_the_dim() -> None:
    a, b = value(3, 2), value(3, 5, at=1)
    assert [offset for _, offset in cat_places(cat(a, b))] == [0, 8]
    assert [offset for _, offset in cat_places(cat(value(2, 4), value(1, 4, at=1), dim=0))] == [0, 32]


def test_values_that_only_a_cat_reads_are_written_there() -> None:
    a, b = halves()
    assert copies(cat(a, b)) == 0
    assert copies(cat(*halves(32), dim=0)) == 0


def test_inputs_and_what_others_read_are_copied() -> None:
    a, b = halves()
    assert copies(cat(a, value(3, 7, at=2), b)) == 1
    assert copies(cat(a, b), a) == 1
    assert copies(cat(a, a)) == 2
    assert copies(cat(a, b), cat(b, a)) == 4


def test_short_rows_are_copied() -> None:
    assert copies(cat(*halves(63))) == 2


def test_what_is_no_map_of_a_loop_is_copied() -> None:
    assert copies(cat(reduced("sum", value(3, 5, 100), 1), apply("cumsum", value(3, 80, at=1), params=(1, False)))) == 2


@pytest.mark.parametrize("dim", [0, 1])
def test_bits_stay_when_readers_follow(dim: int) -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((3, 70)).astype("f") for _ in range(2)]
    x, y = value(3, 70), value(3, 70, at=1)
    whole = cat(apply("exp", x), x * y, apply("sin", y), dim=dim)
    again = cat(whole * whole, apply("tanh", whole), dim=dim)
    roots = [apply("exp", whole), reduced("sum", again, 0), again]
    got = run_plan(fused(roots), inputs)
    assert same_bits(got, run_plan(unfused(roots), inputs))
    assert_close(got, interpret(roots, inputs))


def test_rows_of_several_stages_are_written_in_their_places() -> None:
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal((3, 70)).astype("f") for _ in range(2)]
    roots = [cat(*[apply("softmax", value(3, 70, at=at), params=((1,),)) for at in range(2)])]
    assert copies(*optimise(canonicalize(roots))) == 0
    got = run_plan(fused(roots), inputs)
    assert same_bits(got, run_plan(unfused(roots), inputs))
    assert_close(got, interpret(roots, inputs))
