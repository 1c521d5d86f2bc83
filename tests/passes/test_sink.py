"""Views move below maps where that lets loops join."""

from __future__ import annotations

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import slice_at
from nbgrad.passes.sink import sink
from tests.passes.build import expanded, lines, permuted, reduced, reshaped, start, value


def test_a_view_between_maps_moves_to_their_inputs() -> None:
    x = value(2, 6)
    y = apply("tanh", reshaped(apply("exp", x), 12))
    assert lines(*sink([y])) == [
        "%0: f32[2,6] = input 0",
        "%1: f32[12] = reshape %0 [12]",
        "%2: f32[12] = exp %1",
        "%3: f32[12] = tanh %2",
        "return %3",
    ]


def test_a_view_moves_below_a_whole_chain_and_past_numbers() -> None:
    x, s = value(2, 3), value(at=1)
    y = reduced("sum", permuted(apply("exp", x) * s + 1.0, 1, 0), 0)
    assert [line.split(" = ")[1] for line in lines(*sink([y]))[:-1]] == [
        "input 0",
        "permute %0 [1,0]",
        "exp %1",
        "input 1",
        "mul %2 %3",
        "const 1.0",
        "add %4 %5",
        "sum %6 [0]",
    ]


def test_a_slice_at_a_run_time_place_moves_too() -> None:
    y = apply("slice", apply("exp", value(9)), start(), params=(0, 3, 1)) * 2.0
    assert [line.split(" = ")[1].split()[0] for line in lines(*sink([y]))[:-1]] == [
        *("input", "scalar", "slice", "exp", "const", "mul"),
    ]


def test_the_table_of_take_is_not_viewed() -> None:
    table, index = value(7), value(2, 3, at=1, dtype=int64)
    y = apply("exp", permuted(apply("take", table, index), 1, 0))
    (z,) = sink([y])
    take = z.inputs[0]
    assert take.op.name == "take"
    assert take.inputs[0] is table


def parts(*places: tuple[int, int]) -> list[Node]:
    """The tangents of slices (from, to) of one sum."""
    total = apply("add", value(2, 8), value(2, 8, at=1))
    return [apply("tanh", slice_at(total, a, 1, b - a)) for a, b in places]


def test_slices_that_share_a_map_all_move() -> None:
    moved = [line.split(" = ")[1].split()[0] for line in lines(*sink(parts((4, 8), (0, 3))))[:-1]]
    assert sorted(moved) == [*["add"] * 2, *["const"] * 2, *["input"] * 2, *["slice"] * 4, *["tanh"] * 2]


def test_slices_that_overlap_or_are_not_all_wanted_stay() -> None:
    roots = parts((0, 4), (3, 8))
    assert sink(roots) == roots
    total = apply("add", value(2, 8), value(2, 8, at=1))
    roots = [apply("tanh", slice_at(total, 0, 1, 4)), slice_at(total, 4, 1, 4)]
    assert sink(roots) == roots
    roots = [apply("tanh", apply("slice", total, start(), params=(1, 3, 1))), apply("exp", slice_at(total, 0, 1, 4))]
    assert sink(roots) == roots


def test_a_map_that_others_read_is_not_computed_twice() -> None:
    e = apply("exp", value(2, 6))
    roots = [apply("tanh", reshaped(e, 12)), apply("sin", e)]
    assert sink(roots) == roots


def test_an_expanded_map_is_not_computed_for_every_repetition() -> None:
    roots = [apply("tanh", expanded(apply("exp", value(6)), 2, 6))]
    assert sink(roots) == roots


def test_a_reshape_that_would_need_a_copy_stays() -> None:
    bias = expanded(value(6, at=1), 2, 6)
    roots = [apply("tanh", reshaped(value(2, 6) + bias, 12))]
    assert sink(roots) == roots


def test_a_view_for_a_library_kernel_stays() -> None:
    roots = [apply("matmul", permuted(apply("exp", value(3, 2)), 1, 0), value(3, 4, at=1))]
    assert sink(roots) == roots


def test_many_inputs_are_not_permuted_one_by_one() -> None:
    y = value(2, 3) + value(2, 3, at=1) + value(2, 3, at=2)
    roots = [apply("tanh", permuted(y, 1, 0))]
    assert sink(roots) == roots


def test_a_cut_result_computes_only_what_is_cut() -> None:
    (y,) = sink([apply("tanh", slice_at(apply("exp", value(100)), 5, 0, 3))])
    assert y.inputs[0].spec.shape == (3,)
