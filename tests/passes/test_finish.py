"""Which maps follow the reductions they are made of, inside their kernel: a part of what ``rows.py`` joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group
from nbgrad.passes.rows import MOST_NODES
from nbgrad.passes.run import grouped as by_settings
from nbgrad.passes.run import optimise
from nbgrad.tape.lower import lower
from nbgrad.transform.vjp import vjp
from tests.passes.build import number, permuted, reduced, reshaped, value
from tests.passes.runs import fused, run_plan, same_bits, unfused

Names = list[tuple[list[str], list[str]]]


def grouped(*roots: Node) -> list[Group]:
    return fuse(optimise(canonicalize(roots)))


def names(groups: Sequence[Group]) -> Names:
    return [([n.op.name for n in g.nodes], [n.op.name for n in g.finish]) for g in groups]


def assert_bits(roots: Sequence[Node], *shapes: tuple[int, ...], scalars: Sequence[float] = ()) -> None:
    rng = np.random.default_rng(0)
    inputs: list[Any] = [rng.standard_normal(shape).astype("float32") for shape in shapes]
    assert same_bits(run_plan(fused(roots), inputs, scalars), run_plan(unfused(roots), inputs, scalars))


def test_a_chain_of_a_sum_with_other_values_is_part_of_its_kernel() -> None:
    y = apply("tanh", reduced("sum", value(16, 100), 1) * 2.0 + value(16, at=1))
    groups = grouped(y)
    assert names(groups) == [(["sum"], ["mul", "add", "tanh"])]
    assert [n.op.name for n in groups[0].stores] == ["tanh"]
    assert len(lower(optimise(canonicalize([y])), groups, padded=False).instructions) == 1
    assert_bits([y], (16, 100), (16,))


def test_dims_of_one_element_come_and_go() -> None:
    total = reshaped(reduced("sum", value(2, 3, 50), 2), 2, 1, 3, 1)
    y = reshaped(total * 0.5 + value(2, 1, 3, 1, at=1), 2, 3) * value(2, 3, at=2)
    assert names(grouped(y)) == [(["sum"], ["mul", "add", "mul"])]
    assert_bits([y], (2, 3, 50), (2, 1, 3, 1), (2, 3))


def test_a_mean_and_its_gradient_are_one_kernel_with_one_number_stored() -> None:
    x = value(1000)
    loss = reduced("sum", x * x, 0) * 0.001
    (g,) = vjp([loss], [const(1.0, float32)], [x])
    (group,) = grouped(loss, g)
    assert "sum" not in [n.op.name for n in group.stores]
    assert_bits([loss, g], (1000,))


def test_a_result_that_is_wanted_itself_is_stored_too() -> None:
    total = reduced("sum", value(8, 40), 1)
    (group,) = grouped(total, total * 2.0)
    assert [n.op.name for n in group.stores] == ["sum", "mul"]


def test_reductions_of_two_arrays_share_a_loop_for_a_map_of_both() -> None:
    y = reduced("sum", value(8, 40), 1) * reduced("amax", value(8, 40, at=1), 1)
    assert names(grouped(y)) == [(["sum", "amax"], ["mul"])]
    assert_bits([y], (8, 40), (8, 40))


def test_reductions_over_different_dims_have_to_be_complete() -> None:
    x = value(40, 40)
    y = reduced("sum", x, 1) + reduced("sum", x, 0)
    assert names(grouped(y)) == [(["sum"], []), (["sum"], ["add"])]  # the column sums are read from memory


def test_loops_that_wait_for_each_other_are_not_joined() -> None:
    """Two maps, each summed over two dims: joining the sums over either would make a circle."""
    a, b = apply("exp", value(40, 50, 6)), apply("sin", value(40, 50, 6, at=1))
    first = reduced("sum", b, 0)  # b goes with this sum, a with that over dim 1; the other two sums wait for a and b
    rows = reduced("sum", a, 1) * reduced("sum", b, 1)
    columns = reduced("sum", a, 0) * first
    groups = grouped(first, rows, columns)
    assert sorted(names(groups)) == [
        (["exp", "sum"], []),
        (["mul"], []),
        (["mul"], []),
        (["sin", "sum"], []),
        (["sum"], []),
        (["sum"], []),
    ]
    assert_bits([first, rows, columns], (40, 50, 6), (40, 50, 6))


def test_a_map_that_reads_another_order_waits() -> None:
    total = reduced("sum", value(4, 4, 50), 2)
    y = total + permuted(total, 1, 0)
    assert names(grouped(y)) == [(["sum"], []), (["add"], [])]


def test_positions_and_tables_are_not_read_behind_a_reduction() -> None:
    total = reduced("sum", value(20, 64), 1)
    assert names(grouped(total * cast_to(iota_node((20,), 0), float32)))[0][1] == []
    place = reduced("argmax", value(20, 64), 1)
    assert names(grouped(apply("take", value(64, at=1), place))) == [(["argmax"], []), (["take"], [])]


def test_an_expensive_map_of_many_short_rows_keeps_its_lanes() -> None:
    short = apply("tanh", reduced("sum", value(5000, 4), 1))
    assert names(grouped(short)) == [(["sum"], []), (["tanh"], [])]
    few = apply("tanh", reduced("sum", value(16, 4), 1))
    assert names(grouped(few)) == [(["sum"], ["tanh"])]
    cheap = apply("sqrt", reduced("sum", value(5000, 4), 1))
    assert names(grouped(cheap)) == [(["sum"], ["sqrt"])]
    long = apply("tanh", reduced("sum", value(50, 4000), 1))
    assert names(grouped(long)) == [(["sum"], ["tanh"])]


def test_what_follows_sums_down_columns_keeps_its_lanes() -> None:
    columns = apply("tanh", reduced("sum", value(4, 5000), 0))
    assert names(grouped(columns)) == [(["sum"], []), (["tanh"], [])]


def test_a_reduction_of_a_map_of_a_reduction_takes_the_map_into_its_kernel() -> None:
    rows = apply("sqrt", reduced("sum", value(30, 100), 1))
    loss = reduced("sum", rows, 0) * 0.1
    assert names(grouped(loss)) == [(["sum"], []), (["sqrt", "sum"], ["mul"])]
    assert_bits([loss], (30, 100))


def test_numbers_are_computed_behind_reductions_as_well() -> None:
    s = cast_to(number(), float32)
    scale = apply("exp", s)
    y = reduced("sum", value(8, 40) * scale, 1) * scale
    groups = grouped(y)
    assert names(groups) == [(["exp", "mul", "sum"], ["exp", "mul"])]
    assert_bits([y], (8, 40), scalars=[0.5])


def test_a_long_chain_is_cut() -> None:
    y = reduced("sum", value(8, 8000), 1)
    for i in range(MOST_NODES):
        y = y * 0.5 + 1.0 if i % 2 else apply("abs", y)
    groups = grouped(y)
    assert all(len(g.nodes) + len(g.finish) <= MOST_NODES or not g.finish for g in groups) and len(groups) > 1
    assert_bits([y], (8, 8000))


@pytest.mark.parametrize("shape", [(3, 70000), (2, 5, 9000), (20000,), (3, 200, 300)])
@pytest.mark.parametrize("name", ["sum", "amax", "amin", "argmax"])
def test_long_rows_finish_where_their_blocks_are_combined(shape: tuple[int, ...], name: str) -> None:
    x = value(*shape)
    y = reduced(name, x, len(shape) - 1)
    kept = shape[:-1]
    late = cast_to(value(*kept, at=1), y.spec.dtype)
    bias = expand_to(cast_to(value(*kept[-1:], at=2), y.spec.dtype), kept) if kept else late
    roots = [y * late + bias, reduced("sum", x, *range(len(shape))) * 0.25]
    assert_bits(roots, shape, kept, kept[-1:])


def test_the_loop_may_not_write_over_what_its_finish_reads() -> None:
    """A map stored in its kernel may take the memory of what it reads, unless the finish reads that memory later."""
    a = apply("exp", value(64, 64))
    product = apply("matmul", a, value(64, 64, at=1))
    c = a * expand_to(reduced("amax", product, 0), (64, 64))
    y = reduced("sum", c, 1) + reshape_to(apply("slice", a, const(3, int64), params=(1, 1, 1)), (64,))
    roots = [y, apply("matmul", c, value(64, 64, at=1))]
    assert (["mul", "sum"], ["add"]) in names(grouped(*roots))
    assert_bits(roots, (64, 64), (64, 64))


@pytest.mark.parametrize("dim", [0, 1])
def test_sums_of_which_a_part_is_written_over_read_nothing_that_has_no_memory(dim: int) -> None:
    with override(compile="eager", check=True):
        written = nb.ones(21, 37).sum(dim)
        written[1:] = 0.5
        assert written.tolist() == [(21.0, 37.0)[dim]] + [0.5] * ((37, 21)[dim] - 1)


def test_leaving_the_fusion_out_leaves_this_out() -> None:
    y = apply("tanh", reduced("sum", value(16, 100), 1))
    with override(passes="-fuse"):
        assert names(by_settings(optimise(canonicalize([y])))) == [(["sum"], []), (["tanh"], [])]
