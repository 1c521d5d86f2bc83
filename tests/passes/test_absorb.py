"""Sums of products are made by the products themselves."""

from __future__ import annotations

import numpy as np

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.node import Node, apply
from nbgrad.passes.absorb import absorb
from tests.passes.build import expanded, lines, value
from tests.passes.runs import fused, run_plan, unfused


def factors(at: int, k: int = 3) -> tuple[Node, Node]:
    return value(2, k, at=at), value(k, 5, at=at + 1)


def names(*roots: Node) -> list[str]:
    return [line.split(" = ")[1].split()[0] for line in lines(*absorb(list(roots)))[:-1] if "input" not in line]


def test_a_sum_of_products_is_one_chain_in_either_order() -> None:
    a, b, c = (apply("matmul", *factors(at)) for at in (0, 2, 4))
    assert names(apply("add", apply("add", a, b), c)) == ["matmul", "matmul_onto", "matmul_onto"]
    assert names(apply("add", c, apply("add", a, b))) == ["matmul", "matmul_onto", "matmul_onto"]


def test_an_input_is_added_to() -> None:
    assert names(apply("add", value(2, 5, at=9), apply("matmul", *factors(0)))) == ["matmul_onto"]


def test_a_product_that_others_read_keeps_its_value() -> None:
    a, b = apply("matmul", *factors(0)), apply("matmul", *factors(2))
    assert names(apply("add", a, b), b, a) == ["matmul", "matmul", "add"]


def test_what_is_not_in_memory_is_added_by_a_loop() -> None:
    product = apply("matmul", *factors(0))
    assert names(apply("add", apply("exp", value(2, 5, at=9)), product)) == ["exp", "matmul", "add"]
    assert names(apply("add", expanded(value(5, at=9), 2, 5), product)) == ["expand", "matmul", "add"]


def test_longer_sums_than_one_run_would_be_added_in_another_order() -> None:
    a, b = apply("matmul", *factors(0, 257)), apply("matmul", *factors(2, 257))
    assert names(apply("add", a, b)) == ["matmul", "matmul", "add"]


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
