"""The NumPy interpreter: every kind of operator, numbers, errors."""

import numpy as np
import pytest

import nbgrad.ops  # noqa: F401  (fills the table of operators)
from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.dtypes import float32, float64, int32, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node, iota_node, scalar_node
from nbgrad.ops.view import slice_at


def test_maps_views_and_reductions_follow_numpy() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = input_node(0, Spec.of((3, 4), float32))
    total = apply("sum", apply("tanh", apply("permute", a, params=((1, 0),))), params=((0,),))
    (got,) = interpret([total], [x])
    np.testing.assert_allclose(got, np.tanh(x.T).sum(0), rtol=1e-6)
    assert got.dtype == np.float32


def test_scalars_are_converted_to_their_dtype() -> None:
    a = input_node(0, Spec.of((2,), float32))
    (got,) = interpret(
        [a * apply("cast", scalar_node(0, float64), params=("float32",))], [np.ones(2, np.float32)], [0.1]
    )
    assert got[0] == np.float32(0.1)


def test_an_integer_too_large_for_its_dtype_wraps() -> None:
    (got,) = interpret([const(2**32 + 5, int32)], [])
    assert got == 5


def test_a_slice_starts_where_its_scalar_says() -> None:
    a = input_node(0, Spec.of((6,), float32))
    cut = apply("slice", a, scalar_node(0, int64), params=(0, 2, -1))
    (got,) = interpret([cut], [np.arange(6, dtype=np.float32)], [1])
    assert got.tolist() == [1.0, 0.0]


def test_iota_counts_along_its_dim() -> None:
    (got,) = interpret([iota_node((2, 3), 1)], [])
    assert got.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_integer_division_by_zero_is_an_error_that_names_the_operation() -> None:
    a = input_node(0, Spec.of((2,), int32))
    with pytest.raises(RunError, match=r"floor_divide.*ZeroDivisionError"):
        interpret([apply("floor_divide", a, const(0, int32))], [np.ones(2, np.int32)])


def test_float_division_by_zero_is_infinite() -> None:
    (got,) = interpret([const(1.0, float32) / const(0.0, float32)], [])
    assert got == np.inf


def test_an_index_out_of_range_is_an_index_error() -> None:
    table = input_node(0, Spec.of((3,), float32))
    with pytest.raises(TensorIndexError, match="take"):
        interpret([apply("take", table, const(7, int64))], [np.ones(3, np.float32)])


def test_an_empty_slice_has_no_elements() -> None:
    (got,) = interpret([slice_at(input_node(0, Spec.of((3,), float32)), 3, 0, 0)], [np.ones(3, np.float32)])
    assert got.shape == (0,)
