"""The largest or the smallest of what several values say of one element: ``scatter_reduce`` and ``index_reduce``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.ops.batching import scattered
from nbgrad.ops.compare import cast_to
from nbgrad.ops.indexing import index_of


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """All that are equal to the result share its cotangent evenly, as in PyTorch."""
    x, index, values = inputs
    kind, zero = g.spec.dtype, const(0, g.spec.dtype)
    own, theirs = apply("eq", x, y), apply("eq", values, index_of(y, index))
    count = apply("scatter_add", cast_to(own, kind), index, cast_to(theirs, kind))
    share = g / apply("maximum", count, const(1, kind))
    return apply("where", own, share, zero), None, apply("where", theirs, index_of(share, index), zero)


def _reference(x: Any, index: Any, values: Any, largest: bool) -> Any:
    out = np.array(x)
    (np.maximum if largest else np.minimum).at(out, index, values)
    return out


scatter_extreme = define(
    # inputs (x 1-d, index 1-d, values 1-d), params (largest,): x with the extreme of each element and its values, of
    # floats or integers of 32 or 64 bits; NaN is the extreme of all it is among
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
