"""Products of matrices and vectors that are added to something: addmm and its relatives."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call
from nbgrad.calls.matmul import bmm, mm, mv, outer, same_dtype
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to


def _added(name: str, input: Node, product: Node, beta: Node | None, alpha: Node | None) -> Node:
    """beta * input + alpha * product; the input broadcasts to the product's shape. With beta 0 it is ignored, NaN and
    infinities included, as PyTorch does.
    """
    same_dtype(name, input, product)
    dtype = product.spec.dtype
    if alpha is not None:
        product = product * cast_to(alpha, dtype)
    x = input
    if beta is not None:
        factor, zero = cast_to(beta, dtype), const(0, dtype)
        x = apply("where", apply("eq", factor, zero), zero, x * factor)
    return expand_to(x, product.spec.shape) + product


@call(method=True, inplace=True, fits=("beta", "alpha"), wide=True)
def addmm(
    input: Node, mat1: TensorNode, mat2: TensorNode, *, beta: Node | None = None, alpha: Node | None = None
) -> Node:
    """beta * input + alpha * (mat1 @ mat2); input broadcasts to the product's shape. Factors are 1 unless given."""
    return _added("addmm", input, mm(mat1, mat2), beta, alpha)


@call(method=True, inplace=True, fits=("beta", "alpha"))
def addmv(
    input: Node, mat: TensorNode, vec: TensorNode, *, beta: Node | None = None, alpha: Node | None = None
) -> Node:
    """beta * input + alpha * (mat @ vec); input broadcasts to the product's shape. Factors are 1 unless given.

    >>> nbgrad.addmv(nbgrad.tensor([1.0, 2.0]), nbgrad.eye(2), nbgrad.tensor([10.0, 20.0]), alpha=2)
    tensor([21., 42.])
    """
    return _added("addmv", input, mv(mat, vec), beta, alpha)


@call(method=True, inplace=True, fits=("beta", "alpha"))
def addr(
    input: Node, vec1: TensorNode, vec2: TensorNode, *, beta: Node | None = None, alpha: Node | None = None
) -> Node:
    """beta * input + alpha * outer(vec1, vec2); input broadcasts to the matrix. Factors are 1 unless given.

    >>> nbgrad.addr(nbgrad.ones(2, 2), nbgrad.tensor([1.0, 2.0]), nbgrad.tensor([3.0, 4.0]))
    tensor([[4., 5.],
            [7., 9.]])
    """
    product = outer(vec1, vec2)
    if input.spec.dtype is product.spec.dtype is bool_:
        sides = [
            x if factor is None else apply("bit_and", x, cast_to(factor, bool_))
            for x, factor in ((expand_to(input, product.spec.shape), beta), (product, alpha))
        ]
        return apply("bit_or", *sides)
    return _added("addr", input, product, beta, alpha)


@call(method=True, inplace=True, fits=("beta", "alpha"), wide=True)
def baddbmm(
    input: Node, batch1: TensorNode, batch2: TensorNode, *, beta: Node | None = None, alpha: Node | None = None
) -> Node:
    """beta * input + alpha * (batch1 @ batch2), for stacks of matrices; input broadcasts to the products' shape.

    >>> nbgrad.baddbmm(nbgrad.ones(2), nbgrad.ones(1, 2, 3), nbgrad.ones(1, 3, 2), beta=0.5)
    tensor([[[3.5000, 3.5000],
             [3.5000, 3.5000]]])
    """
    return _added("baddbmm", input, bmm(batch1, batch2), beta, alpha)


@call(method=True, inplace=True, fits=("beta", "alpha"), wide=True)
def addbmm(
    input: Node, batch1: TensorNode, batch2: TensorNode, *, beta: Node | None = None, alpha: Node | None = None
) -> Node:
    """beta * input + alpha * the sum of all products batch1[i] @ batch2[i]; input broadcasts to a product's shape.

    >>> nbgrad.addbmm(nbgrad.ones(2), nbgrad.ones(4, 2, 3), nbgrad.ones(4, 3, 2))
    tensor([[13., 13.],
            [13., 13.]])
    """
    return _added("addbmm", input, apply("sum", bmm(batch1, batch2), params=((0,),)), beta, alpha)
