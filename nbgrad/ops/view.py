"""Other strides over the same memory: reshape, permute, expand, slice. They cost nothing."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import diagonals, expanded, permuted, reshaped, sliced
from nbgrad.ops.tangents import linear

MOST_COMPONENTS: Final = 8  # of a vector that is looked at one by one: a state of more is an array


def _reshape_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    if prod(params[0]) != specs[0].size:
        raise ShapeError(f"shape '{list(params[0])}' is invalid for input of size {specs[0].size}")
    return Spec.of(params[0], specs[0].dtype)


def _permute_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(tuple([specs[0].shape[d] for d in params[0]]), specs[0].dtype)


def _expand_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    old, new = specs[0].shape, params[0]
    lead = len(new) - len(old)
    if lead < 0 or any(n not in (1, m) for n, m in zip(old, new[lead:], strict=True)):
        raise ShapeError(f"expand: shape {list(old)} does not broadcast to {list(new)}")
    return Spec.of(new, specs[0].dtype)


def _slice_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    dim, length, _ = params
    shape = specs[0].shape
    return Spec.of((*shape[:dim], length, *shape[dim + 1 :]), specs[0].dtype)


def slice_index(rank: int, start: int, params: Params) -> tuple[Any, ...]:
    """The NumPy index of a ``slice`` node whose start is ``start``."""
    dim, length, step = params
    stop: int | None = start + step * length
    if stop is not None and stop < 0:
        stop = None
    chosen = slice(start, stop, step) if length else slice(0, 0)
    return (*(slice(None),) * dim, chosen, *(slice(None),) * (rank - dim - 1))


def _inverse(dims: Shape) -> Shape:
    return tuple(int(d) for d in np.argsort(dims))


reshape = define(
    Op(
        "reshape",  # params: (shape,)
        Kind.VIEW,
        _reshape_infer,
        lambda x, shape: np.reshape(x, shape),
        vjp=lambda g, y, i, p: (apply("reshape", g, params=(i[0].spec.shape,)),),
        jvp=linear,
        batch=reshaped,
    )
)
permute = define(
    Op(
        "permute",  # params: (dims,)
        Kind.VIEW,
        _permute_infer,
        lambda x, dims: np.transpose(x, dims),
        vjp=lambda g, y, i, p: (apply("permute", g, params=(_inverse(p[0]),)),),
        jvp=linear,
        batch=permuted,
    )
)
expand = define(
    Op(
        "expand",  # params: (shape,); sizes of 1 and missing leading dims are repeated
        Kind.VIEW,
        _expand_infer,
        lambda x, shape: _as_writable(np.broadcast_to(x, shape), x),
        vjp=lambda g, y, i, p: (sum_to(g, i[0].spec.shape),),
        jvp=linear,
        batch=expanded,
    )
)
slice_ = define(
    Op(
        # inputs (x, start); params: (dim, length, step): elements start, start + step, ... of one dim. The start is a
        # run-time value, so a minibatch X[i:i+64] is one structure; the step may be negative (flip).
        "slice",
        Kind.VIEW,
        _slice_infer,
        lambda x, start, *p: x[slice_index(x.ndim, int(start), p)],
        vjp=lambda g, y, i, p: (apply("put_slice", zeros_of(i[0].spec), g, i[1], params=p), None),
        jvp=linear,
        batch=sliced,
    )
)


def _diagonal_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    a, b, offset = params
    shape = specs[0].shape
    kept = [n for d, n in enumerate(shape) if d not in (a, b)]
    return Spec.of((*kept, diagonal_length(shape[a], shape[b], offset)), specs[0].dtype)


def diagonal_length(n: int, m: int, offset: int) -> int:
    """How many elements [i, i + offset] a matrix of n rows and m columns has."""
    return max(min(n, m - offset) if offset >= 0 else min(n + offset, m), 0)


def put_diagonal(x: Node, w: Node, params: Params) -> Node:
    """``x`` with ``w`` on a diagonal: in one row of all columns, a step down it is as far as a row and one element."""
    a, b, offset = params
    order = (*[d for d in range(x.spec.rank) if d not in (a, b)], a, b)
    *lead, n, m = [x.spec.shape[d] for d in order]
    start = 0 if not w.spec.size else offset if offset >= 0 else -offset * m
    rows = reshape_to(apply("permute", x, params=(order,)), (*lead, n * m))
    rows = apply("put_slice", rows, w, const(start, int64), params=(len(lead), w.spec.shape[-1], m + 1))
    return apply("permute", reshape_to(rows, (*lead, n, m)), params=(_inverse(order),))


def _diagonal_reference(x: Any, a: int, b: int, offset: int) -> Any:
    return _as_writable(np.diagonal(x, offset, a, b), x)


def _as_writable(shown: Any, x: Any) -> Any:
    """``shown``, a view of ``x`` in NumPy, which gives some of them read-only."""
    shown.flags.writeable = x.flags.writeable
    return shown


diagonal = define(
    # params: (dim, other dim, offset): elements [i, i + offset] of these two dims, as a new last one
    Op(
        "diagonal",
        Kind.VIEW,
        _diagonal_infer,
        _diagonal_reference,
        vjp=lambda g, y, i, p: (put_diagonal(zeros_of(i[0].spec), g, p),),
        jvp=linear,
        batch=diagonals,
    )
)


def sum_to(g: Node, shape: Shape) -> Node:
    """Cotangent of a broadcast: sums over the axes that were added or repeated."""
    if g.spec.shape == shape:
        return g
    lead = g.spec.rank - len(shape)
    dims = tuple(d for d in range(g.spec.rank) if d < lead or (shape[d - lead] == 1 and g.spec.shape[d] != 1))
    summed = apply("sum", g, params=(dims,)) if dims else g
    return reshape_to(summed, shape)


def reshape_to(x: Node, shape: Shape) -> Node:
    return x if x.spec.shape == shape else apply("reshape", x, params=(shape,))


def expand_to(x: Node, shape: Shape) -> Node:
    return x if x.spec.shape == shape else apply("expand", x, params=(shape,))


def slice_at(x: Node, start: int, dim: int, length: int, step: int = 1) -> Node:
    """A slice whose start is known when the plan is made."""
    return apply("slice", x, const(start, int64), params=(dim, length, step))
