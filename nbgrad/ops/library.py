"""Operators with a kernel of their own: matrix product, concatenation."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import by_dim, products
from nbgrad.ops.family import same_dtype
from nbgrad.ops.tangents import linear, multilinear
from nbgrad.ops.view import slice_at

# An element of a product of floats adds so many terms on their own before they join, see kernels/library/product.py.
PRODUCT_RUN: Final = 256
# Rows a multiple of so many bytes apart begin at so few places of the first cache that no panel keeps there.
CROWDED_BYTES: Final = 2048
# Of a left factor that lies column by column, crowded, so much is copied for a tile, see kernels/library/product.py.
LEFT_BYTES: Final = 1 << 17
# A product with so many rows can collect the elements of its right factor one by one: that costs less than a copy.
# 3 x 3 windows of 32 images of 32 x 32, copied and collected: 8 to 8 channels 3.1 and 0.5 ms, 16 to 16 7.5 and 1.8.
COLLECTED_ROWS: Final = 4
COLLECTED_BYTES: Final = 1 << 18  # a smaller copy keeps in cache until it is read


def _matmul_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    a, b = specs
    if a.rank < 2 or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        raise ShapeError(f"matmul: shapes {list(a.shape)} and {list(b.shape)} cannot be multiplied")
    return Spec.of((*a.shape[:-1], b.shape[-1]), same_dtype("matmul", specs))


def transposed(x: Node) -> Node:
    """The last two dims swapped."""
    rank = x.spec.rank
    return apply("permute", x, params=((*range(rank - 2), rank - 1, rank - 2),))


def is_transposed(x: Node) -> bool:
    """Whether ``x`` is the view that ``transposed`` makes, whatever its history; of such a view it is none."""
    is_turned = False
    while x.op.name in ("detach", "rebase_history", "permute"):
        if x.op.name == "permute":
            rank = x.spec.rank
            if x.params[0] != (*range(rank - 2), rank - 1, rank - 2):
                break
            is_turned = not is_turned
        x = x.inputs[-1]
    return is_turned


def _matmul_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """Cotangents of ``y = a @ b``: ``g @ b^T`` and ``a^T @ g``.

    That of a transposed matrix W^T is made as the transpose of W's, which then lies row-major where it is wanted: the
    weight of a linear layer is one. Shapes: a (..., n, k), b (..., k, m), g (..., n, m), batch dims equal.
    Source: Giles 2008, "Collected matrix derivative results", matrix product.
    """
    a, b = inputs
    if is_transposed(a):
        for_a = transposed(apply("matmul", b, transposed(g)))
    else:
        for_a = apply("matmul", g, transposed(b))
    if is_transposed(b):
        for_b = transposed(apply("matmul", transposed(g), a))
    else:
        for_b = apply("matmul", transposed(a), g)
    return for_a, for_b


matmul = define(
    # batch dims are equal: broadcasting happened before, as ``expand`` nodes
    Op(
        "matmul",
        Kind.LIBRARY,
        _matmul_infer,
        np.matmul,
        vjp=_matmul_vjp,
        is_holomorphic=True,
        jvp=multilinear,
        batch=products,
    )
)


def _cat_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (dim,) = params
    first = specs[0]
    for s in specs[1:]:
        if s.rank != first.rank or any(s.shape[d] != first.shape[d] for d in range(first.rank) if d != dim):
            raise ShapeError(
                f"cat: sizes must match except in dim {dim}: got {', '.join(str(list(x.shape)) for x in specs)}"
            )
    total = sum(s.shape[dim] for s in specs)
    return Spec.of((*first.shape[:dim], total, *first.shape[dim + 1 :]), same_dtype("cat", specs))


def _cat_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    (dim,) = params
    parts = []
    start = 0
    for x in inputs:
        parts.append(slice_at(g, start, dim, x.spec.shape[dim]))
        start += x.spec.shape[dim]
    return tuple(parts)


def _cat_reference(*args: Any) -> Any:
    *arrays, dim = args
    return np.concatenate(arrays, axis=dim)


cat = define(
    Op("cat", Kind.LIBRARY, _cat_infer, _cat_reference, vjp=_cat_vjp, jvp=linear, batch=by_dim, moves=True)
)  # params: (dim,)
