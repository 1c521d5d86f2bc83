"""Products are written where rearranged copies of them are wanted."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.view import reshape_to
from nbgrad.passes.fuse import fuse
from nbgrad.tape.lower import lower
from tests.passes.build import permuted, value
from tests.passes.runs import fused, run_plan, same_bits, unfused

BATCH, HEADS, STEPS, SIZE = 2, 3, 5, 16


def heads(at: int = 0, size: int = SIZE) -> Node:
    """A product for each head of each of a batch: (BATCH, HEADS, STEPS, size)."""
    return apply("matmul", value(BATCH, HEADS, STEPS, 7, at=at), value(BATCH, HEADS, 7, size, at=at + 1))


def joined(y: Node) -> Node:
    """The heads side by side: (BATCH, STEPS, HEADS * size)."""
    return reshape_to(permuted(y, 0, 2, 1, 3), (BATCH, STEPS, HEADS * y.spec.shape[-1]))


def forms(*roots: Node) -> list[str]:
    tape = lower(roots, fuse(roots), padded=False)
    return [i.text.form for i in tape.instructions]


def bits(*roots: Node) -> None:
    rng = np.random.default_rng(0)
    shapes = [(BATCH, HEADS, STEPS, 7), (BATCH, HEADS, 7, SIZE)] * 2 + [(HEADS * SIZE, 4)]
    inputs = [rng.standard_normal(s).astype("f") for s in shapes]
    assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))


def test_heads_are_written_side_by_side() -> None:
    rows = reshape_to(joined(heads()), (BATCH * STEPS, HEADS * SIZE))
    root = apply("matmul", rows, value(HEADS * SIZE, 4, at=4))
    assert forms(root) == ["gemm", "gemm"]
    bits(root)


def test_several_products_are_written_into_one_concatenation() -> None:
    for dim in (0, 1, 2):
        whole = apply("cat", joined(heads()), joined(heads(2)), params=(dim,))
        assert forms(apply("exp", whole)) == ["gemm", "gemm", "map"]
        assert forms(whole) == ["gemm", "gemm"]
        bits(apply("exp", whole))
        bits(whole)
    plain = apply("cat", heads(), heads(2), params=(3,))
    assert forms(plain) == ["gemm", "gemm"]
    bits(plain)


def test_zero_is_added_to_a_product_that_may_be_minus_zero() -> None:
    zero = const(0.0, float32)
    whole = apply("cat", apply("add", zero, joined(heads())), joined(heads(2)), params=(2,))
    bits(apply("exp", whole))
    tiny = apply("matmul", value(2, 1), value(1, SIZE, at=1))  # products too small for a float: -0, and 0 + -0 is 0
    inputs = [np.full((2, 1), -1e-30, "f"), np.full((1, SIZE), 1e-30, "f")]
    roots = [apply("add", zero, permuted(tiny, 1, 0))]
    got = run_plan(fused(roots), inputs)
    assert same_bits(got, run_plan(unfused(roots), inputs))
    assert not np.signbit(got[0]).any()


def test_what_others_read_is_copied() -> None:
    y = heads()
    assert forms(apply("exp", joined(y)), y) == ["gemm", "map", "map"]
    bits(joined(y), y)
    rows = joined(heads(2))
    both = apply("cat", rows, rows, params=(2,))
    assert forms(both) == ["gemm", "map", "map"]
    bits(both, apply("exp", joined(y)))


def test_rows_that_are_short_or_would_be_torn_apart_are_copied() -> None:
    assert forms(apply("exp", joined(heads(size=8)))) == ["gemm", "map", "map"]
    torn = reshape_to(permuted(heads(), 0, 1, 3, 2), (BATCH, HEADS * SIZE * STEPS))
    assert forms(apply("matmul", torn, value(HEADS * SIZE * STEPS, 4, at=4))) == ["gemm", "map", "gemm"]


def test_dims_may_be_split_and_joined_on_the_way() -> None:
    flat = reshape_to(heads(), (BATCH * HEADS, STEPS, SIZE))
    turned = reshape_to(permuted(flat, 1, 0, 2), (STEPS * BATCH, HEADS * SIZE))
    assert forms(apply("exp", turned)) == ["gemm", "map"]
    bits(apply("exp", turned))


@pytest.mark.parametrize("threads", [1, 2])
def test_attention_has_no_copies_and_keeps_its_bits(threads: int) -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(s).astype("f") for s in ((BATCH, STEPS, 48), (48, 144))]

    def run(compile: str) -> list[np.ndarray]:
        with override(compile=compile, num_threads=threads):
            x, w = (nb.tensor(a, requires_grad=True) for a in arrays)
            q, k, v = (t.view(BATCH, STEPS, HEADS, SIZE).transpose(1, 2) for t in (x @ w).split(48, 2))
            y = nb.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            (y.transpose(1, 2).reshape(BATCH, STEPS, 48) * x).sum().backward()
            return [x.grad.numpy(), w.grad.numpy()]

    assert same_bits(run("eager"), run("never"))
