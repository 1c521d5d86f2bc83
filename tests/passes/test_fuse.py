"""Which operators become one loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings

from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.geometry import base_of, plain
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group
from nbgrad.passes.recompute import MOST_IN_LOOP
from nbgrad.passes.run import optimise
from nbgrad.passes.stages import sweeps_of
from nbgrad.transform.vjp import vjp
from tests.passes.build import expanded, number, permuted, reduced, reshaped, value
from tests.passes.graphs import Case, cases
from tests.passes.runs import fused, run_plan, same_bits, unfused


def grouped(*roots: Node) -> list[Group]:
    return fuse(optimise(canonicalize(roots)))


def names(groups: Sequence[Group]) -> list[list[str]]:
    return [[n.op.name for n in g.nodes] for g in groups]


def chain(x: Node, length: int) -> Node:
    for i in range(length):
        x = apply("sin", x) if i % 2 else x * cast_to(number(i), x.spec.dtype)
    return x


def test_a_chain_forward_and_backward_with_its_sum_is_one_loop() -> None:
    x = value(1000)
    loss = reduced("sum", chain(x, 20), 0)
    (g,) = vjp([loss], [const(1.0, float32)], [x])
    (group,) = grouped(loss, g)
    assert len(group.stores) == 2
    assert group.dims == (0,)


def test_a_long_chain_is_cut_into_few_loops() -> None:
    x = value(16)
    loss = reduced("sum", chain(x, 500), 0)
    groups = grouped(loss, *[g for g in vjp([loss], [const(1.0, float32)], [x]) if g])
    assert 2 <= len(groups) <= 8
    # numbers are repeated in each loop, so only the loop's own nodes count
    assert all(len([n for n in g.nodes if n.spec.shape]) <= MOST_IN_LOOP for g in groups)


def test_a_map_over_the_elements_waits_for_a_reduction_in_another_loop() -> None:
    x = value(4, 5)
    y = x * expand_to(reshape_to(reduced("sum", x, 0), (1, 5)), (4, 5))
    assert names(grouped(y)) == [["sum"], ["mul"]]


def test_maps_of_other_shapes_are_other_loops() -> None:
    assert len(grouped(apply("tanh", value(4)), apply("tanh", value(5, at=1)))) == 2


def test_maps_that_read_the_same_array_are_one_loop() -> None:
    x = value(4)
    assert names(grouped(apply("tanh", x), apply("exp", x))) == [["tanh", "exp"]]
    assert len(grouped(apply("tanh", x), apply("exp", value(4, at=1)))) == 2


def test_reductions_over_the_same_dims_share_a_loop() -> None:
    x = value(4, 5)
    assert names(grouped(reduced("sum", x, 1), reduced("amax", x, 1))) == [["sum", "amax"]]


def test_reductions_over_different_dims_do_not() -> None:
    e = apply("exp", value(4, 5, 6))
    groups = grouped(reduced("sum", e, 0), reduced("sum", e, 1))
    assert sorted(g.dims for g in groups) == [(0,), (1,)]


def test_each_reduction_takes_its_own_maps_along() -> None:
    """Two chains from one input that end in different reductions are two loops, and neither stores its map."""
    x = value(4, 5, 6)
    groups = grouped(reduced("sum", apply("exp", x), 1), reduced("sum", apply("sin", x), 0))
    assert names(groups) == [["exp", "sum"], ["sin", "sum"]]


def test_numbers_are_computed_in_every_loop_that_uses_them() -> None:
    s = apply("exp", cast_to(number(), float32))
    groups = grouped(value(3) * s, value(4, at=1) * s)
    assert names(groups) == [["exp", "mul"], ["exp", "mul"]]


def test_a_number_that_is_a_result_has_a_loop_of_its_own() -> None:
    s = apply("exp", cast_to(number(), float32))
    groups = grouped(value(3) * s, s)
    assert sorted(names(groups)) == [["exp"], ["exp", "mul"]]


def test_a_long_formula_of_numbers_is_computed_once() -> None:
    s = cast_to(number(), float32)
    for _ in range(20):
        s = apply("sin", s)
    groups = grouped(value(3) * s, value(4, at=1) * s)
    assert sum([g.nodes.count(n) for g in groups for n in g.nodes if n.op.name == "sin"]) < 40


def test_a_value_read_through_a_view_is_stored() -> None:
    e = apply("exp", value(3, 3))
    groups = grouped(e + permuted(e, 1, 0))
    assert names(groups) == [["exp"], ["add"]]
    assert groups[0].stores[0].op.name == "exp"


def test_library_operators_stand_alone() -> None:
    y = apply("tanh", apply("matmul", apply("exp", value(3, 4)), value(4, 5, at=1)))
    assert names(grouped(y)) == [["exp"], ["matmul"], ["tanh"]]


def test_a_table_is_complete_before_it_is_read() -> None:
    x = apply("exp", value(5))
    index = cast_to(apply("floor", value(5, at=1)), int64)
    assert names(grouped(apply("take", x, index))) == [["exp"], ["floor", "cast", "take"]]


def test_a_table_that_its_reader_computes_again_for_itself_is_stored_all_the_same() -> None:
    """A rolled value beside itself, as in a stencil with a periodic border."""
    x = value(200)
    table = x * x
    back = iota_node((200,), 0) * -1 + 199
    y = apply("take", table, back) + table + x
    groups = fuse(optimise(canonicalize([y])))
    assert any(node.op.name == "mul" and node.spec.dtype is float32 for g in groups[:-1] for node in g.stores)
    data = [np.linspace(-1, 1, 200, dtype="f")]
    assert same_bits(run_plan(fused([y]), data), run_plan(unfused([y]), data))


def test_a_cheap_value_is_computed_again_rather_than_stored() -> None:
    x, bias = value(400, 50), expanded(value(50, at=1), 400, 50)
    z = x + bias
    top = reduced("amax", z, 0)
    y = z - expand_to(reshape_to(top, (1, 50)), (400, 50))
    groups = grouped(y)
    assert names(groups) == [["add", "amax"], ["add", "sub"]]
    assert [n.op.name for n in groups[0].stores] == ["amax"]


def test_an_expensive_value_is_stored() -> None:
    z = apply("erf", value(400, 50))
    y = z - expand_to(reshape_to(reduced("amax", z, 0), (1, 50)), (400, 50))
    groups = grouped(y)
    assert names(groups) == [["erf", "amax"], ["sub"]]


def test_a_reduction_of_a_source_is_a_loop() -> None:
    assert names(grouped(reduced("sum", value(4, 5), 0))) == [["sum"]]


def test_a_result_that_is_an_input_needs_no_loop() -> None:
    x = value(3)
    assert grouped(x, reshaped(x, 3, 1)) == []


def stages_are_in_order(group: Group, ready: set[Node]) -> None:
    """Each stage finds what it reads: made by itself, kept or stored by an earlier one, a row's result, or ready."""
    sweeps = sweeps_of(group, group.stores)
    lasting = {*sweeps.kept, *group.stores}
    rows: set[Node] = set()
    before: set[Node] = set()
    for sweep in sweeps.stages:
        here: set[Node] = set()
        for node in sweep.nodes:
            for x in node.inputs:
                met = x in here or (x in before and x in lasting) or base_of(x) in rows
                assert met or base_of(x).op.kind is Kind.SOURCE or base_of(x) in ready
            here.add(node)
        rows.update([n for n in here if n.op.kind is Kind.REDUCE and n not in sweeps.runs])
        for node in sweep.finish:
            for x in node.inputs:
                assert base_of(x) in rows or base_of(x).op.kind is Kind.SOURCE or base_of(x) in ready
            rows.add(node)
        before |= here
    assert before | rows == set(group.computed)


@settings(max_examples=150)
@given(cases())
def test_groups_cover_the_graph_in_an_order_that_respects_its_edges(case: Case) -> None:
    graph = optimise(canonicalize(case.roots))
    ready: set[Node] = set()
    for group in fuse(graph):
        if not group.is_staged:
            inside: set[Node] = set()
            for node in group.computed:
                for x in node.inputs:
                    is_result = node in group.finish and plain(x) in inside and plain(x).op.kind is not Kind.VIEW
                    assert x in inside or is_result or base_of(x).op.kind is Kind.SOURCE or base_of(x) in ready
                inside.add(node)
        else:
            stages_are_in_order(group, ready)
        folded = {n.params[0] for n in group.nodes if n.op.kind is Kind.REDUCE}
        assert group.is_staged or folded in (set(), {group.dims})
        ready.update(group.stores)


def test_results_that_nobody_reads_come_as_soon_as_they_can() -> None:
    """What they read may die then: a weight's gradient does not wait for those of all layers before it."""
    y, w = value(8, 8), value(8, 8, at=1)
    sides, order = [], []
    for _ in range(3):
        y = apply("matmul", y, w)
        sides.append(apply("matmul", y, y))
        order += [y, sides[-1]]
    groups = fuse(sides[::-1])
    assert [g.nodes[0] for g in groups] == order


def test_sums_over_the_steps_of_a_loop_come_where_their_terms_are() -> None:
    """A bias's gradients are added up while they are in cache, not after the last step."""
    y, w = value(32, 64), value(64, 64, at=1)
    total, order = None, []
    for _ in range(4):
        y = apply("matmul", y, w)
        term = reduced("sum", y, 0)
        total = term if total is None else term + total
        order += ["matmul", "sum", *(["add"] if len(order) else [])]
    groups = fuse([total])
    assert [g.nodes[0].op.name for g in groups] == order
