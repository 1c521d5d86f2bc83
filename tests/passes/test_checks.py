"""Indices that are checked first of all: what cannot fail afterwards, and which checks that takes."""

from __future__ import annotations

from typing import Any

import pytest

from nbgrad.graph.dtypes import bool_, float32, int8, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.checks import early_checks
from nbgrad.passes.donations import NO_DONATIONS
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.donations import may_fail
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import SAFE
from tests.passes.build import reduced, start, value

ROWS, WIDTH, N = 50, 8, 30


def index(at: int = 0, dtype: Any = int64) -> Node:
    return input_node(at, Spec.of((N,), dtype))


def places(start: Node) -> Node:
    """Where the rows that begin at ``start`` lie."""
    return expand_to(reshape_to(start, (N, 1)), (N, WIDTH)) + iota_node((N, WIDTH), 1)


def embedding(table: Node, where: Node) -> list[Node]:
    """Rows of a table, and what is added to them by their gradient."""
    rows = apply("take", reshape_to(table, (ROWS * WIDTH,)), places(where))
    zeros = apply("expand", const(0.0, float32), params=((ROWS * WIDTH,),))
    flat = [reshape_to(x, (N * WIDTH,)) for x in (places(where), apply("sin", rows))]
    return [reduced("sum", rows, 0, 1), apply("scatter_add", zeros, *flat)]


def checked(i: Node, rows: int = ROWS) -> Node:
    return apply("check_index", i, const(rows, int64))


def checks_of(*roots: Node) -> list[str] | None:
    """The early checks, printed."""
    found = early_checks(grouped(optimise(canonicalize(roots)), NO_DONATIONS))
    return None if found is None else [show(group.stores) for group in found]


def table() -> Node:
    return value(ROWS, WIDTH, at=1)


def test_one_check_of_the_indices_makes_an_embedding_and_its_gradient_safe() -> None:
    found = checks_of(*embedding(table(), checked(index()) * WIDTH))
    assert found == ["%0: i64[30] = input 0\n%1: i64[] = const 50\n%2: i64[30] = check_index %0 %1\nreturn %2"]


def test_what_an_index_is_made_of_is_checked_with_it() -> None:
    target = cast_to(index(dtype=int32), int64)
    counted = apply("ne", target, const(-100, int64))
    safe = apply("where", counted, target, const(0, int64))
    here = apply("eq", iota_node((N, ROWS), 1), expand_to(reshape_to(checked(safe), (N, 1)), (N, ROWS)))
    found = checks_of(reduced("sum", cast_to(here, float32), 1))
    assert found is not None and len(found) == 1
    assert [line.split(" = ")[1].split()[0] for line in found[0].splitlines()[:-1] if "const" not in line] == [
        *("input", "cast", "ne", "where", "check_index")
    ]
    assert "i64[30] = check_index" in found[0], "one look at each target, not at each class"


@pytest.mark.parametrize(
    ("where", "why"),
    [
        (index() * WIDTH, "nobody has checked it"),
        (checked(index(), ROWS + 1) * WIDTH, "for a larger table"),
        (checked(index()) * WIDTH + 1, "one row ends outside"),
        (checked(index()) * WIDTH - 1, "one row begins outside"),
        (checked(apply("argmax", value(N, 4), params=((1,), False))) * WIDTH, "it is computed first"),
        (checked(index() + expand_to(start(), (N,))) * WIDTH, "a number of the run"),
    ],
)
def test_what_may_be_out_of_bounds_is_left_as_it_is(where: Node, why: str) -> None:
    assert checks_of(*embedding(table(), where)) is None, why


def test_what_is_within_bounds_by_its_form_needs_no_check() -> None:
    assert checks_of(apply("take", value(N), const(N - 1, int64) - iota_node((N,), 0))) == []
    assert checks_of(apply("take", value(N), checked(iota_node((N,), 0), N))) == []
    assert checks_of(apply("take", value(N), const(N, int64) - iota_node((N,), 0))) is None


def pairs(i: Node) -> tuple[Node, Node]:
    """Each element of ``i`` beside each other one."""
    return expand_to(reshape_to(i, (N, 1)), (N, N)), expand_to(reshape_to(i, (1, N)), (N, N))


def test_elements_of_one_input_that_lie_elsewhere_in_it_are_not_taken_for_each_other() -> None:
    square = input_node(0, Spec.of((N, N), int64))
    turned = apply("permute", square, params=((1, 0),))
    for first, second in (pairs(index()), (square, turned)):
        assert checks_of(apply("take", value(N), checked(first - second, N))) is None
    first, _ = pairs(index())
    (check,) = checks_of(apply("take", value(N), checked(first - first * 2, N))) or [""]
    assert "i64[30] = sub" in check, "those that lie at one place are"


@pytest.mark.parametrize(
    "where",
    [
        cast_to(cast_to(iota_node((N,), 0) + 100, int8), int64),
        cast_to(cast_to(iota_node((N,), 0) - 40, bool_), int64) + 199,
        cast_to(cast_to(iota_node((N,), 0) + (1 << 24), float32), int64) - (1 << 24) + 170,
        cast_to(cast_to(iota_node((N,), 0), int8) * 6, int64),
    ],
)
def test_what_a_dtype_does_not_hold_is_not_where_arithmetic_says(where: Node) -> None:
    assert early_checks(grouped([apply("take", value(200), checked(where, 200))], NO_DONATIONS)) is None


def test_divisors_that_cannot_be_zero() -> None:
    i = index()
    assert checks_of(apply("floor_divide", i, const(3, int64))) == []
    assert checks_of(apply("floor_divide", i, checked(i) - ROWS)) is not None
    assert checks_of(apply("floor_divide", i, checked(i))) is None
    assert checks_of(apply("floor_divide", i, i)) is None


@pytest.mark.parametrize("gpu", [False, True])
def test_a_tape_for_a_gpu_begins_with_the_checks(gpu: bool) -> None:
    graph = optimise(canonicalize(embedding(table(), checked(index()) * WIDTH)))
    tape = lower(graph, grouped(graph, NO_DONATIONS), padded=False, gpu=gpu)
    fallible = [pc for pc, i in enumerate(tape.instructions) if may_fail(i.text) and not i.flags & SAFE]
    assert (fallible == [0]) == gpu and len(fallible) >= 1
    assert [pc for pc, i in enumerate(tape.instructions) if not i.flags & SAFE][1:] == (
        [] if gpu else [*range(1, len(tape.instructions))]
    )
