"""Determinants and what they are differentiated by, also where a matrix is singular."""

from __future__ import annotations

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import leading
from nbgrad.ops.factorization import part, svd_shapes
from nbgrad.ops.family import same_dtype
from nbgrad.ops.library import transposed
from nbgrad.ops.linear_system import Cotangents, from_lapack, lapack
from nbgrad.ops.matrix import along_columns, along_rows, everywhere, on_diagonal, product, square_size, total
from nbgrad.ops.view import expand_to, reshape_to


def _det_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    square_size("det", specs[0])
    return Spec.of(specs[0].shape[:-2], specs[0].dtype)


def _diagonal_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    square_size("det", specs[0])
    return Spec.of(specs[0].shape[:-1], specs[0].dtype)


def _matrix_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    square_size("det", specs[0])
    same_dtype("det", specs)
    return specs[0]


def _of_diagonal(name: str, x: Node) -> Node:
    """The sum or product of each row."""
    return apply(name, x, params=((x.spec.rank - 1,),))


def _det_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """g adj(A)^T, by Jacobi's formula; also of a singular matrix."""
    (a,) = inputs
    return (everywhere(g, a.spec.shape) * transposed(apply("adjugate", a)),)


def _logabsdet_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """g A^-T, by Jacobi's formula."""
    (a,) = inputs
    return (everywhere(g, a.spec.shape) * transposed(apply("inv", a)),)


def _without_two(s: Node) -> Node:
    """The product of all numbers of a row but two, by the places of these, as matrices; 0 on the diagonal.

    A division gives it: what is 0 stands for so little that it is rounded away wherever it is a factor.
    """
    limits, shape = np.finfo(s.spec.dtype.name), (*s.spec.shape, s.spec.shape[-1])
    least = _of_diagonal("sum", s) * const(float(limits.eps), s.spec.dtype)
    least = least + const(float(limits.tiny) ** 0.45, s.spec.dtype)
    s = apply("maximum", s, expand_to(reshape_to(least, (*least.spec.shape, 1)), s.spec.shape))
    products = everywhere(_of_diagonal("prod", s), shape) / along_columns(s, shape) / along_rows(s, shape)
    return on_diagonal(zeros_of(s.spec), products)


def _by_singular_values(inputs: tuple[Node, ...], params: Params) -> Node:
    """The derivative of adj(A) = det(U Vh) V adj(S) U^T by A = U S Vh, times G.

    Change S by E: off the diagonal, adj(S) changes by -E times the product of all other s but those of row and column;
    on it, by the sum over the other places k of E[k, k] times such a product.
    """
    a, g = inputs
    shapes = svd_shapes(a.spec, False)
    packed = apply("svd", a, params=(False,))
    s, u, rows = (part(packed, shapes, i) for i in range(3))
    others, inner = _without_two(s), product(rows, g, u)
    own = apply("diagonal", inner, params=(inner.spec.rank - 2, inner.spec.rank - 1, 0))
    middle = on_diagonal(_of_diagonal("sum", others * along_columns(own, others.spec.shape)), -(inner * others))
    return everywhere(apply("det", product(u, rows)), a.spec.shape) * product(u, middle, rows)


def _adjugate_vjp_vjp(h: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """By the product rule for det(A) (<G, A^-1> A^-T - A^-T G A^-T). That by A needs a matrix that is not singular."""
    a, g = inputs
    back = transposed(apply("inv", a))
    of_g, of_h = product(back, g, back), product(back, transposed(h), back)
    both = product(of_g, transposed(h), back) + product(of_h, g, back)
    of_h_of_back, of_g_of_back = total(h * back), total(g * transposed(back))
    turned = everywhere(of_h_of_back, a.spec.shape) * of_g + everywhere(of_g_of_back, a.spec.shape) * of_h - both
    by_a = everywhere(total(h * y), a.spec.shape) * back - everywhere(apply("det", a), a.spec.shape) * turned
    return by_a, transposed(apply("adjugate_vjp", a, transposed(h)))


# The diagonal of U of A = P L U, the first element with the sign of P: their product is the determinant.
lu_diagonal = lapack("lu_diagonal", _diagonal_infer)
# det(A) A^-1, and what that comes close to where A is singular.
adjugate = lapack("adjugate", _matrix_infer, vjp=lambda g, y, inputs, params: (apply("adjugate_vjp", *inputs, g),))
adjugate_vjp = define(  # inputs (A, G)
    Op(
        "adjugate_vjp",
        Kind.COMPOSITE,
        _matrix_infer,
        from_lapack("adjugate_vjp"),
        vjp=_adjugate_vjp_vjp,
        decompose=_by_singular_values,
        batch=leading,
    )
)
det = define(
    Op(
        "det",
        Kind.COMPOSITE,
        _det_infer,
        from_lapack("det"),
        vjp=_det_vjp,
        decompose=lambda inputs, params: _of_diagonal("prod", apply("lu_diagonal", *inputs)),
        batch=leading,
    )
)
logabsdet = define(
    Op(
        "logabsdet",
        Kind.COMPOSITE,
        _det_infer,
        from_lapack("logabsdet"),
        vjp=_logabsdet_vjp,
        decompose=lambda inputs, params: _of_diagonal("sum", apply("log", apply("abs", apply("lu_diagonal", *inputs)))),
        batch=leading,
    )
)
