"""Factorisations of matrices: QR, symmetric eigenvalues, singular values. Batches of matrices in the last two dims.

An operator has one result, so the factors of a matrix are one row of numbers, *packed* one after the other. Views of it
are the factors. Where some of them alone have a derivative that is always there (eigenvalues and singular values, also
equal ones), each factor is an operator of the matrix and the packed row.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import float64, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import leading
from nbgrad.ops.compare import cast_to
from nbgrad.ops.library import transposed
from nbgrad.ops.linear_system import Cotangents, from_lapack, lapack
from nbgrad.ops.matrix import along_columns, along_rows, on_diagonal, product, square_size, triangle
from nbgrad.ops.view import reshape_to, slice_at


def part(packed: Node, shapes: tuple[Shape, ...], k: int) -> Node:
    """Factor ``k`` of those with ``shapes`` in a packed row."""
    sizes = [prod(shape) for shape in shapes]
    last = packed.spec.rank - 1
    found = slice_at(packed, sum(sizes[:k]), last, sizes[k])
    return reshape_to(found, (*packed.spec.shape[:-1], *shapes[k]))


def _packed(spec: Spec, shapes: tuple[Shape, ...]) -> Spec:
    return Spec.of((*spec.shape[:-2], sum(map(prod, shapes))), spec.dtype)


# QR


def qr_shapes(spec: Spec, complete: bool) -> tuple[Shape, Shape]:
    """Those of Q and R."""
    if spec.rank < 2:
        raise ShapeError(f"qr: a matrix has two dims, got shape {list(spec.shape)}")
    m, n = spec.shape[-2:]
    k = m if complete else min(m, n)
    return (m, k), (k, n)


def _qr_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (spec,) = specs
    shapes = qr_shapes(spec, False)
    if spec.shape[-2] < spec.shape[-1]:
        raise ShapeError(f"qr: a matrix has no fewer rows than columns, got shape {list(spec.shape)}")
    return _packed(spec, shapes)


def _qr_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """(G_Q + Q copyltu(triu(G_R R^T - Q^T G_Q))) R^-T.

    Source: Walter and Lehmann 2010, "Algorithmic differentiation of linear algebra functions with application in
    optimum experimental design", section 4.
    """
    shapes = qr_shapes(inputs[0].spec, False)
    (q, r), (g_q, g_r) = ([part(packed, shapes, k) for k in (0, 1)] for packed in (y, g))
    upper = triangle(product(g_r, transposed(r)) - product(transposed(q), g_q), "ge")
    inner = upper + transposed(triangle(upper, "ge", 1))
    rows = g_q + product(q, inner)  # X R^T = rows, so R X^T = rows^T: each row is a right side
    return (apply("solve_triangular", r, rows, params=(True, False)),)


# LU


def lu_shapes(spec: Spec) -> tuple[Shape, Shape, Shape]:
    """Those of the factors in one matrix, of the exchanges of rows, and of their order."""
    if spec.rank < 2:
        raise ShapeError(f"lu: a matrix has two dims, got shape {list(spec.shape)}")
    m, n = spec.shape[-2:]
    return (m, n), (min(m, n),), (m,)


def _lu_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """P L^-T (tril(L^T G_L, -1) + triu(G_U U^T)) U^-T of the square part; the rows below it are L_2 = A_2 U^-1, the
    columns beside it U_2 = L^-1 A_2.

    Source: the differential of P^T A = L U, whose parts dL U and L dU have triangles of their own.
    """
    shapes = lu_shapes(inputs[0].spec)
    (m, n), (k,), _ = shapes
    factors, g_factors = part(y, shapes, 0), part(g, shapes, 0)
    rows, columns = factors.spec.rank - 2, factors.spec.rank - 1

    def corner(x: Node) -> Node:
        return slice_at(slice_at(x, 0, rows, k), 0, columns, k)

    square, g_square = corner(factors), corner(g_factors)
    upper, g_lower, g_upper = triangle(square, "ge"), triangle(g_square, "le", -1), triangle(g_square, "ge")
    turned = transposed(triangle(square, "le", -1))
    rest: Node | None = None
    if n > k:  # L^-T g of the columns beside, which also are in L's cotangent
        beside, g_beside = slice_at(factors, k, columns, n - k), slice_at(g_factors, k, columns, n - k)
        rest = _solved_left(turned, g_beside)
        g_lower = g_lower - triangle(product(rest, transposed(beside)), "le", -1)
    if m > k:  # g U^-T of the rows below, which also are in U's cotangent
        below, g_below = slice_at(factors, k, rows, m - k), slice_at(g_factors, k, rows, m - k)
        rest = apply("solve_triangular", upper, g_below, params=(True, False))
        g_upper = g_upper - triangle(product(transposed(below), rest), "ge")
    lower = _with_ones(square)
    inner = triangle(product(transposed(lower), g_lower), "le", -1) + triangle(
        product(g_upper, transposed(upper)), "ge"
    )
    found = _solved_left(turned, apply("solve_triangular", upper, inner, params=(True, False)))
    if rest is not None:
        found = apply("cat", found, rest, params=(columns if n > k else rows,))
    return (_in_order_of(found, part(y, shapes, 2)),)


def _with_ones(square: Node) -> Node:
    """L: what lies below the diagonal, and ones on it."""
    ones = apply("expand", const(1, square.spec.dtype), params=(square.spec.shape[:-1],))
    return triangle(square, "le", -1) + on_diagonal(ones)


def _solved_left(turned: Node, x: Node) -> Node:
    """L^-T x, where ``turned`` is the triangle of L^T: each column is a right side."""
    return transposed(apply("solve_triangular", turned, transposed(x), params=(True, True)))


def _in_order_of(x: Node, order: Node) -> Node:
    """``x`` whose rows go back to where A had them: row i to row order[i]."""
    places = apply("order", cast_to(order, int64))
    *batch, m, n = x.spec.shape
    whole = reshape_to(x, (prod(batch) * m, n))
    first = apply("iota", params=((prod(batch), m), 0)) * const(m, int64)
    chosen = reshape_to(reshape_to(places, (prod(batch), m)) + first, (prod(batch) * m, 1))
    at = apply("expand", chosen * const(n, int64), params=(whole.spec.shape,))
    at = at + apply("iota", params=(whole.spec.shape, 1))
    return reshape_to(apply("take", reshape_to(whole, (whole.spec.size,)), at), x.spec.shape)


# Symmetric eigenvalues


def eigh_shapes(spec: Spec, upper: bool = False, alone: bool = False) -> tuple[Shape, Shape]:
    """Those of the eigenvalues and the eigenvectors, one in each row; of the values ``alone`` without vectors."""
    n = square_size("eigh", spec)
    return (n,), (0 if alone else n, n)


def _eigh_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return _packed(specs[0], eigh_shapes(specs[0], *params))


def _of_eigenvalues(g: Node, packed: Node, x: Node, params: Params = ()) -> Node:
    """V diag(g) V^T."""
    if params[1:] == (True,):
        packed = apply("eigh", x, params=params[:1])
    rows = part(packed, eigh_shapes(x.spec), 1)
    return product(transposed(rows), along_rows(g, rows.spec.shape) * rows)


def _of_eigenvectors(g: Node, packed: Node, x: Node) -> Node:
    """V (A / E) V^T with E[i, j] = w[j] - w[i], 0 on the diagonal; ``g`` has a vector in each row, as V^T has.

    A is the antisymmetric part of V^T G, along which vectors can turn and stay orthonormal: so the result is symmetric.
    """
    values, rows = (part(packed, eigh_shapes(x.spec), k) for k in (0, 1))
    inner = product(rows, transposed(g))
    return product(transposed(rows), _by_gaps(0.5 * (inner - transposed(inner)), values), rows)


def _by_gaps(x: Node, values: Node) -> Node:
    """x[i, j] / (values[j] - values[i]), 0 on the diagonal."""
    shape, one = x.spec.shape, const(1, x.spec.dtype)
    gaps = along_columns(values, shape) - along_rows(values, shape)
    safe = on_diagonal(apply("expand", one, params=(values.spec.shape,)), gaps)
    return on_diagonal(zeros_of(values.spec), x / safe)


def _eigh_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """The sum of what eigenvalues and eigenvectors give.

    Source: Giles 2008, "Collected matrix derivative results", eigenvalues and eigenvectors.
    """
    (x,) = inputs
    if params[1:] == (True,):
        return (_of_eigenvalues(g, y, x, params),)
    g_values, g_rows = (part(g, eigh_shapes(x.spec), k) for k in (0, 1))
    return (_of_eigenvalues(g_values, y, x) + _of_eigenvectors(g_rows, y, x),)


# Singular values


def svd_shapes(spec: Spec, full: bool | None) -> tuple[Shape, Shape, Shape]:
    """Those of the singular values, U and Vh; these have no elements where ``full`` is None."""
    if spec.rank < 2:
        raise ShapeError(f"svd: a matrix has two dims, got shape {list(spec.shape)}")
    m, n = spec.shape[-2:]
    k = min(m, n)
    left, right = (0, 0) if full is None else (m, n) if full else (k, k)
    return (k,), (m, left), (right, n)


def _svd_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return _packed(specs[0], svd_shapes(specs[0], *params))


def _reduced(packed: Node, x: Node, params: Params) -> tuple[Node, Node, Node]:
    """S, U and Vh without the vectors that belong to no singular value."""
    shapes = svd_shapes(x.spec, *params)
    (k,) = shapes[0]
    s, u, rows = (part(packed, shapes, i) for i in range(3))
    return s, _first(u, u.spec.rank - 1, k), _first(rows, rows.spec.rank - 2, k)


def _first(x: Node, dim: int, k: int) -> Node:
    return x if x.spec.shape[dim] == k else slice_at(x, 0, dim, k)


def _of_values(g: Node, packed: Node, x: Node, params: Params) -> Node:
    """U diag(g) Vh."""
    if params == (None,):
        packed, params = apply("svd", x, params=(False,)), (False,)
    _, u, rows = _reduced(packed, x, params)
    return product(u, along_rows(g, rows.spec.shape) * rows)


def _of_left(g: Node, packed: Node, x: Node, params: Params) -> Node:
    """(U (skew(U^T G) / E) S + (I - U U^T) G / S) Vh, where E[i, j] = s[j]^2 - s[i]^2."""
    s, u, rows = _reduced(packed, x, params)
    g = _first(g, g.spec.rank - 1, s.spec.shape[-1])
    inner = product(transposed(u), g)
    turned = _by_squares(inner, s) * along_columns(s, inner.spec.shape)
    outside = (g - product(u, inner)) / along_columns(s, g.spec.shape)
    return product(product(u, turned) + outside, rows)


def _of_right(g: Node, packed: Node, x: Node, params: Params) -> Node:
    """U (S (skew(Vh G^T) / E) Vh + (G - G V Vh) / S), where E[i, j] = s[j]^2 - s[i]^2."""
    s, u, rows = _reduced(packed, x, params)
    g = _first(g, g.spec.rank - 2, s.spec.shape[-1])
    inner = product(rows, transposed(g))
    turned = _by_squares(inner, s) * along_rows(s, inner.spec.shape)
    outside = (g - product(transposed(inner), rows)) / along_rows(s, g.spec.shape)
    return product(u, product(turned, rows) + outside)


def _by_squares(x: Node, s: Node) -> Node:
    """(x - x^T)[i, j] / (s[j]^2 - s[i]^2), 0 on the diagonal."""
    shape, one = x.spec.shape, const(1, x.spec.dtype)
    high, low = along_columns(s, shape), along_rows(s, shape)
    safe = on_diagonal(apply("expand", one, params=(s.spec.shape,)), (high - low) * (high + low))
    return on_diagonal(zeros_of(s.spec), (x - transposed(x)) / safe)


_SVD_RULES = (_of_values, _of_left, _of_right)


def _svd_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """The sum of what S, U and Vh give.

    Source: Townsend 2016, "Differentiating the singular value decomposition".
    """
    (x,) = inputs
    shapes = svd_shapes(x.spec, *params)
    if params == (None,):
        return (_of_values(g, y, x, params),)
    first, *others = [rule(part(g, shapes, k), y, x, params) for k, rule in enumerate(_SVD_RULES)]
    for other in others:
        first = first + other
    return (first,)


# Q (m, n), R (n, n) for no fewer rows than columns; Q (m, m), R (m, n), which have no derivative: Q is not determined.
qr = lapack("qr", _qr_infer, vjp=_qr_vjp)
qr_complete = lapack("qr_complete", lambda specs, params: _packed(specs[0], qr_shapes(specs[0], True)))
lu = lapack("lu", lambda specs, params: _packed(specs[0], lu_shapes(specs[0])), vjp=_lu_vjp)
# params: (upper,), the triangle that is read; packed are the eigenvalues in ascending order, then V^T
eigh = lapack("eigh", _eigh_infer, vjp=_eigh_vjp, can_fail=ALWAYS)
svd = lapack("svd", _svd_infer, vjp=_svd_vjp, can_fail=ALWAYS)  # params: (full,); S, U, Vh


def _factor(name: str, shapes_of: Callable[..., tuple[Shape, ...]], k: int, rule: Callable[..., Node]) -> Op:
    """The operator of (matrix, packed row) that gives factor ``k``; ``rule`` is its derivative by the matrix."""

    def decompose(inputs: tuple[Node, ...], params: Params) -> Node:
        return part(inputs[1], shapes_of(inputs[0].spec, *params), k)

    def infer(specs: tuple[Spec, ...], params: Params) -> Spec:
        return Spec.of((*specs[1].shape[:-1], *shapes_of(specs[0], *params)[k]), specs[1].dtype)

    def reference(x: Any, packed: Any, *params: Any) -> Any:
        shapes = shapes_of(Spec.of(x.shape, float64), *params)
        sizes = [prod(shape) for shape in shapes]
        start = sum(sizes[:k])
        return packed[..., start : start + sizes[k]].reshape(*packed.shape[:-1], *shapes[k])

    def vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
        x, packed = inputs
        return rule(g, packed, x, params), None

    return define(Op(name, Kind.COMPOSITE, infer, reference, vjp=vjp, decompose=decompose, batch=leading))


eigh_values = _factor("eigh_values", eigh_shapes, 0, _of_eigenvalues)
eigh_vectors = _factor("eigh_vectors", eigh_shapes, 1, lambda g, packed, x, params: _of_eigenvectors(g, packed, x))
svd_values = _factor("svd_values", svd_shapes, 0, _of_values)
svd_left = _factor("svd_left", svd_shapes, 1, _of_left)
svd_right = _factor("svd_right", svd_shapes, 2, _of_right)


# The pseudo-inverse


def _pinv_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    svd_shapes(specs[0], False)
    *batch, m, n = specs[0].shape
    return Spec.of((*batch, n, m), specs[0].dtype)


def _pinv(inputs: tuple[Node, ...], params: Params) -> Node:
    """V S^+ U^T, where S^+ has 0 for what is not above max(atol, rtol * the largest singular value)."""
    (x,) = inputs
    atol, rtol = params
    shapes = svd_shapes(x.spec, False)
    packed = apply("svd", x, params=(False,))
    s, u, rows = (part(packed, shapes, k) for k in range(3))
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    largest = apply("amax", s, params=((s.spec.rank - 1,),))
    cutoff = apply("maximum", const(atol, x.spec.dtype), largest * const(rtol, x.spec.dtype))
    is_kept = apply("gt", s, along_rows(cutoff, s.spec.shape))
    inverse = apply("where", is_kept, one / apply("where", is_kept, s, one), zero)
    return product(transposed(rows) * along_columns(inverse, (*x.spec.shape[:-2], *shapes[2][::-1])), transposed(u))


def _pinv_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> Cotangents:
    """-P^T G P^T + (I - A P) G^T P P^T + P^T P G^T (I - P A): no singular value is divided by another.

    Source: Golub and Pereyra 1973, "The differentiation of pseudo-inverses", equation 4.12.
    """
    (x,) = inputs
    p, g_t, p_t = y, transposed(g), transposed(y)
    left = product(g_t, p, p_t)
    right = product(p_t, p, g_t)
    return (left - product(x, p, left) + right - product(right, p, x) - product(p_t, g, p_t),)


pinv = define(  # params: (atol, rtol)
    Op("pinv", Kind.COMPOSITE, _pinv_infer, from_lapack("pinv"), vjp=_pinv_vjp, decompose=_pinv, batch=leading)
)
