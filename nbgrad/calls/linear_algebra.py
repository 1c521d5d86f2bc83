"""Linear algebra as ``nbgrad.linalg`` records it: checks, broadcasting, which side. Floating point only."""

from __future__ import annotations

from nbgrad.calls.arguments import refuse_half
from nbgrad.calls.base import TensorNode, call
from nbgrad.errors import DTypeError, DTypeNotImplementedError, RunError, ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import broadcast_shapes
from nbgrad.ops.library import transposed
from nbgrad.ops.matrix import along_columns, along_rows, on_diagonal
from nbgrad.ops.tangents import conjugate
from nbgrad.ops.view import expand_to, reshape_to, slice_at


@call("linalg_inv", function=False, shown="linalg.inv")
def inv(A: Node) -> Node:
    """The inverse of square matrices."""
    a = _square("linalg.inv", A)
    return _whole(apply("inv", _embedded(a))) if a.spec.dtype.is_complex else apply("inv", a)


@call("linalg_solve", function=False, shown="linalg.solve")
def solve(A: Node, B: TensorNode, *, left: bool = True) -> Node:
    """X with A X = B, or X A = B where not ``left``. B is matrices, or vectors, as PyTorch tells them apart."""
    name = "linalg.solve"
    a, b = _square(name, A), _matched(name, A, B)
    is_vector = b.spec.rank == 1 or (b.spec.rank == a.spec.rank - 1 and b.spec.shape == a.spec.shape[:-1])
    if is_vector:
        b = reshape_to(b, (*b.spec.shape, 1) if left else (*b.spec.shape[:-1], 1, b.spec.shape[-1]))
    found = _by_rows(name, "solve", a, b, left, ())
    if not is_vector:
        return found
    shape = found.spec.shape
    return reshape_to(found, shape[:-1] if left else (*shape[:-2], shape[-1]))


@call("linalg_solve_triangular", function=False, shown="linalg.solve_triangular")
def solve_triangular(A: Node, B: TensorNode, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Node:
    """The same of triangular matrices, of which the other triangle is not read."""
    name = "linalg.solve_triangular"
    a, b = _square(name, A), _matrix(name, _matched(name, A, B), "B")
    return _by_rows(name, "solve_triangular", a, b, left, (upper, unitriangular))


@call("linalg_cholesky", function=False, shown="linalg.cholesky")
def cholesky(A: Node, *, upper: bool = False) -> Node:
    """The lower triangular L of A = L L^T, or its transpose."""
    a = _square("linalg.cholesky", A)
    if a.spec.dtype.is_complex:
        lower = _whole(apply("cholesky", _embedded(conjugate(transposed(a)) if upper else a)))
        return conjugate(transposed(lower)) if upper else lower
    return transposed(apply("cholesky", transposed(a))) if upper else apply("cholesky", a)


@call("linalg_det", function=False, shown="linalg.det")
def det(A: Node) -> Node:
    """The determinant."""
    return apply("det", _square("linalg.det", A))


@call("linalg_det_sign", function=False, shown="linalg.slogdet")
def det_sign(A: Node) -> Node:
    """The sign of the determinant: 1, 0 or -1."""
    signs = apply("sign", apply("detach", apply("lu_diagonal", _square("linalg.slogdet", A))))
    return apply("prod", signs, params=((signs.spec.rank - 1,),))


@call("linalg_logabsdet", function=False, shown="linalg.slogdet")
def logabsdet(A: Node) -> Node:
    """The logarithm of the determinant's size."""
    return apply("logabsdet", _square("linalg.slogdet", A))


@call("linalg_qr", function=False, shown="linalg.qr")
def qr(A: Node, *, complete: bool) -> Node:
    """Q and R, packed."""
    return apply("qr_complete" if complete else "qr", _matrix("linalg.qr", A))


@call("linalg_lu", function=False, shown="linalg.lu")
def lu(A: Node) -> Node:
    """The LU factors of matrices, the exchanges of their rows and the order of these, packed."""
    return apply("lu", _matrix("linalg.lu", A))


@call("linalg_eigh", function=False, shown="linalg.eigh")
def eigh(A: Node, *, upper: bool, alone: bool = False) -> Node:
    """Eigenvalues and eigenvectors of symmetric matrices, packed; the values ``alone``."""
    return apply("eigh", _square("linalg.eigh", A), params=(upper, True) if alone else (upper,))


@call("linalg_eigh_values", function=False, shown="linalg.eigh")
def eigh_values(A: Node, packed: TensorNode, *, upper: bool = False, alone: bool = False) -> Node:
    """The eigenvalues in what ``eigh`` packed."""
    return apply("eigh_values", A, packed, params=(upper, True) if alone else ())


@call("linalg_eigh_vectors", function=False, shown="linalg.eigh")
def eigh_vectors(A: Node, packed: TensorNode) -> Node:
    """The eigenvectors, as columns."""
    return transposed(apply("eigh_vectors", A, packed))


@call("linalg_svd", function=False, shown="linalg.svd")
def svd(A: Node, *, full: bool | None) -> Node:
    """Singular values, U and Vh, packed; the values alone where ``full`` is None."""
    return apply("svd", _matrix("linalg.svd", A), params=(full,))


@call("linalg_svd_values", function=False, shown="linalg.svd")
def svd_values(A: Node, packed: TensorNode, *, full: bool | None) -> Node:
    """The singular values in what ``svd`` packed."""
    return apply("svd_values", A, packed, params=(full,))


@call("linalg_svd_left", function=False, shown="linalg.svd")
def svd_left(A: Node, packed: TensorNode, *, full: bool) -> Node:
    """U, whose columns are the left singular vectors."""
    return apply("svd_left", A, packed, params=(full,))


@call("linalg_svd_right", function=False, shown="linalg.svd")
def svd_right(A: Node, packed: TensorNode, *, full: bool) -> Node:
    """Vh, whose rows are the right singular vectors."""
    return apply("svd_right", A, packed, params=(full,))


@call("linalg_pinv", function=False, shown="linalg.pinv")
def pinv(A: Node, *, atol: float, rtol: float) -> Node:
    """The pseudo-inverse; singular values up to the larger of ``atol`` and ``rtol`` times the largest count as 0."""
    return apply("pinv", _matrix("linalg.pinv", A), params=(atol, rtol))


@call("linalg_lstsq", function=False, shown="linalg.lstsq")
def lstsq(A: Node, B: TensorNode, *, driver: str, rcond: float) -> Node:
    """Solutions of least squares, ranks, and the singular values where the driver has them, packed."""
    a, rows = _systems(A, B)
    return apply(f"lstsq_{driver}", a, rows, params=(rcond,))


@call("linalg_lstsq_solution", function=False, shown="linalg.lstsq")
def lstsq_solution(A: Node, B: TensorNode, packed: TensorNode, *, driver: str, rcond: float) -> Node:
    """The solutions in what ``lstsq`` packed."""
    return transposed(apply("lstsq", *_systems(A, B), packed, params=(driver, rcond)))


def _systems(A: Node, B: Node) -> tuple[Node, Node]:
    """Matrices, and as many right sides, row by row."""
    a, b = _over_one_batch("linalg.lstsq", _matrix("linalg.lstsq", A), _matched("linalg.lstsq", A, B))
    return a, transposed(b)


def _over_one_batch(name: str, a: Node, b: Node) -> tuple[Node, Node]:
    batch = broadcast_shapes(a.spec.shape[:-2], b.spec.shape[:-2], name)
    return expand_to(a, (*batch, *a.spec.shape[-2:])), expand_to(b, (*batch, *b.spec.shape[-2:]))


def _by_rows(name: str, op: str, a: Node, b: Node, left: bool, params: tuple[bool, ...]) -> Node:
    """A solution by an operator whose right sides are rows: those of A X = B are columns; X A = B is solved by A^T."""
    wanted = a.spec.shape[-1]
    if b.spec.shape[-2 if left else -1] != wanted:
        raise ShapeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.spec.shape[-2]}x{wanted} and {b.spec.shape[-2]}x{b.spec.shape[-1]})"
        )
    a, b = _over_one_batch(name, a, b)
    if left:
        return transposed(_solved(op, a, transposed(b), params))
    if params:
        params = (not params[0], *params[1:])
    return _solved(op, transposed(a), b, params)


def _solved(op: str, a: Node, rows: Node, params: tuple[bool, ...]) -> Node:
    """A row x with A x = b for each row b; complex ones by real matrices, as ``_embedded`` makes them."""
    if not a.spec.dtype.is_complex:
        return apply(op, a, rows, params=params)
    if params:  # by the diagonal first: with ones there, a real matrix is a triangle, too
        around = a.spec.rank - 2, a.spec.rank - 1, 0
        diagonal = apply("diagonal", a, params=around)
        if not params[1]:
            a, rows = a / along_rows(diagonal, a.spec.shape), rows / along_columns(diagonal, rows.spec.shape)
            diagonal = apply("diagonal", a, params=around)
        a, params = a - on_diagonal(diagonal), (params[0], True)
    *shape, n = rows.spec.shape
    found = apply(op, _embedded(a), reshape_to(apply("view_as_real", rows), (*shape, 2 * n)), params=params)
    return apply("view_as_complex", reshape_to(found, (*shape, n, 2)))


def _embedded(a: Node) -> Node:
    """Complex matrices as real ones of twice the size, with [[re, -im], [im, re]] for each element: sums and products
    of such are of such. A unitary one is orthogonal, a lower triangle with a real diagonal lower triangular."""
    *batch, m, n = a.spec.shape
    re, im = apply("real", a), apply("imag", a)
    rows = [_beside(x, y) for x, y in ((re, -im), (im, re))]
    pairs = [reshape_to(x, (*batch, m, 1, 2 * n)) for x in rows]
    return reshape_to(apply("cat", *pairs, params=(len(batch) + 1,)), (*batch, 2 * m, 2 * n))


def _beside(x: Node, y: Node) -> Node:
    """The elements of two matrices by turns."""
    *shape, n = x.spec.shape
    columns = [reshape_to(z, (*shape, n, 1)) for z in (x, y)]
    return reshape_to(apply("cat", *columns, params=(len(shape) + 1,)), (*shape, 2 * n))


def _whole(x: Node) -> Node:
    """The complex matrices that real ones of twice the size stand for."""
    *batch, m, n = x.spec.shape
    m, n = m // 2, n // 2
    blocks, rank = reshape_to(x, (*batch, m, 2, n, 2)), len(batch)
    column = slice_at(blocks, 0, rank + 3, 1)
    parts = [reshape_to(slice_at(column, k, rank + 1, 1), (*batch, m, n)) for k in (0, 1)]
    return apply("complex", *parts)


@call("linalg_embedded", function=False, shown="linalg.qr")
def embedded(A: Node) -> Node:
    """Complex matrices as real ones of twice the size."""
    return _embedded(A)


@call("linalg_whole", function=False, shown="linalg.qr")
def whole(A: Node) -> Node:
    """The complex matrices that these stand for."""
    return _whole(A)


def _floating(name: str, x: Node, argument: str = "A") -> Node:
    if not x.spec.dtype.is_inexact:
        raise (DTypeNotImplementedError if name == "linalg.lu" else DTypeError)(
            f"{name}: Expected a floating point or complex tensor as input {argument}. Got {x.spec.dtype.name}"
        )
    refuse_half(name, x.spec.dtype)
    return x


def _matrix(name: str, x: Node, argument: str = "A") -> Node:
    if x.spec.rank < 2:
        raise ShapeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")
    return _floating(name, x, argument)


def _square(name: str, x: Node) -> Node:
    m, n = _matrix(name, x).spec.shape[-2:]
    if m != n:
        raise ShapeError(f"{name}: A must be batches of square matrices, but they are {m} by {n} matrices")
    return x


def _matched(name: str, a: Node, b: Node) -> Node:
    if a.spec.dtype is not b.spec.dtype:
        raise RunError(
            f"{name}: Expected A and B to have the same dtype, but found A of type {a.spec.dtype.name} and B of type "
            f"{b.spec.dtype.name} instead"
        )
    return b
