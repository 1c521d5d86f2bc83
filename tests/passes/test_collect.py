"""Copies that products of many rows do without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.ops.library import COLLECTED_ROWS, transposed
from nbgrad.ops.window import windows
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.collect import collect
from nbgrad.passes.run import optimise
from nbgrad.transform.vjp import vjp
from tests.passes.build import permuted, reshaped, value
from tests.passes.runs import fused, run_plan, same_bits, unfused

CHANNELS, SIZE = 8, 40


def columns() -> Node:
    seen = windows(value(1, CHANNELS, SIZE, SIZE), (3, 3), (1, 1), (1, 1))
    copied = apply("copy", permuted(seen, 1, 4, 5, 0, 2, 3))
    return reshaped(copied, 9 * CHANNELS, copied.spec.size // (9 * CHANNELS))


def filters(rows: int = COLLECTED_ROWS) -> Node:
    return value(rows, 9 * CHANNELS, at=1)


def copies(*roots: Node) -> int:
    return sum(n.op.name in ("copy", "after") for n in toposort(collect(list(roots))))


def test_a_copy_that_only_products_of_many_rows_read_is_left_out() -> None:
    x = columns()
    g = value(COLLECTED_ROWS, x.spec.shape[1], at=2)
    assert copies(apply("matmul", filters(), x)) == 0
    assert copies(apply("matmul", filters(), x), apply("matmul", g, transposed(x))) == 0


def test_others_keep_the_copy() -> None:
    x = columns()
    product = apply("matmul", filters(), x)
    assert copies(apply("matmul", filters(COLLECTED_ROWS - 1), x)) == 1
    assert copies(product, apply("exp", x)) == 1
    assert copies(product, x) == 1
    assert copies(product, apply("matmul", x, transposed(x))) == 1
    small = reshaped(apply("copy", permuted(value(3, 4, 5), 1, 0, 2)), 4, 15)
    assert copies(apply("matmul", value(40, 4, at=1), small)) == 1


def gradients(x: Node, w: Node, params: tuple[Any, ...]) -> list[Node]:
    """A convolution and its derivatives."""
    y = apply("convolution", x, w, params=params)
    grads = vjp([y], [apply("tanh", y)], [x, w])
    return [y, *[grad for grad in grads if grad is not None]]


LAYERS = [
    ((2, 16, 17, 19), (32, 16, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((9, 32, 12, 13), (33, 32, 3, 2), (1, 1), (1, 0), (1, 1), 1),
    ((2, 32, 24, 23), (40, 32, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((1, 32, 28, 26), (32, 32, 2, 3), (1, 1), (2, 3), (2, 2), 1),
    ((2, 64, 16, 20), (64, 32, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    ((3, 48, 900), (40, 48, 5), (1,), (2,), (1,), 1),
    ((2, 32, 6, 9, 10), (32, 32, 2, 3, 2), (1, 1, 1), (1, 0, 1), (1, 1, 1), 1),
    ((3, 64, 30, 32), (48, 64, 1, 1), (1, 1), (0, 0), (1, 1), 1),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layer", LAYERS, ids=[str(layer[1]) for layer in LAYERS])
def test_large_convolutions_copy_no_columns_and_keep_their_bits(layer: tuple[Any, ...], dtype: str) -> None:
    shape, filter_shape, stride, padding, dilation, groups = layer
    around = tuple([(p, p) for p in padding])
    x, w = value(*shape, dtype=by_name(dtype)), value(*filter_shape, at=1, dtype=by_name(dtype))
    roots = gradients(x, w, (stride, around, dilation, groups))
    assert all(n.op.name not in ("copy", "after") for n in toposort(optimise(canonicalize(roots))))
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(s).astype(dtype) for s in (shape, filter_shape)]
    assert same_bits(run_plan(fused(roots), inputs), run_plan(unfused(roots), inputs))
