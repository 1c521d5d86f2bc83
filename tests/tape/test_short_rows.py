"""Which rows are short: by sizes and by where operands lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nbgrad.graph.dtypes import DType, bfloat16, float32, float64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.reduce import restore
from nbgrad.pipeline import Plan
from nbgrad.tape.kernel import SHORT_ROW, SHORT_ROWS
from nbgrad.tape.short_rows import FEW
from nbgrad.tape.work import SPLIT
from nbgrad.transform.vjp import vjp
from tests.passes.build import expanded, reduced, reshaped, value
from tests.passes.runs import Array, drafted, fused, run_plan, same_bits, unfused


def forms(plan: Plan) -> list[str]:
    assert plan.tape is not None
    return [i.text.form for i in plan.tape.instructions]


def distances(points: int, others: int, dims: int) -> Node:
    """The sums over ``dims`` of (x - w)^2, for all pairs."""
    sizes = points, others, dims
    x = expanded(reshaped(value(points, dims), points, 1, dims), *sizes)
    w = expanded(reshaped(value(others, dims, at=1), 1, others, dims), *sizes)
    z = apply("sub", x, w)
    return reduced("sum", apply("mul", z, z), 2)


@pytest.mark.parametrize("sizes", [(64, 16, 2), (70, 25, 10), (100, 33, SHORT_ROW)])
def test_all_pairs_have_a_lane_for_each_output_and_the_bits_of_rows(sizes: tuple[int, int, int]) -> None:
    points, others, dims = sizes
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(n, dims)).astype(np.float32) for n in (points, others)]
    y = distances(*sizes)
    plan, plain = fused([y]), unfused([y])
    assert forms(plan) == ["short_row"]
    assert "short_row" not in forms(plain)
    assert same_bits(run_plan(plan, arrays), run_plan(plain, arrays))


@pytest.mark.parametrize("sizes", [(64, 15, 4), (64, 16, SHORT_ROW + 1), (63, 16, FEW + 1)])
def test_few_outputs_and_longer_rows_stay_rows(sizes: tuple[int, int, int]) -> None:
    assert forms(fused([distances(*sizes)])) == ["row"]


def test_sums_of_elements_that_lie_apart_are_for_few_of_them() -> None:
    for length, form in ((FEW, "short_row"), (FEW + 1, "row")):
        x = value(100, length)
        assert forms(fused([reduced("sum", apply("mul", x, x), 1)])) == [form]
        assert forms(fused([reduced("amax", x, 1)])) == ["short_row"]


def softmax(x: Node) -> Node:
    return apply("softmax", x, params=((x.spec.rank - 1,),))


def normalised(x: Node) -> Node:
    return apply("standardize", x, params=((x.spec.rank - 1,), 1e-5))


def with_mask(x: Node) -> Node:
    """Softmax with some elements left out, other ones in each batch."""
    batch, heads, rows, columns = x.spec.shape
    mask = expanded(value(batch, 1, 1, columns, at=2, dtype=x.spec.dtype), batch, heads, rows, columns)
    return softmax(apply("add", x, mask))


STAGED: dict[str, tuple[Callable[[Node], Node], tuple[int, ...]]] = {
    "softmax": (softmax, (70, 10)),
    "softmax of a row": (softmax, (200, SHORT_ROW)),
    "of two elements": (softmax, (33, 2)),
    "norm": (normalised, (65, 7)),
    "mask": (with_mask, (3, 2, 19, 16)),
    "greatest": (lambda x: apply("mul", x, restore(reduced("amax", x, 1), x.spec.shape, (1,))), (16, 3)),
}


def stored(x: Array, dtype: DType) -> Array:
    """``x`` as memory of that dtype."""
    return (
        (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if dtype is bfloat16 else x.astype(dtype.numpy)
    )


@pytest.mark.parametrize("name", STAGED)
@pytest.mark.parametrize("dtype", [float32, float64, bfloat16], ids=str)
def test_rows_of_several_stages_and_their_derivatives_have_the_bits_of_rows(name: str, dtype: DType) -> None:
    function, shape = STAGED[name]
    x, g = value(*shape, dtype=dtype), value(*shape, at=1, dtype=dtype)
    y = function(x)
    roots = [y, *[d for d in vjp([y], [g], [x]) if d]]
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=shape) for _ in range(2)]
    arrays[0].flat[:3] = np.nan, np.inf, -0.0
    mask = np.where(rng.random((shape[0], 1, 1, shape[-1])) < 0.5, -np.inf, 0)
    mask[..., 0] = 0
    arrays = [stored(a, dtype) for a in (*arrays, mask)]
    plan, plain = fused(roots), unfused(roots)
    assert "short_row" in forms(plan)
    assert same_bits(run_plan(plan, arrays), run_plan(plain, arrays))
    assert same_bits(run_plan(drafted(roots), arrays), run_plan(plain, arrays))


def test_outputs_of_one_dim_are_shared_among_threads() -> None:
    tape = fused([softmax(value(50_000, 10))]).tape
    assert tape is not None
    (i,) = tape.instructions
    assert i.items == -(-50_000 // SHORT_ROWS)
    assert i.flags & SPLIT


def test_an_item_is_all_outputs_of_a_point() -> None:
    tape = fused([distances(50_000, 25, 10)]).tape
    assert tape is not None
    (i,) = tape.instructions
    assert i.items == 50_000
    assert i.flags & SPLIT
    assert i.chunk < i.items
