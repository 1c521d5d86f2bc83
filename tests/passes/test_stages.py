"""The ways over a row: where each value is computed, and what is kept for later."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from nbgrad.graph.blocks import SCRATCH_BYTES
from nbgrad.graph.node import Node, apply
from nbgrad.ops.reduce import restore
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group
from nbgrad.passes.schedule import Draft
from nbgrad.passes.stages import Sweeps, sweeps_of
from tests.passes.build import expanded, reduced, value


def staged(*roots: Node) -> tuple[Group, Sweeps]:
    (group,) = fuse(roots)
    assert group.is_staged
    return group, sweeps_of(group, group.stores)


def names(nodes: Sequence[Node]) -> list[str]:
    return [node.op.name for node in nodes]


def along(folded: Node, x: Node) -> Node:
    return restore(folded, x.spec.shape, (1,))


def test_a_cheap_value_is_computed_again() -> None:
    x = value(8, 40)
    d = x - along(reduced("sum", x, 1), x)
    _, sweeps = staged(d / along(reduced("sum", d * d, 1), x))
    assert [names(s.nodes) for s in sweeps.stages] == [["sum"], ["sub", "mul", "sum"], ["sub", "div"]]
    assert [names(list(s.again)) for s in sweeps.stages] == [[], [], ["sub"]]
    assert not sweeps.kept


def test_an_expensive_value_is_kept() -> None:
    e = apply("exp", value(8, 40))
    _, sweeps = staged(e / along(reduced("sum", e, 1), e))
    assert [names(s.nodes) for s in sweeps.stages] == [["exp", "sum"], ["div"]]
    assert sweeps.kept == {e: 0}


def test_what_is_stored_anyway_is_read_from_there() -> None:
    e = apply("exp", value(8, 40))
    group, sweeps = staged(e, e / along(reduced("sum", e, 1), e))
    assert e in group.stores
    assert not sweeps.kept


def test_a_value_is_computed_in_the_stage_that_needs_it() -> None:
    x, late = value(8, 40), apply("tanh", value(8, 40, at=1))
    _, sweeps = staged(late * along(reduced("sum", x, 1), x))
    assert [names(s.nodes) for s in sweeps.stages] == [["sum"], ["tanh", "mul"]]


def test_maps_of_a_rows_results_run_once_a_row() -> None:
    x = value(8, 400)
    scale = 1.0 / apply("sqrt", reduced("sum", x * x, 1) + 0.5)
    _, sweeps = staged(x * along(scale, x))
    assert [names(s.finish) for s in sweeps.stages] == [["add", "sqrt", "div"], []]


def test_where_the_scratch_is_full_values_are_computed_again() -> None:
    n = 4096
    x = value(8, n)
    kept = [apply("exp", x * float(i)) for i in range(2 + SCRATCH_BYTES // (4 * n))]
    whole = kept[0]
    for e in kept[1:]:
        whole = whole + e
    y = along(reduced("sum", whole, 1), x)
    for e in kept:
        y = y * e
    groups = fuse([y])
    assert len(groups) > 1  # a loop that would have to do so is not joined
    nodes = [n for g in groups for n in g.nodes]
    sweeps = sweeps_of(Draft(list(dict.fromkeys(nodes)), (8, n), (1,)), (y,))
    assert sweeps.is_tight
    assert max(sweeps.kept.values()) + 4 * n <= SCRATCH_BYTES
    assert "exp" in names(sweeps.stages[1].nodes)


def test_kept_rows_do_not_overlap() -> None:
    x = value(8, 33)
    a, b = apply("exp", x), apply("sin", x)
    _, sweeps = staged(a * b * along(reduced("sum", a + b, 1), x), a + expanded(value(33, at=1), 8, 33))
    places = sorted(sweeps.kept.values())
    assert all(later - first >= 4 * 33 for first, later in pairwise(places))
    assert all(place % 64 == 0 for place in places)


def test_one_value_is_kept_of_which_several_are_cheap_functions() -> None:
    x = value(8, 40)
    e = apply("exp", x)
    up, down = e * 0.5, e - 1.0
    _, sweeps = staged(up * down * along(reduced("sum", up + down, 1), x))
    assert list(sweeps.kept) == [e]
    assert set(sweeps.stages[1].again) == {up, down}


def test_a_quotient_is_kept_rather_than_divided_again() -> None:
    x = value(8, 40)
    y = x / (apply("abs", x) + 1.0)
    _, sweeps = staged(y * along(reduced("sum", y, 1), x))
    assert list(sweeps.kept) == [y]
