"""Values brought to mean 0 and variance 1, or to a mean square of 1, over some dims; params: (dims, eps).

What layer, batch and group normalisation share. Their derivatives read the result and one number per row: two sums
over one pass, where the formula's own derivative needs them one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import by_dims
from nbgrad.ops.composite import mean_of
from nbgrad.ops.reduce import restore
from nbgrad.ops.tangents import symmetric


def _same(specs: tuple[Spec, ...], params: Params) -> Spec:
    return specs[0]


def _inverse_root(mean_square: Node, eps: float) -> Node:
    dtype = mean_square.spec.dtype
    return const(1.0, dtype) / apply("sqrt", mean_square + const(eps, dtype))


def _centred(x: Node, dims: Shape) -> Node:
    return x - restore(mean_of(x, dims), x.spec.shape, dims)


def _scale_of(x: Node, dims: Shape, eps: float) -> Node:
    """1 / sqrt(mean(x^2) + eps), one number per row."""
    return _inverse_root(mean_of(x * x, dims), eps)


def _standardize(inputs: tuple[Node, ...], params: Params) -> Node:
    """(x - mean) / sqrt(mean((x - mean)^2) + eps)."""
    (x,), (dims, eps) = inputs, params
    d = _centred(x, dims)
    return d * restore(_scale_of(d, dims, eps), x.spec.shape, dims)


def _standardize_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """(g - mean(g) - y mean(g y)) / sqrt(var + eps). Source: Ioffe and Szegedy 2015, in Ba et al.'s notation."""
    (x,), (dims, eps) = inputs, params
    shape = x.spec.shape
    scale = _scale_of(_centred(x, dims), dims, eps)
    inner = g - restore(mean_of(g, dims), shape, dims) - y * restore(mean_of(g * y, dims), shape, dims)
    return (inner * restore(scale, shape, dims),)


def _rms_normalize(inputs: tuple[Node, ...], params: Params) -> Node:
    """x / sqrt(mean(x^2) + eps)."""
    (x,), (dims, eps) = inputs, params
    return x * restore(_scale_of(x, dims, eps), x.spec.shape, dims)


def _rms_normalize_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """(g - y mean(g y)) / sqrt(mean(x^2) + eps). Source: Zhang and Sennrich 2019."""
    (x,), (dims, eps) = inputs, params
    shape = x.spec.shape
    inner = g - y * restore(mean_of(g * y, dims), shape, dims)
    return (inner * restore(_scale_of(x, dims, eps), shape, dims),)


def _rms_reference(x: Any, dims: Shape, eps: float) -> Any:
    n = np.prod([x.shape[d] for d in dims], dtype=x.dtype)
    mean_square = np.sum(x * x, axis=dims, keepdims=True) / n
    return x * (1 / np.sqrt(mean_square + x.dtype.type(eps))).astype(x.dtype)


def _standardize_reference(x: Any, dims: Shape, eps: float) -> Any:
    n = np.prod([x.shape[d] for d in dims], dtype=x.dtype)
    return _rms_reference(x - np.sum(x, axis=dims, keepdims=True) / n, dims, eps)


standardize = define(
    Op(
        "standardize",
        Kind.COMPOSITE,
        _same,
        _standardize_reference,
        vjp=_standardize_vjp,
        jvp=symmetric(_standardize_vjp),
        decompose=_standardize,
        batch=by_dims,
    )
)
rms_normalize = define(
    Op(
        "rms_normalize",
        Kind.COMPOSITE,
        _same,
        _rms_reference,
        vjp=_rms_normalize_vjp,
        jvp=symmetric(_rms_normalize_vjp),
        decompose=_rms_normalize,
        batch=by_dims,
    )
)
