"""Folding axes: sum, prod, amax, amin, argmax, argmin. params: (dims,), sorted; the dims disappear."""

from __future__ import annotations

from math import inf, prod
from typing import Any

import numpy as np

from nbgrad.graph.dtypes import DType, as_dtype, bool_, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import by_dims
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.tangents import holomorphic, linear
from nbgrad.ops.view import expand_to, reshape_to

# Up to this length the derivative of prod multiplies the other elements for each one, which is exact with zeros too.
PROD_EXACT_LENGTH = 1024


def reduced_shape(shape: Shape, dims: Shape, keepdim: bool = False) -> Shape:
    """``shape`` without ``dims``, or with 1 in their place."""
    if keepdim:
        return tuple([1 if d in dims else n for d, n in enumerate(shape)])
    return tuple([n for d, n in enumerate(shape) if d not in dims])


def restore(x: Node, shape: Shape, dims: Shape) -> Node:
    """A reduced value broadcast back over ``shape``."""
    return expand_to(reshape_to(x, reduced_shape(shape, dims, keepdim=True)), shape)


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(reduced_shape(specs[0].shape, params[0]), specs[0].dtype)


def _infer_index(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(reduced_shape(specs[0].shape, params[0]), int64)


def _sum_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return (restore(g, inputs[0].spec.shape, params[0]),)


def _extreme_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """Elements equal to the extreme share the cotangent evenly; NaN where it is NaN, as in PyTorch."""
    (x,), (dims,) = inputs, params
    mask = apply("eq", x, restore(y, x.spec.shape, dims))
    count = apply("sum", cast_to(mask, g.spec.dtype), params=(dims,))
    return (restore(g / count, x.spec.shape, dims) * cast_to(mask, g.spec.dtype),)


def _prod_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g times the product of the other elements: y / x where no element is 0, as in PyTorch (NaN for one that is
    infinite), else exactly, up to PROD_EXACT_LENGTH elements.

    Longer products: with one zero, only that element gets the product of the others.
    """
    (x,), (dims,) = inputs, params
    length = prod([x.spec.shape[d] for d in dims])
    if length > PROD_EXACT_LENGTH:
        return (restore(g, x.spec.shape, dims) * _others_by_division(x, dims),)
    dtype = x.spec.dtype
    zero, one = const(0, dtype), const(1, dtype)
    zeros = apply("sum", cast_to(apply("eq", x, zero), dtype), params=(tuple(range(x.spec.rank)),))
    has_none = apply("eq", expand_to(zeros, x.spec.shape), zero)
    whole = apply("where", has_none, restore(y, x.spec.shape, dims), one)
    by_division = whole / apply("where", has_none, x, one)
    others = apply("where", has_none, by_division, _others(x, dims, length))
    return (restore(g, x.spec.shape, dims) * others,)


def _others(x: Node, dims: Shape, length: int) -> Node:
    kept = tuple([d for d in range(x.spec.rank) if d not in dims])
    order = kept + dims
    kept_shape = tuple([x.spec.shape[d] for d in kept])
    rows = reshape_to(apply("permute", x, params=(order,)), (*kept_shape, 1, length))
    square = (*kept_shape, length, length)
    rank = len(square)
    diagonal = apply("eq", iota_node(square, rank - 2), iota_node(square, rank - 1))
    masked = apply("where", diagonal, const(1, x.spec.dtype), expand_to(rows, square))
    flat = apply("prod", masked, params=((rank - 1,),))
    back = reshape_to(flat, tuple([x.spec.shape[d] for d in order]))
    return apply("permute", back, params=(tuple(int(d) for d in np.argsort(order)),))


def _others_by_division(x: Node, dims: Shape) -> Node:
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    is_zero = apply("eq", x, zero)
    zeros = restore(apply("sum", cast_to(is_zero, x.spec.dtype), params=(dims,)), x.spec.shape, dims)
    safe = apply("where", is_zero, one, x)
    whole = restore(apply("prod", safe, params=(dims,)), x.spec.shape, dims)
    alone = apply("where", apply("bit_and", is_zero, apply("eq", zeros, one)), whole, zero)
    return apply("where", apply("eq", zeros, zero), whole / safe, alone)


def _over(function: Any) -> Any:
    return lambda x, dims: np.asarray(function(x, axis=dims)).astype(x.dtype) if dims else x.copy()


def identity(name: str, dtype: DType) -> float | int | bool:
    """What reducing no elements gives: the number that changes nothing. The largest of none is the lowest there is."""
    if name in ("sum", "prod"):
        return 0 if name == "sum" else 1
    if dtype.is_floating_point:
        return -inf if name == "amax" else inf
    if dtype is bool_:
        return name == "amin"
    limits = np.iinfo(dtype.numpy)
    return int(limits.min if name == "amax" else limits.max)


def _extreme(name: str, function: Any) -> Any:
    def reference(x: Any, dims: Shape) -> Any:
        if not dims:
            return x.copy()
        initial = identity(name, as_dtype(x.dtype))
        return np.asarray(function(x, axis=dims, initial=initial)).astype(x.dtype)

    return reference


def _arg(function: Any) -> Any:
    def reference(x: Any, dims: Shape) -> Any:
        kept = [d for d in range(x.ndim) if d not in dims]
        flat = np.transpose(x, (*kept, *dims)).reshape(*[x.shape[d] for d in kept], prod([x.shape[d] for d in dims]))
        return np.asarray(function(flat, axis=-1)).astype(np.int64)

    return reference


sum_ = define(Op("sum", Kind.REDUCE, _infer, _over(np.sum), vjp=_sum_vjp, jvp=linear, batch=by_dims))
prod_ = define(Op("prod", Kind.REDUCE, _infer, _over(np.prod), vjp=holomorphic(_prod_vjp), batch=by_dims))
amax = define(Op("amax", Kind.REDUCE, _infer, _extreme("amax", np.max), vjp=_extreme_vjp, batch=by_dims))
amin = define(Op("amin", Kind.REDUCE, _infer, _extreme("amin", np.min), vjp=_extreme_vjp, batch=by_dims))
# Ties give the first index, NaN counts as the extreme. The index is into the reduced dims, flattened.
argmax = define(Op("argmax", Kind.REDUCE, _infer_index, _arg(np.argmax), batch=by_dims))
argmin = define(Op("argmin", Kind.REDUCE, _infer_index, _arg(np.argmin), batch=by_dims))
