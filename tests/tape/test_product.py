"""Matrix products are computed from their factors as these lie in memory."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.view import expand_to, slice_at
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.tape.kernel import SMALL
from nbgrad.tape.lower import lower
from nbgrad.tape.product_words import PRODUCT_WORDS, TERM_WORDS, first_term
from tests.passes.build import permuted, value
from tests.passes.runs import fused, run_plan, same_bits, unfused
from tests.tape.test_lower import forms, tape_of


def product(a: Node, b: Node) -> list[str]:
    return forms(tape_of(apply("matmul", a, b)))


def test_transposed_and_sliced_factors_are_read_as_they_lie() -> None:
    a, b = value(5, 4), value(6, 5, at=1)
    assert product(permuted(a, 1, 0), permuted(b, 1, 0)) == ["gemm"]
    assert product(slice_at(permuted(value(9, 4), 1, 0), 1, 1, 5), value(5, 6, at=1)) == ["gemm"]
    assert product(permuted(value(2, 3, 4, 5), 1, 0, 2, 3), value(3, 2, 5, 6, at=1)) == ["gemm"]


def test_a_left_factor_may_lie_in_any_way() -> None:
    b = value(4, 5, at=1)
    assert product(expand_to(value(3, 1), (3, 4)), b) == ["gemm"]
    assert product(slice_at(value(3, 9), 8, 1, 4, -2), b) == ["gemm"]
    assert product(expand_to(const(1.0, float32), (3, 4)), b) == ["gemm"]
    assert product(permuted(value(4, 3, 2), 2, 1, 0), expand_to(value(1, 4, 5, at=1), (2, 4, 5))) == ["gemm"]


def test_a_right_factor_without_neighbours_is_copied() -> None:
    a = value(2, 3, 4)
    assert product(a, permuted(value(4, 5, 2, at=1), 2, 0, 1)) == ["map", "gemm"]
    assert product(value(3, 4), slice_at(value(4, 10, at=1), 0, 1, 5, 2)) == ["map", "gemm"]
    assert product(value(3, 4), expand_to(value(4, 1, at=1), (4, 5))) == ["gemm"]


def test_a_right_factor_of_one_column_has_no_neighbours_to_miss() -> None:
    assert product(value(2, 3, 4), permuted(value(4, 1, 2, at=1), 2, 0, 1)) == ["gemm"]


def test_products_without_sums_and_single_sums_fuse() -> None:
    """They are elementwise work and a reduction like others."""
    for a, b in (
        (value(2, 3, 1), permuted(value(1, 5, 2, at=1), 2, 0, 1)),
        (value(2, 1, 4), value(2, 4, 1, at=1)),
        (value(1, 4), value(4, 1, at=1)),
    ):
        roots = canonicalize([apply("add", apply("matmul", a, b), const(1.0, float32))])
        (only,) = lower(roots, fuse(roots), padded=False).instructions
        assert only.text.form in ("map", "row")


@pytest.mark.parametrize(("rows", "steps", "copies"), [(8, 32, 1), (8, 31, 0), (65, 32, 0)])
def test_a_weight_that_a_loop_reads_by_columns_is_turned_once(rows: int, steps: int, copies: int) -> None:
    weight = permuted(value(20, 24, at=1), 1, 0)
    x = value(rows, 24)
    products = [apply("matmul", x * float(i), weight) for i in range(steps)]
    tape = lower(products, fuse(products), padded=False)
    texts = [i.text for i in tape.instructions]
    assert sum([t.form == "map" and not t.stmts for t in texts]) == copies
    inputs = [np.random.default_rng(0).standard_normal(s).astype("f") for s in ((rows, 24), (20, 24))]
    assert same_bits(run_plan(fused(products), inputs), run_plan(unfused(products), inputs))


@pytest.mark.parametrize(
    ("rows", "columns", "steps", "copies"), [(8, 512, 32, 1), (8, 512, 31, 0), (65, 512, 32, 0), (8, 496, 32, 0)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_rows_of_a_loops_weight_that_crowd_in_the_cache_are_put_apart(
    rows: int, columns: int, steps: int, copies: int, turned: bool
) -> None:
    shape = (columns, 24) if turned else (24, columns)
    weight = permuted(value(*shape, at=1), 1, 0) if turned else value(*shape, at=1)
    x = value(rows, 24)
    products = [apply("matmul", x * float(i), weight) for i in range(steps)]
    tape = lower(products, fuse(products), padded=False)
    assert sum(["its rows crowd" in note for note in tape.notes]) == copies
    gemms = [i for i in tape.instructions if i.text.form == "gemm"]
    steps_of_rows = {tape.words[i.at + first_term(i.text.rank) + TERM_WORDS.index("b_k")] for i in gemms}
    assert not copies or steps_of_rows == {columns * 4 + 64}
    inputs = [np.random.default_rng(0).standard_normal(s).astype("f") for s in ((rows, 24), shape)]
    assert same_bits(run_plan(fused(products), inputs), run_plan(unfused(products), inputs))


@pytest.mark.parametrize(("columns", "most"), [(512, 128), (1024, 128), (500, 256), (256, 256)])
def test_tiles_of_a_crowded_left_factor_have_the_rows_that_its_copy_has(columns: int, most: int) -> None:
    product = apply("matmul", permuted(value(64, columns), 1, 0), value(64, 1000, at=1))
    tape = lower([product], fuse([product]), padded=False)
    [gemm] = tape.instructions
    rows = tape.words[gemm.at + PRODUCT_WORDS.index("tile_m")]
    assert most // 2 < rows <= most


def test_a_product_with_a_column_is_that_of_rows() -> None:
    rng = np.random.default_rng(0)
    a, x = rng.standard_normal((70, 33)), rng.standard_normal(33)
    with override(compile="eager"):
        for left in (nb.tensor(a), nb.tensor(a.T.copy()).t()):
            np.testing.assert_allclose((left @ nb.tensor(x)).numpy(), a @ x, rtol=0, atol=1e-13)


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


def test_the_draft_of_a_small_product_need_not_be_quick() -> None:
    small, large = apply("matmul", value(8, 4), value(4, 8, at=1)), apply("matmul", value(64, 64), value(64, 64, at=1))
    for node, traits in ((small, (SMALL,)), (large, ())):
        for padded, expected in ((True, traits), (False, ())):
            (gemm,) = lower([node], fuse([node]), padded=padded).instructions
            assert gemm.text.traits == expected
