"""Linear systems: inverses, solutions, Cholesky factors, determinants. Batches of matrices in the last two dims.

What is computed is LAPACK's; its routines are named in ``kernels/library/lapack.py``. Right sides and solutions are
*rows*: row b of the right side gives row x of the solution of A x = b, which lies as LAPACK wants it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import leading, solutions
from nbgrad.ops.family import same_dtype
from nbgrad.ops.library import transposed
from nbgrad.ops.matrix import product, square_size, symmetric, triangle
from nbgrad.system.imports import import_module

Cotangents = tuple[Node | None, ...]

# Why a matrix is refused, and the kernels' codes for that, see nbgrad/tape/kernel.py.
SINGULAR: Final = 3
NOT_POSITIVE: Final = 4
NOT_CONVERGED: Final = 5
REFUSALS: Final = {
    SINGULAR: "the input matrix is singular",
    NOT_POSITIVE: "the input is not positive-definite",
    NOT_CONVERGED: "the algorithm did not converge, or the input has elements that are not finite",
}


def from_lapack(name: str) -> Callable[..., Any]:
    """A reference that imports SciPy's LAPACK when it is called."""
    return lambda *args: getattr(import_module("nbgrad.ops.lapack_reference"), name)(*args)


def lapack(name: str, infer: Callable[[tuple[Spec, ...], Params], Spec], **rules: Any) -> Op:
    """Define an operator of matrices that LAPACK computes, one after the other."""
    return define(Op(name, Kind.LIBRARY, infer, from_lapack(name), **{"batch": leading, **rules}))


def _square(name: str) -> Callable[[tuple[Spec, ...], Params], Spec]:
    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        square_size(name, specs[0])
        return specs[0]

    return infer


def _solution(name: str) -> Callable[[tuple[Spec, ...], Params], Spec]:
    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        a, rows = specs
        if rows.shape[:-2] != a.shape[:-2] or rows.rank < 2 or rows.shape[-1] != square_size(name, a):
            raise ShapeError(f"{name}: matrices {list(a.shape)} and right sides {list(rows.shape)} do not fit together")
        return Spec.of(rows.shape, same_dtype(name, specs))

    return infer


def _inv_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """-Y^T G Y^T. Source: Giles 2008, "Collected matrix derivative results", inverse."""
    back = transposed(y)
    return (-product(back, g, back),)


def _solve_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """That of a right side solves A^T; that of A is minus its product with the solution.

    Source: Giles 2008, "Collected matrix derivative results", linear solve.
    """
    of_rows = apply("solve", transposed(inputs[0]), g)
    return -product(transposed(of_rows), y), of_rows


def _triangular_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """As that of ``solve``, on the triangle that was read."""
    upper, unit = params
    of_rows = apply("solve_triangular", transposed(inputs[0]), g, params=(not upper, unit))
    whole = -product(transposed(of_rows), y)
    return triangle(whole, *("ge", int(unit)) if upper else ("le", -int(unit))), of_rows


def _cholesky_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """L^-T sym(tril(L^T G), its diagonal halved) L^-1, symmetric as A is.

    Source: Murray 2016, "Differentiation of the Cholesky decomposition", equation 10.
    """
    back = transposed(y)
    middle = product(back, triangle(g, "le"))
    lower = triangle(middle, "le", -1) + triangle(triangle(middle, "le"), "ge") * const(0.5, g.spec.dtype)
    rows = apply("solve_triangular", back, symmetric(lower), params=(True, False))
    return (apply("solve_triangular", back, transposed(rows), params=(True, False)),)


inv = lapack("inv", _square("inv"), vjp=_inv_vjp, can_fail=ALWAYS)
solve = lapack("solve", _solution("solve"), vjp=_solve_vjp, batch=solutions, can_fail=ALWAYS)  # inputs (A, rows)
# inputs (A, rows); params: (upper, unit): whether its diagonal is taken for ones
solve_triangular = lapack("solve_triangular", _solution("solve_triangular"), vjp=_triangular_vjp, batch=solutions)
# L of A = L L^T, of whose A the lower triangle is read
cholesky = lapack("cholesky", _square("cholesky"), vjp=_cholesky_vjp, can_fail=ALWAYS)
