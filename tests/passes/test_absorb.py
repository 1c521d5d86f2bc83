"""Sums of products are made by the products themselves."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.view import reshape_to
from nbgrad.passes.absorb import absorb
from tests.passes.build import expanded, lines, value
from tests.passes.runs import fused, run_plan, same_bits, unfused


def factors(at: int, k: int = 3) -> tuple[Node, Node]:
    return value(2, k, at=at), value(k, 5, at=at + 1)


def names(*roots: Node) -> list[str]:
    return [line.split(" = ")[1].split()[0] for line in lines(*absorb(list(roots)))[:-1] if "input" not in line]


def test_each_product_of_a_sum_adds_to_those_before_in_either_order() -> None:
    a, b, c = (apply("matmul", *factors(at)) for at in (0, 2, 4))
    assert names(apply("add", apply("add", a, b), c)) == ["matmul", "matmul_sum", "matmul_sum"]
    assert names(apply("add", c, apply("add", a, b))) == ["matmul", "matmul_sum", "matmul_sum"]


def test_an_input_is_added_to() -> None:
    assert names(apply("add", value(2, 5, at=9), apply("matmul", *factors(0)))) == ["matmul_sum"]


def test_a_product_that_others_read_keeps_its_value() -> None:
    a, b = apply("matmul", *factors(0)), apply("matmul", *factors(2))
    assert names(apply("add", a, b), b, a) == ["matmul", "matmul", "add"]


def test_what_is_not_in_memory_is_added_by_a_loop() -> None:
    product = apply("matmul", *factors(0))
    assert names(apply("add", apply("exp", value(2, 5, at=9)), product)) == ["exp", "matmul", "add"]
    assert names(apply("add", expanded(value(2, 1, at=9), 2, 5), product)) == ["expand", "matmul", "add"]
    assert names(apply("add", expanded(const(1.0, float32), 2, 5), product))[-2:] == ["matmul", "add"]


def test_a_bias_is_added_by_the_product_it_follows_reshaped_or_not() -> None:
    for bias in (expanded(value(5, at=9), 2, 5), expanded(reshape_to(value(5, at=9), (1, 5)), 2, 5)):
        product = apply("matmul", *factors(0, 300))
        assert names(apply("add", product, bias))[-1] == "matmul_sum"
        assert names(apply("add", bias, product))[-1] == "matmul_sum"
    stack = reshape_to(apply("matmul", value(6, 3), value(3, 5, at=1)), (2, 3, 5))
    row = value(5, at=9)
    assert names(apply("add", stack, expanded(row, 2, 3, 5))) == ["expand", "matmul_sum", "reshape"]
    assert names(apply("add", stack, expanded(reshape_to(row, (1, 1, 5)), 2, 3, 5)))[-1] == "reshape"
    assert names(apply("add", stack, expanded(row, 2, 3, 5)), stack)[-1] == "add"
    other = reshape_to(apply("matmul", value(6, 3), value(3, 5, at=1)), (15, 2))
    assert names(apply("add", other, expanded(value(2, at=9), 15, 2)))[-1] == "add"


@pytest.mark.parametrize("shape", [(6, 7), (2, 3, 7), (6, 1), (1, 17)])
def test_biases_and_sums_keep_their_bits(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    rows, n = prod(shape[:-1]), shape[-1]
    for k in (4, 300):
        shapes = [(rows, k), (k, n), (n,), (rows, 9), (9, n)]
        a, b, bias, c, d = (value(*s, at=i) for i, s in enumerate(shapes))
        product = reshape_to(apply("matmul", a, b), shape)
        total = apply("add", apply("matmul", a, b), apply("matmul", c, d))
        roots = [
            apply("add", product, expanded(bias, *shape)),
            apply("add", apply("add", total, expanded(bias, rows, n)), apply("matmul", c, d)),
        ]
        inputs = [rng.standard_normal(s).astype("f") for s in shapes]
        assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))


def test_zero_is_added_to_a_column() -> None:
    rng = np.random.default_rng(0)
    for shape in ((40, 1), (3, 40, 1), (1, 1)):
        *batch, m, _ = shape
        a, b = value(*batch, m, 3), value(*batch, 3, 1, at=1)
        roots = [apply("exp", apply("add", const(0.0, float32), apply("matmul", a, b)))]
        inputs = [rng.standard_normal(x.spec.shape).astype("f") for x in (a, b)]
        assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))


def test_a_product_longer_than_one_run_is_added_whole() -> None:
    a, b = apply("matmul", *factors(0, 257)), apply("matmul", *factors(2, 257))
    assert names(apply("add", a, b)) == ["matmul", "matmul_sum"]  # the second is complete before the first joins it
    short = apply("matmul", *factors(4))
    for total in (apply("add", a, short), apply("add", short, a)):
        assert "True False" in lines(*absorb([total]))[-2]  # the short one joins the long one


def test_bits_stay_and_memory_is_reused() -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(s).astype("f") for s in ((2, 3), (3, 5)) * 4]
    total = apply("matmul", *factors(0))
    for at in (2, 4, 6):
        total = apply("add", total, apply("matmul", *factors(at)))
    root = apply("exp", total)
    plan = fused([root])
    np.testing.assert_array_equal(run_plan(plan, inputs)[0], run_plan(unfused([root]), inputs)[0])


def test_a_weight_used_in_every_step_gets_its_gradient_from_products_alone() -> None:
    weight = nb.ones(4, 4, requires_grad=True)
    xs = [nb.ones(3, 4) * k for k in range(4)]

    def step() -> None:
        sum([(x @ weight).sin().sum() for x in xs]).backward()

    with override(compile="eager"):
        tape = nb.explain(step)["tape"]
    assert "map add" not in tape
    weight.grad = None
