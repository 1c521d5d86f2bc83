"""Sums of matrix products: one instruction for several of them, with the bits of each by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS
from nbgrad.passes.run import grouped, optimise
from nbgrad.pipeline import Plan
from nbgrad.tape.lower import lower
from nbgrad.tape.product_words import PRODUCT_WORDS
from nbgrad.tape.sums import MOST_TERMS
from tests.passes.build import expanded, permuted, reduced, value
from tests.passes.runs import Array, fused, run_plan, same_bits, unfused
from tests.runtime.cuda.devices import Program, on_device, simulated


def terms(plan: Plan) -> list[int]:
    """How many products each instruction for products adds up."""
    assert plan.tape is not None
    words, at = plan.tape.words, PRODUCT_WORDS.index("terms")
    return [words[i.at + at] for i in plan.tape.instructions if i.text.form == "gemm"]


def product(at: int, m: int = 6, k: int = 3, n: int = 5, batch: Sequence[int] = ()) -> Node:
    return apply("matmul", value(*batch, m, k, at=at), value(*batch, k, n, at=at + 1))


def check(roots: list[Node], shapes: Sequence[Sequence[int]], expected: list[int]) -> None:
    rng = np.random.default_rng(0)
    inputs: list[Array] = [rng.standard_normal(shape).astype("f") for shape in shapes]
    plan = fused(roots)
    assert terms(plan) == expected
    assert same_bits(run_plan(plan, inputs), run_plan(unfused(roots), inputs))


def shapes(count: int, m: int = 6, k: int = 3, n: int = 5, batch: Sequence[int] = ()) -> list[list[int]]:
    return [[*batch, m, k], [*batch, k, n]] * count


def total(products: Sequence[Node]) -> Node:
    found = products[0]
    for x in products[1:]:
        found = apply("add", found, x)
    return found


def test_a_sum_of_products_is_one_instruction() -> None:
    check([total([product(at) for at in (0, 2, 4)])], shapes(3), [3])


@pytest.mark.parametrize("shape", [(70, 260, 33), (5, 3, 1), (1, 300, 17)])
def test_sums_of_all_shapes_keep_their_bits(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    joined = k <= 256  # a longer product is complete before the sum joins it
    check([total([product(at, m, k, n) for at in (0, 2, 4)])], shapes(3, m, k, n), [3] if joined else [1, 1, 1])
    batch = (2, 3)
    check([total([product(at, m, 3, n, batch) for at in (0, 2, 4)])], shapes(3, m, 3, n, batch), [3])


def test_long_sums_are_cut_so_that_factors_die() -> None:
    count = 2 * MOST_TERMS + 3
    check([total([product(2 * i) for i in range(count)])], shapes(count), [MOST_TERMS, MOST_TERMS, 3])


def test_what_comes_before_and_after_a_sum_is_added_by_it() -> None:
    first, bias = value(6, 5, at=4), expanded(value(5, at=5), 6, 5)
    root = apply("add", apply("add", apply("add", first, product(0)), product(2)), bias)
    check([root], [*shapes(2), (6, 5), (5,)], [2])


def test_a_product_that_is_read_once_more_by_what_adds_to_it_is_in_memory() -> None:
    x, w, u = (value(6, 6, at=at) for at in range(3))
    h = apply("matmul", x, w)
    square = [(6, 6)] * 3
    for again in (apply("matmul", h, u), apply("matmul", u, h), apply("matmul", h, h)):
        check([apply("add", h, again)], square, [1, 1])
    # Added twice: before a product and after it.
    check([apply("add", apply("add", apply("matmul", x, u), h), h)], square, [1, 1])


def test_a_bias_in_the_middle_ends_a_sum() -> None:
    bias = expanded(value(5, at=6), 6, 5)
    root = apply("add", apply("add", apply("add", product(0), bias), product(2)), product(4))
    check([root], [*shapes(3), (5,)], [1, 2])


def test_a_sum_that_others_read_is_written() -> None:
    part = total([product(0), product(2)])
    root = apply("add", part, product(4))
    check([root, reduced("sum", apply("exp", part), 0)], shapes(3), [2, 1])
    check([root, part], shapes(3), [2, 1])


def test_factors_live_until_the_sum_is_made() -> None:
    """A state gives its memory to the next but one, unless a sum has still to read it."""
    h, weight = value(200, 6), value(6, 6, at=1)
    products = []
    for _ in range(5):
        h = apply("tanh", apply("matmul", h, weight))
        products.append(apply("matmul", permuted(h, 1, 0), h))
    check([total(products)], [(200, 6), (6, 6)], [*[1] * 5, 5])


def test_sums_for_gpus_have_the_bits_of_the_cpu() -> None:
    count = MOST_TERMS + 2
    rng = np.random.default_rng(0)
    roots = [total([product(2 * i) for i in range(count)])]
    inputs: list[Array] = [rng.standard_normal(shape).astype("f") for shape in shapes(count)]
    graph = optimise(canonicalize(roots))
    tape = lower(graph, grouped(graph, NO_DONATIONS, gpu=True), padded=False, gpu=True)
    assert len(tape.instructions) == 2
    with simulated():
        program = Program(roots, tape=tape)
        assert same_bits(program(*[on_device(x) for x in inputs]), run_plan(unfused(roots), inputs))


def test_a_factor_that_is_written_over_meanwhile_is_read_before() -> None:
    rng = np.random.default_rng(0)
    x = apply("exp", value(6, 3))
    before = apply("matmul", x, value(3, 5, at=1))
    row = apply("expand", reduced("sum", before, 0, 1), params=((1, 3),))
    changed = apply("put_slice", x, row, const(2, int64), params=(0, 1, 1))
    roots = [apply("add", apply("matmul", x, value(3, 5, at=2)), apply("matmul", changed, value(3, 5, at=3)))]
    inputs = [rng.standard_normal(s).astype("f") for s in ((6, 3), (3, 5), (3, 5), (3, 5))]
    assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))


def running(x: Node) -> Node:
    """Sums along rows, a kernel of their own: what they read and make is in memory."""
    return apply("cumsum", x, params=(1, False))


def test_a_sum_is_not_written_over_what_it_begins_with_where_a_later_product_reads_that() -> None:
    n = 150
    x = running(value(n, n))
    begun = apply("add", x, product(1, n, 3, n))
    root = apply("add", begun, apply("matmul", value(n, n, at=3), x))
    check([running(root)], [(n, n), *shapes(1, n, 3, n), (n, n)], [2])


def test_a_sum_is_not_written_over_what_it_adds_last() -> None:
    n = 150
    root = apply("add", apply("add", product(0, n, 3, n), product(2, n, 3, n)), running(value(n, n, at=4)))
    check([running(root)], [*shapes(2, n, 3, n), (n, n)], [2])
