"""Rows of a table by their number."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import TensorNode, call
from nbgrad.calls.indexing import as_index, checked_nothing, flat, refuse_empty
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to


@call(function=False)
def embedding(input: Node, weight: TensorNode, padding_idx: int | None = None) -> Node:
    """The rows of ``weight`` at the places in ``input``: shape (*) and (rows, width) give (*, width).

    Cotangents are added to their rows in the order of ``input``; the row ``padding_idx`` (negative: counted from the
    end) gets none. IndexError at run time for a place outside [0, rows); RuntimeError for places that are no integers.
    """
    name = "embedding"
    index = as_index(name, input)
    if weight.spec.rank != 2:
        raise ShapeError(f"{name}: 'weight' must be 2-D, got shape {list(weight.spec.shape)}")
    rows, width = weight.spec.shape
    refuse_empty(name, index, weight.spec.shape, 0)
    shape = (*index.spec.shape, width)
    if not prod(shape):
        return checked_nothing(name, weight, shape, index, 0)
    words = f"{name}(): index {{index}} is out of bounds for a table of {{size}} rows"
    start = apply("check_index", index, const(rows, int64), params=(words,)) * const(width, int64)
    places = expand_to(reshape_to(start, (*index.spec.shape, 1)), shape) + iota_node(shape, len(shape) - 1)
    found = apply("take", flat(weight), places)
    if padding_idx is None:
        return found
    if not -rows <= padding_idx < rows:
        raise ArgumentError(f"{name}: Padding_idx must be within num_embeddings, got {padding_idx} of {rows}")
    is_padding = reshape_to(apply("eq", index, const(padding_idx % rows, int64)), (*index.spec.shape, 1))
    return apply("where", expand_to(is_padding, shape), apply("detach", found), found)
