"""Canonical graphs: what changes arithmetic is decided, everything else is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import bool_, float32, float64, int32, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.op import Kind
from nbgrad.ops.compare import cast_to
from nbgrad.ops.library import transposed
from nbgrad.ops.view import slice_at
from nbgrad.passes.canonicalize import canonicalize
from tests.passes.build import expanded, lines, number, permuted, reduced, reshaped, start, value


def canonical(*roots: Node) -> list[str]:
    return lines(*canonicalize(roots))


def test_a_graph_of_primitives_is_left_as_it_is() -> None:
    y = apply("tanh", value(3) + 1.0)
    assert canonicalize([y]) == [y]


def test_composites_become_their_formula_also_inside_each_other() -> None:
    (y,) = canonicalize([apply("detach", apply("log_softmax", value(4, 5), params=((1,),)))])
    assert all(n.op.kind is not Kind.COMPOSITE for n in toposort([y]))
    x = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)
    np.testing.assert_allclose(interpret([y], [x])[0], x - np.log(np.exp(x).sum(1, keepdims=True)), rtol=1e-5)


def test_the_history_of_a_grafted_value_is_not_computed() -> None:
    value_, history = value(3), apply("tanh", value(3, at=1))
    assert canonical(apply("rebase_history", history, value_)) == ["%0: f32[3] = input 0", "return %0"]


def test_shared_nodes_stay_shared() -> None:
    x = apply("softmax", value(3, 4), params=((1,),))
    a, b = canonicalize([x, x + x])
    assert b.inputs[0] is a
    assert b.inputs[1] is a


def test_run_time_numbers_are_read_in_the_dtype_of_their_use() -> None:
    x = value(3)
    assert canonical(x * cast_to(number(2), float32)) == [
        "%0: f32[3] = input 0",
        "%1: f32[] = scalar 2",
        "%2: f32[3] = mul %0 %1",
        "return %2",
    ]
    (y,) = canonicalize([cast_to(start(1), float64)])
    assert (y.op.name, y.spec.dtype) == ("scalar", float64)


def test_casts_that_lose_integers_stay_casts() -> None:
    (y,) = canonicalize([cast_to(number(), int32)])
    assert y.op.name == "cast"


def test_constants_are_converted() -> None:
    (y,) = canonicalize([apply("cast", const(2.75, float64), params=("int32",))])
    assert (y.op.name, y.params) == ("const", (2, int32))


def test_values_without_elements_are_not_computed() -> None:
    x = value(0, 3)
    assert canonical(apply("tanh", x)) == ["%0: f32[] = const 0", "%1: f32[0,3] = expand %0 [0,3]", "return %1"]


def test_a_sum_over_nothing_is_zero_and_a_product_one() -> None:
    assert canonical(reduced("sum", value(0, 3), 0))[0] == "%0: f32[] = const 0"
    assert canonical(reduced("prod", value(0, 3), 0))[0] == "%0: f32[] = const 1"


def test_the_index_of_the_largest_of_nothing_is_an_error() -> None:
    with pytest.raises(ShapeError, match="argmax"):
        canonicalize([reduced("argmax", value(0, 3), 0)])


def test_a_matrix_product_over_nothing_is_zero() -> None:
    y = apply("matmul", value(2, 0), value(0, 3, at=1))
    assert canonical(y)[-2:] == ["%1: f32[2,3] = expand %0 [2,3]", "return %1"]


def test_an_integer_matrix_product_is_a_sum_of_products() -> None:
    a, b = value(2, 3, dtype=int64), value(3, 4, at=1, dtype=int64)
    (y,) = canonicalize([apply("matmul", a, b)])
    assert "gemm" not in {n.op.name for n in toposort([y])}
    left, right = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(interpret([y], [left, right])[0], left @ right)


@pytest.mark.parametrize(
    ("left", "right", "turned", "is_product"),
    [
        ((4, 64), (64, 1), "", False),
        ((1, 64), (4, 64), "right", False),  # a linear layer of one row
        ((64, 4), (64, 1), "left", True),  # the sum goes down the columns
        ((1, 64), (64, 4), "", True),
        ((4, 16), (16, 1), "", True),  # short
        ((4, 64), (64, 2), "", True),
    ],
)
def test_a_long_sum_along_rows_by_a_vector_is_a_reduction(
    left: tuple[int, int], right: tuple[int, int], turned: str, is_product: bool
) -> None:
    given = [value(*left), value(*right, at=1)]
    a, b = [transposed(x) if turned == side else x for x, side in zip(given, ("left", "right"), strict=True)]
    (y,) = canonicalize([apply("matmul", a, b)])
    assert ("matmul" in {n.op.name for n in toposort([y])}) == is_product
    arrays = [np.arange(x.spec.size, dtype=np.float32).reshape(x.spec.shape) for x in given]
    first, second = [x.T if turned == side else x for x, side in zip(arrays, ("left", "right"), strict=True)]
    np.testing.assert_allclose(interpret([y], arrays)[0], first @ second, rtol=1e-6)


def test_empty_parts_are_left_out_of_a_cat() -> None:
    x = value(2, 3)
    assert canonicalize([apply("cat", value(0, 3, at=1), x, params=(0,))]) == [x]


def test_writing_or_scattering_nothing_changes_nothing() -> None:
    x = value(5)
    assert canonicalize([apply("put_slice", x, value(0, at=1), start(), params=(0, 0, 1))]) == [x]
    empty = value(0, at=1, dtype=int64)
    assert canonicalize([apply("scatter_add", x, empty, value(0, at=2))]) == [x]


def test_a_slice_at_a_computed_place_becomes_a_checked_gather() -> None:
    x, where = value(6, 4), value(dtype=int64, at=1)
    (y,) = canonicalize([apply("slice", x, where, params=(0, 2, -1))])
    assert y.op.name == "take"
    table = np.arange(24, dtype=np.float32).reshape(6, 4)
    np.testing.assert_array_equal(interpret([y], [table, np.asarray(3)])[0], table[3:1:-1])


def test_a_write_at_a_computed_place_becomes_a_scatter() -> None:
    x, w, where = value(6, 4), value(6, 2, at=1), value(dtype=int64, at=2)
    (y,) = canonicalize([apply("put_slice", x, w, where, params=(1, 2, 1))])
    a, b = np.zeros((6, 4), np.float32), np.ones((6, 2), np.float32)
    expected = a.copy()
    expected[:, 1:3] = 1
    np.testing.assert_array_equal(interpret([y], [a, b, np.asarray(1)])[0], expected)


def test_a_slice_at_an_affine_place_stays_a_view() -> None:
    y = apply("slice", value(9), apply("add", start(), const(1, int64)), params=(0, 2, 1))
    assert canonicalize([y]) == [y]


def test_views_that_show_all_of_it_disappear() -> None:
    x = value(2, 3)
    assert canonicalize([reshaped(x, 2, 3), expanded(x, 2, 3), permuted(x, 0, 1)]) == [x, x, x]
    square = value(3, 3)
    assert canonicalize([permuted(square, 1, 0)])[0] is not square
    assert canonicalize([slice_at(x, 0, 0, 2, 1)])[0].spec is x.spec


def test_a_cast_to_the_same_dtype_disappears() -> None:
    x = value(2, dtype=bool_)
    assert canonicalize([apply("cast", x, params=("bool",))]) == [x]
