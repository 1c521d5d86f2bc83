"""The largest or the smallest of what several values say of one element: ``scatter_reduce`` and ``index_reduce``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.ops.batching import scattered
from nbgrad.ops.compare import cast_to
from nbgrad.ops.indexing import index_of
from nbgrad.ops.view import expand_to


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """All that are equal to the result share its cotangent evenly; beside NaN, which equals nothing, all have NaN: both
    as in PyTorch. An element that takes no part where there are values has no share."""
    x, index, values = inputs
    kind, (_, include_self) = g.spec.dtype, params
    own = cast_to(apply("eq", x, y), kind)
    if not include_self:
        own = apply("scatter_put", own, index, expand_to(const(0, kind), index.spec.shape))
    theirs = cast_to(apply("eq", values, index_of(y, index)), kind)
    share = g / apply("scatter_add", own, index, theirs)
    return own * share, None, theirs * index_of(share, index)


def _reference(x: Any, index: Any, values: Any, largest: bool, include_self: bool) -> Any:
    out = np.array(x)
    (np.maximum if largest else np.minimum).at(out, index, values)
    return out


scatter_extreme = define(
    # inputs (x 1-d, index 1-d, values 1-d), params (largest, include_self): x with the extreme of each element and its
    # values, of floats or integers of 32 or 64 bits; NaN is the extreme of all it is among. Without include_self x has
    # the least of all (for minima the greatest) where there are values
    Op(
        "scatter_extreme",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _reference,
        vjp=_vjp,
        batch=scattered,
        can_fail=ALWAYS,
    )
)
