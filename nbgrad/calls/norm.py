"""Lengths of vectors: norm and vector_norm."""

from __future__ import annotations

from math import inf

from nbgrad.calls.base import all_dims, call
from nbgrad.calls.reduce import Dims, reduced
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.dtypes import DType, as_dtype
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to


@call(method=True)
def norm(
    input: Node,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Node:
    """(sum |x|^p)^(1/p) over ``dim`` (all dims for None); "fro" and None are p = 2. Floating point only.

    The derivative is 0 where the norm is 0 (p = 2), as in PyTorch.
    """
    if isinstance(p, str) and p != "fro":
        raise ArgumentError(f"norm: p must be a number or 'fro', not {p!r}")
    order = 2.0 if p is None or isinstance(p, str) else p
    return _norm("norm", input, order, dim, keepdim, dtype)


@call(function=False)
def vector_norm(
    x: Node, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Node:
    """``linalg.vector_norm``: (sum |x|^ord)^(1/ord) over ``dim``; ord 0 counts what is not 0."""
    return _norm("vector_norm", x, ord, dim, keepdim, dtype)


def _norm(name: str, input: Node, p: float, dim: Dims, keepdim: bool, dtype: DType | None) -> Node:
    if not input.spec.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected a floating point input, got {input.spec.dtype.name}")
    x = input if dtype is None else cast_to(input, as_dtype(dtype))
    dims = all_dims(name, dim, x.spec.rank)
    if abs(p) == inf:
        return _largest(name, x, p, dims, keepdim)
    if p == 2:
        return reduced("norm2", x, dims, keepdim)
    if p == 1:
        return reduced("sum", apply("abs", x), dims, keepdim)
    if p == 0:
        nonzero = apply("ne", x, const(0, x.spec.dtype))
        return reduced("sum", cast_to(nonzero, x.spec.dtype), dims, keepdim)
    return reduced("norm_p", x, dims, keepdim, float(p))


def _largest(name: str, x: Node, p: float, dims: Shape, keepdim: bool) -> Node:
    if any(x.spec.shape[d] == 0 for d in dims):
        raise ShapeError(f"{name}: an empty dim has no norm of order {p}")
    return reduced("amax" if p > 0 else "amin", apply("abs", x), dims, keepdim)
