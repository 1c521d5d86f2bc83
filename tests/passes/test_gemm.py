"""Transpose flags of matrix products come from the graph."""

from __future__ import annotations

import numpy as np

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import slice_at
from nbgrad.passes.canonicalize import canonicalize
from tests.passes.build import permuted, value


def product(a: Node, b: Node) -> Node:
    return canonicalize([apply("matmul", a, b)])[0]


def test_plain_operands_have_no_flags() -> None:
    a, b = value(4, 5), value(5, 6, at=1)
    y = product(a, b)
    assert (y.op.name, y.params, y.inputs) == ("gemm", (False, False), (a, b))


def test_a_transposed_operand_is_read_as_it_lies() -> None:
    a, b = value(5, 4), value(6, 5, at=1)
    y = product(permuted(a, 1, 0), permuted(b, 1, 0))
    assert (y.params, y.inputs) == ((True, True), (a, b))


def test_permuted_batch_dims_alone_set_no_flag() -> None:
    a, b = value(2, 3, 4, 5), value(3, 2, 5, 6, at=1)
    y = product(permuted(a, 1, 0, 2, 3), b)
    assert y.params == (False, False)


def test_a_slice_of_a_transposed_operand_keeps_the_flag() -> None:
    a = slice_at(permuted(value(9, 4), 1, 0), 1, 1, 5)
    assert product(a, value(5, 6, at=1)).params == (True, False)


def test_a_row_or_a_column_needs_no_flag() -> None:
    assert product(permuted(value(5, 1), 1, 0), value(5, 6, at=1)).params == (False, False)
    assert product(value(4, 1), permuted(value(6, 1, at=1), 1, 0)).params == (False, False)


def test_flags_keep_the_value() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 5, 4)).astype("f"), rng.standard_normal((2, 6, 5)).astype("f")
    y = apply("matmul", permuted(value(2, 5, 4), 0, 2, 1), permuted(value(2, 6, 5, at=1), 0, 2, 1))
    np.testing.assert_array_equal(interpret(canonicalize([y]), [a, b])[0], interpret([y], [a, b])[0])


def test_the_gradient_of_a_transposed_factor_is_made_row_major() -> None:
    x = nb.ones(5, 3)
    weight = nb.ones(4, 3, requires_grad=True)

    def step() -> None:
        (x @ weight.t()).sin().sum().backward()

    with override(compile="eager"):
        stages = nb.explain(step)
    assert "copy" not in stages["tape"]
    assert stages["tape"].count("gemm") == 2
    weight.grad = None
