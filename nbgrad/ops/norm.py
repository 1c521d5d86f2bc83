"""Lengths and spreads along dims: p-norms and the standard deviation, flat where they have a corner."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape
from nbgrad.ops.batching import by_dims
from nbgrad.ops.composite import freedom, infer_reduced, mean_of, var_reference
from nbgrad.ops.reduce import restore


def _quotient_or_zero(g: Node, y: Node) -> Node:
    """g / y, and 0 where y is 0: the subgradient at a corner. No infinity arises, so higher derivatives are 0 too."""
    zero, one = const(0, y.spec.dtype), const(1, y.spec.dtype)
    corner = apply("eq", y, zero)
    return apply("where", corner, zero, g / apply("where", corner, one, y))


def _norm2(inputs: tuple[Node, ...], params: Params) -> Node:
    """sqrt(sum(x^2))."""
    return apply("sqrt", apply("sum", inputs[0] * inputs[0], params=params))


def _norm2_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g x / |x|; the subgradient at 0 is 0, as in PyTorch."""
    (x,), (dims,) = inputs, params
    return (restore(_quotient_or_zero(g, y), x.spec.shape, dims) * x,)


def _norm_p(inputs: tuple[Node, ...], params: Params) -> Node:
    """(sum |x|^p)^(1/p)."""
    (x,), (dims, p) = inputs, params
    powers = apply("pow", apply("abs", x), const(p, x.spec.dtype))
    return apply("pow", apply("sum", powers, params=(dims,)), const(1.0 / p, x.spec.dtype))


def _norm_p_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g sign(x) |x|^(p-1) / y^(p-1); 0 where x or the norm is 0, as in PyTorch."""
    (x,), (dims, p) = inputs, params
    zero, one, power = const(0, x.spec.dtype), const(1, x.spec.dtype), const(p - 1.0, x.spec.dtype)
    flat = apply("eq", x, zero)
    size = apply("where", flat, one, apply("abs", x))
    slope = apply("where", flat, zero, apply("sign", x) * apply("pow", size, power))
    corner = apply("eq", y, zero)
    length = apply("pow", apply("where", corner, one, y), power)
    scale = apply("where", corner, zero, g / length)
    return (restore(scale, x.spec.shape, dims) * slope,)


def _std(inputs: tuple[Node, ...], params: Params) -> Node:
    """sqrt(var)."""
    return apply("sqrt", apply("var", *inputs, params=params))


def _std_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g (x - mean) / (y (n - correction)); 0 where the deviation is 0, as in PyTorch."""
    (x,), (dims, correction) = inputs, params
    d = x - restore(mean_of(x, dims), x.spec.shape, dims)
    scale = _quotient_or_zero(g, y) / const(freedom(x, dims, correction), x.spec.dtype)
    return (restore(scale, x.spec.shape, dims) * d,)


def _norm_reference(x: Any, dims: Shape, p: float = 2.0) -> Any:
    if p == 2.0:
        return np.sqrt(np.sum(x * x, axis=dims))
    return np.power(np.sum(np.abs(x) ** p, axis=dims), 1.0 / p)


norm2 = define(
    Op("norm2", Kind.COMPOSITE, infer_reduced, _norm_reference, vjp=_norm2_vjp, decompose=_norm2, batch=by_dims)
)
norm_p = define(
    # params: (dims, p), p positive or negative but not 0, 1, 2 or infinite: those are simpler reductions
    Op("norm_p", Kind.COMPOSITE, infer_reduced, _norm_reference, vjp=_norm_p_vjp, decompose=_norm_p, batch=by_dims)
)
std = define(
    Op(
        "std",  # params: (dims, correction)
        Kind.COMPOSITE,
        infer_reduced,
        lambda x, dims, correction: np.sqrt(var_reference(x, dims, correction)),
        vjp=_std_vjp,
        decompose=_std,
        batch=by_dims,
    )
)
