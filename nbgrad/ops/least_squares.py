"""Least squares, by the routines of LAPACK that PyTorch calls drivers. Right sides and solutions are rows."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final

from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.batching import leading
from nbgrad.ops.factorization import part
from nbgrad.ops.library import transposed
from nbgrad.ops.linear_system import Cotangents, from_lapack, lapack
from nbgrad.ops.matrix import product

DRIVERS: Final = ("gels", "gelsy", "gelsd")  # by QR, by QR with pivots, by singular values


def lstsq_shapes(a: Spec, rows: Spec, driver: str) -> tuple[Shape, Shape, Shape]:
    """Those of the solutions, one in each row, of the rank, and of the singular values where the driver has them."""
    if a.rank < 2 or rows.shape[:-1] != (*a.shape[:-2], *rows.shape[-2:-1]) or rows.shape[-1] != a.shape[-2]:
        raise ShapeError(f"lstsq: matrices {list(a.shape)} and right sides {list(rows.shape)} do not fit together")
    m, n = a.shape[-2:]
    return (rows.shape[-2], n), (), (min(m, n) if driver == "gelsd" else 0,)


def _packed(driver: str) -> Callable[[tuple[Spec, ...], Params], Spec]:
    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        a, rows = specs
        return Spec.of((*a.shape[:-2], sum(map(prod, lstsq_shapes(a, rows, driver)))), a.dtype)

    return infer


def _solution_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    a, rows, _ = specs
    return Spec.of((*rows.shape[:-1], a.shape[-1]), a.dtype)


def _solution(inputs: tuple[Node, ...], params: Params) -> Node:
    a, rows, packed = inputs
    return part(packed, lstsq_shapes(a.spec, rows.spec, params[0]), 0)


def _solution_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """P^T G of the right sides; -P^T G X^T + R G^T P P^T + P^T X G^T (I - P A) of A, with its pseudo-inverse P, the
    solutions X, and R what they leave: the differential of P B at constant rank.

    Source: Golub and Pereyra 1973, "The differentiation of pseudo-inverses", equation 4.12.
    """
    a, rows, _ = inputs
    p = apply("pinv", a, params=(0.0, params[1]))
    of_rows = product(g, p)
    left = rows - product(y, transposed(a))
    of_a = product(transposed(left), of_rows, transposed(p)) - product(transposed(of_rows), y)
    return of_a + product(transposed(product(y, p)), g - product(of_rows, a)), of_rows, None


for _driver in DRIVERS:  # inputs (A, rows), params: (rcond,): solutions, rank and singular values, packed
    lapack(f"lstsq_{_driver}", _packed(_driver), can_fail=ALWAYS)
define(  # inputs (A, rows, packed), params: (driver, rcond): the solutions
    Op(
        "lstsq",
        Kind.COMPOSITE,
        _solution_infer,
        from_lapack("lstsq_solution"),
        vjp=_solution_vjp,
        decompose=_solution,
        batch=leading,
    )
)
