"""Attention: a weighted mean of values, the weights being a softmax of products of queries and keys."""

from __future__ import annotations

from math import inf, sqrt

from nbgrad.calls.base import TensorNode, call, require_floating
from nbgrad.calls.matmul import matmul
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import broadcast_shapes
from nbgrad.ops.reduce import restore
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to

NAME = "scaled_dot_product_attention"


@call(function=False)
def scaled_dot_product_attention(
    query: Node,
    key: TensorNode,
    value: TensorNode,
    attn_mask: TensorNode | None = None,
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> Node:
    """softmax(query @ key^T * scale) @ value; ``scale`` is 1 / sqrt(width) unless given.

    Shapes: query (..., L, E), key (..., S, E), value (..., S, V); gives (..., L, V). ``attn_mask`` broadcasts to
    (..., L, S): False leaves a pair out, a float is added to its score. ``is_causal`` lets query i see keys 0 to i.
    A query that sees no key gives zeros. Source: Vaswani et al. 2017, "Attention is all you need".
    """
    weights = attention_weights(query, key, attn_mask, is_causal, scale=scale)
    if value.spec.rank < 2 or key.spec.shape[-2] != value.spec.shape[-2]:
        raise ShapeError(
            f"{NAME}: key and value must have as many rows as each other, but their shapes are {list(key.spec.shape)} "
            f"and {list(value.spec.shape)}"
        )
    return matmul(weights, value)


@call("attention_weights", function=False)
def attention_weights(
    query: Node,
    key: TensorNode,
    attn_mask: TensorNode | None = None,
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> Node:
    """softmax(query @ key^T * scale) under the masks: (..., L, S)."""
    require_floating(NAME, query)
    for what, x in (("query", query), ("key", key)):
        if x.spec.rank < 2:
            raise ShapeError(f"{NAME}: Expected {what} to have at least 2 dimensions, got {x.spec.rank}")
    if query.spec.shape[-1] != key.spec.shape[-1]:
        raise ShapeError(
            f"{NAME}: query and key must have the same width, but their shapes are {list(query.spec.shape)} and "
            f"{list(key.spec.shape)}"
        )
    if attn_mask is not None and is_causal:
        raise ArgumentError(f"{NAME}: Explicit attn_mask should not be set when is_causal=True")
    rank = key.spec.rank
    turned = apply("permute", key, params=((*range(rank - 2), rank - 1, rank - 2),))
    factor = (1 / sqrt(query.spec.shape[-1]) if query.spec.shape[-1] else 1.0) if scale is None else float(scale)
    scores = matmul(query, turned) * const(factor, query.spec.dtype)  # beside the softmax, so it costs no pass
    last = (scores.spec.rank - 1,)
    if attn_mask is None:
        return apply("softmax", _causal(scores) if is_causal else scores, params=(last,))
    masked = _masked(scores, attn_mask)
    last = (masked.spec.rank - 1,)
    # Without a key the softmax is 0 / 0; such a row is left out as a whole.
    lowest = const(-inf, masked.spec.dtype)
    blind = apply("eq", apply("amax", masked, params=(last,)), lowest)
    weights = apply("softmax", masked, params=(last,))
    return apply("where", restore(blind, masked.spec.shape, last), const(0, masked.spec.dtype), weights)


def _causal(scores: Node) -> Node:
    shape, rank = scores.spec.shape, scores.spec.rank
    seen = apply("le", iota_node(shape, rank - 1), iota_node(shape, rank - 2))
    return apply("where", seen, scores, const(-inf, scores.spec.dtype))


def _masked(scores: Node, mask: Node) -> Node:
    try:
        shape = broadcast_shapes(scores.spec.shape, mask.spec.shape, NAME)
    except ShapeError:
        raise ShapeError(
            f"{NAME}: attn_mask of shape {list(mask.spec.shape)} does not broadcast to (..., queries, keys): "
            f"{list(scores.spec.shape)}"
        ) from None
    wide, over = expand_to(scores, shape), expand_to(mask, shape)
    if mask.spec.dtype is bool_:
        return apply("where", over, wide, const(-inf, scores.spec.dtype))
    if mask.spec.dtype is not scores.spec.dtype:
        raise DTypeError(
            f"{NAME}: Expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: "
            f"{mask.spec.dtype.name} and query.dtype: {scores.spec.dtype.name}"
        )
    return wide + over
