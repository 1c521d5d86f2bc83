"""Reductions in the forms that kernels have."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nbgrad.graph.blocks import ROW_BLOCK
from nbgrad.graph.dtypes import float64, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import apply, toposort
from nbgrad.graph.op import Kind
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.reductions import normalised
from tests.passes.build import lines, reduced, value


def is_normal(name: str, shape: tuple[int, ...], dims: tuple[int, ...]) -> bool:
    x = value(*shape)
    return normalised(apply(name, x, params=(dims,)), x) is None


def test_one_run_of_dims_is_normal_whatever_ones_lie_between() -> None:
    assert is_normal("sum", (2, 3, 4), (1, 2))
    assert is_normal("sum", (2, 1, 4), (0, 2))
    assert not is_normal("sum", (2, 3, 4), (0, 2))
    assert not is_normal("sum", (2, 1, 4), (0, 1))
    assert not is_normal("sum", (2, 3), ())


def test_several_runs_are_reduced_from_the_innermost_outwards() -> None:
    assert lines(*canonicalize([reduced("sum", value(2, 3, 4), 0, 2)])) == [
        "%0: f32[2,3,4] = input 0",
        "%1: f32[2,3] = sum %0 [2]",
        "%2: f32[3] = sum %1 [0]",
        "return %2",
    ]


def test_a_whole_array_of_long_rows_is_reduced_row_by_row() -> None:
    assert lines(*canonicalize([reduced("sum", value(1, 16, 512), 0, 1, 2)])) == [
        "%0: f32[1,16,512] = input 0",
        "%1: f32[1,16] = sum %0 [2]",
        "%2: f32[1] = sum %1 [1]",
        "%3: f32[] = reshape %2 []",
        "return %3",
    ]
    assert is_normal("sum", (15, 512), (0, 1))
    assert is_normal("sum", (16, 511), (0, 1))
    assert is_normal("sum", (16, ROW_BLOCK + 1), (0, 1))
    assert is_normal("sum", (2, 16, 512), (1, 2))
    assert is_normal("argmax", (16, 512), (0, 1))


def test_dims_of_one_element_are_reshaped_away() -> None:
    assert lines(*canonicalize([reduced("sum", value(2, 1, 4), 1, 2)])) == [
        "%0: f32[2,1,4] = input 0",
        "%1: f32[2,1] = sum %0 [2]",
        "%2: f32[2] = reshape %1 [2]",
        "return %2",
    ]


def test_an_index_over_several_runs_is_taken_over_permuted_dims() -> None:
    text = lines(*canonicalize([reduced("argmax", value(2, 3, 4), 0, 2)]))
    assert text[1:3] == ["%1: f32[3,2,4] = permute %0 [1,0,2]", "%2: i64[3] = argmax %1 [1,2]"]


def test_the_index_of_a_single_element_is_zero_for_integers_too() -> None:
    (y,) = canonicalize([reduced("argmin", value(1, dtype=int64), 0)])
    assert interpret([y], [np.array([7])])[0] == 0


@pytest.mark.parametrize("name", ["sum", "amax", "argmin"])
def test_every_choice_of_dims_keeps_its_value(name: str) -> None:
    x = np.random.default_rng(0).standard_normal((2, 1, 3, 4))
    for count in range(1 if name == "argmin" else 0, 5):
        for dims in itertools.combinations(range(4), count):
            y = reduced(name, value(2, 1, 3, 4, dtype=float64), *dims)
            (z,) = canonicalize([y])
            np.testing.assert_allclose(interpret([z], [x])[0], interpret([y], [x])[0])
            for node in toposort([z]):
                if node.op.kind is Kind.REDUCE:
                    assert is_normal(name, node.inputs[0].spec.shape, node.params[0])
