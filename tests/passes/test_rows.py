"""Which loops over the same rows become one kernel."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.graph.blocks import COLUMN_BLOCK, ENOUGH_WARPS, ROW_BLOCK
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import restore
from nbgrad.ops.source import iota_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import Group
from nbgrad.passes.run import optimise
from nbgrad.transform.vjp import vjp
from tests.passes.build import expanded, permuted, reduced, reshaped, value


def grouped(*roots: Node, gpu: bool = False) -> list[Group]:
    return fuse(optimise(canonicalize(roots)), gpu=gpu)


def names(groups: Sequence[Group]) -> list[list[str]]:
    return [[n.op.name for n in g.computed] for g in groups]


def sums_by_group(groups: Sequence[Group]) -> list[list[tuple[int, ...]]]:
    """The dims of each group's sums."""
    return [[n.params[0] for n in g.nodes if n.op.name == "sum"] for g in groups]


def along(folded: Node, x: Node) -> Node:
    return restore(folded, x.spec.shape, (1,))


def softmax(x: Node) -> Node:
    return apply("softmax", x, params=((x.spec.rank - 1,),))


def normalise(x: Node) -> Node:
    return apply("standardize", x, params=((x.spec.rank - 1,), 1e-5))


def test_softmax_is_one_loop() -> None:
    assert names(grouped(softmax(value(64, 100)))) == [["amax", "sub", "exp", "sum", "div"]]


def test_a_norm_an_activation_a_softmax_and_their_derivatives_are_one_loop() -> None:
    x, g = value(64, 200), value(64, 200, at=1)
    y = softmax(apply("tanh", normalise(x)))
    (group,) = grouped(y, *[d for d in vjp([y], [g], [x]) if d])
    assert group.is_staged


def test_rows_of_several_dims_are_one_loop() -> None:
    x = value(5, 6, 7)
    y = apply("standardize", x, params=((1, 2), 1e-5))
    assert len(grouped(y)) == 1


def test_a_single_row_is_one_loop() -> None:
    x = value(200)
    assert len(grouped(x / restore(reduced("sum", x, 0), (200,), (0,)))) == 1


def test_longer_rows_than_a_block_stay_apart() -> None:
    assert len(grouped(softmax(value(4, ROW_BLOCK)))) == 1
    assert len(grouped(softmax(value(4, ROW_BLOCK + 1)))) > 1


def test_a_product_between_two_loops_keeps_them_apart() -> None:
    x, w = softmax(value(64, 100)), value(100, 100, at=1)
    kinds = ["matmul" if g.is_library else "loop" for g in grouped(softmax(apply("matmul", x, w)))]
    assert kinds == ["loop", "matmul", "loop"]


def test_loops_are_not_joined_round_a_third_one() -> None:
    """The product reads the first loop and the last one reads both: in one, they would wait for themselves."""
    x, w = softmax(value(64, 100)), value(100, 100, at=1)
    y = softmax(apply("matmul", x, w) * x)
    assert [g.is_library for g in grouped(y)] == [False, True, False]


def test_elements_read_through_a_view_are_complete_first() -> None:
    x = value(50, 50)
    turned = permuted(softmax(x), 1, 0)
    groups = grouped(apply("tanh", turned) * along(reduced("sum", turned, 1), x), softmax(x))
    assert len(groups) == 2


def test_results_of_other_rows_are_complete_first() -> None:
    x = value(50, 50)
    total = reduced("sum", x, 1)
    assert len(grouped(x * expanded(reshaped(total, 1, 50), 50, 50))) == 2  # the row's sum along the columns
    assert len(grouped(x * along(total, x))) == 1


def test_a_row_used_as_a_table_is_complete_first() -> None:
    x = value(30, 40)
    total = reduced("sum", x, 1)
    places = cast_to(value(30, 40, at=1), int64)
    assert len(grouped(apply("take", total, places) * along(reduced("amax", x, 1), x))) == 2


def test_positions_are_not_read_once_a_row() -> None:
    x = value(30, 40)
    ramp = cast_to(iota_node((30,), 0), float32)
    assert len(grouped(x * along(reduced("sum", x, 1) * ramp, x))) >= 2


def test_an_expensive_map_of_many_short_rows_keeps_its_lanes() -> None:
    def by_log(n: int) -> Node:
        x = value(5000, n)
        return x - along(apply("log", reduced("sum", x, 1)), x)

    assert len(grouped(by_log(100))) == 3
    assert len(grouped(by_log(200))) == 1


def test_loops_that_only_share_their_rows_stay_apart() -> None:
    a, b = value(30, 40), value(30, 40, at=1)
    assert len(grouped(softmax(a), softmax(b))) == 2


def test_sums_down_the_columns_join_the_rows_that_feed_them() -> None:
    x, g = value(300, 200), value(300, 200, at=1)
    y = normalise(x)
    (group,) = grouped(*[d for d in vjp([y], [g], [x]) if d], reduced("sum", g, 0), reduced("sum", g * y, 0))
    assert group.dims == (1,)
    assert {n.params[0] for n in group.nodes if n.op.name == "sum"} == {(0,), (1,)}


def test_columns_that_the_rows_wait_for_stay_apart() -> None:
    x = value(300, 200)
    centred = x - expanded(reduced("sum", x, 0), 300, 200)
    assert len(grouped(softmax(centred))) == 2


def test_columns_that_would_leave_threads_idle_stay_apart() -> None:
    def sums(rows: int, columns: int) -> list[Group]:
        y = softmax(value(rows, columns))
        return grouped(y, reduced("sum", y, 0))

    assert len(sums(300, 400)) == 1  # little work
    assert len(sums(300, 4000)) == 2  # two runs of rows
    assert len(sums(2048, 4000)) == 1  # eight


def test_on_a_gpu_columns_stay_apart_from_rows_that_keep_it_busy() -> None:
    for rows, apart in ((256, 2), (8192, 2), (ENOUGH_WARPS * COLUMN_BLOCK // 32, 1)):
        y = softmax(value(rows, 32))
        assert len(grouped(y, reduced("sum", y, 0), gpu=True)) == apart


def test_an_index_is_not_looked_for_down_the_columns_of_rows() -> None:
    y = softmax(value(300, 200))
    assert len(grouped(y, apply("argmax", y, params=((0,),)))) == 2


def test_loops_that_read_one_array_are_joined() -> None:
    a = value(30, 40)
    assert len(grouped(softmax(a), normalise(a))) == 1
