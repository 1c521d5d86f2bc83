"""Kernels that call LAPACK, matrix by matrix. What stands where, ``nbgrad/tape/lapack_words.py`` says.

LAPACK takes matrices column by column, so it sees each of ours transposed, and is asked for what is the same then. The
routines are described in Anderson et al. 1999, "LAPACK Users' Guide".
"""

from collections.abc import Callable
from ctypes import Structure, c_int32, c_int64
from math import inf as infinity
from typing import Any, Final

from nbgrad.kernels.blas import enter, leave
from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import as_int32, beyond, call, item_bytes, number, room, shifted
from nbgrad.kernels.records import Item, Pointer, record
from nbgrad.ops.linear_system import NOT_CONVERGED, NOT_POSITIVE, SINGULAR
from nbgrad.tape.blas import Blas
from nbgrad.tape.kernel import OK
from nbgrad.tape.lapack_words import LAYOUTS

INFO: Final = c_int32 * 2
VECTORS: Final = ord("V")  # the job of finding eigenvectors, too


@record
class Operand(Structure):
    """Matrices one after the other."""

    first: Pointer[Item]
    nbytes: int  # of one


@record
class Number(Structure):
    """A number whose address LAPACK is told."""

    value: int


@njit(nogil=True)
def each(words: Any, begin: int, end: int, body: Any) -> int:
    """``body`` for each matrix of the items."""
    info = room(INFO)
    info[0] = 0
    for item in range(begin, end):
        scratch = shifted(words.scratch, item * words.scratch_bytes)
        for k in range(item * words.together, min((item + 1) * words.together, words.matrices)):
            code: int = body(words, k, scratch, info)
            if code != OK:
                return code
    return OK


def matrix_by_matrix(body: Callable[..., int]) -> Callable[[Any, int, int], int]:
    """The kernel that does ``body``, called as its form, for each matrix: number ``k``, with its item's ``scratch``;
    routines say in ``info`` how it went."""

    def kernel(words: Any, begin: int, end: int) -> int:
        enter(words.blas[0])
        code = each(words, begin, end, body)
        leave(words.blas[0])
        return code

    layout = LAYOUTS[body.__name__]
    head = {"together": c_int64, "matrices": c_int64, "scratch_bytes": c_int64, "blas": Pointer[Blas]}
    named = {**dict.fromkeys((*layout.inputs, "out"), Operand), **dict.fromkeys(layout.numbers, Number)}
    fields = {**head, "scratch": Pointer[Item], **named, **dict.fromkeys((*layout.scratch, *layout.routines), c_int64)}
    kernel.__annotations__["words"] = type(body.__name__, (Structure,), {"_fields_": [*fields.items()]})
    njit(nogil=True)(body)
    return kernel


@njit(nogil=True)
def nth(operand: Operand, k: int) -> Pointer[Item]:
    """Matrix number ``k``."""
    return shifted(operand.first, k * operand.nbytes)


@njit(nogil=True)
def copied(source: Pointer[Item], target: Pointer[Item], elements: int) -> Pointer[Item]:
    """``target``, with the elements of ``source`` in it."""
    for i in range(elements):
        target[i] = source[i]
    return target


@njit(nogil=True)
def exchanges_are_odd(pivots: Pointer[int], n: int) -> bool:
    """Whether the pivots exchange rows an odd number of times."""
    odd = 0
    for i in range(n):
        odd ^= pivots[i] != i + 1
    return odd != 0


@matrix_by_matrix
def inv(m: Any, k: int, scratch: Any, info: Any) -> int:
    """The inverse. A transposed matrix has the transposed inverse."""
    pivots, out = shifted(scratch, m.pivots), copied(nth(m.a, k), nth(m.out, k), m.n.value * m.n.value)
    call(m.getrf, m.n, m.n, out, m.n, pivots, info)
    if info[0] != 0:
        return SINGULAR
    call(m.getri, m.n, out, m.n, pivots, shifted(scratch, m.work), m.lwork, info)
    return OK


@matrix_by_matrix
def solve(m: Any, k: int, scratch: Any, info: Any) -> int:
    """X of A X = B, by LU; the columns of B and X lie row by row."""
    matrix = copied(nth(m.a, k), shifted(scratch, m.matrix), m.n.value * m.n.value)
    out = copied(nth(m.rows, k), nth(m.out, k), m.n.value * m.count.value)
    pivots = shifted(scratch, m.pivots)
    call(m.getrf, m.n, m.n, matrix, m.n, pivots, info)
    if info[0] != 0:
        return SINGULAR
    call(m.getrs, m.trans, m.n, m.count, matrix, m.n, pivots, out, m.n, info)
    return OK


@matrix_by_matrix
def solve_triangular(m: Any, k: int, scratch: Any, info: Any) -> int:
    """The same for a triangular A, which is read where it lies."""
    out = copied(nth(m.rows, k), nth(m.out, k), m.n.value * m.count.value)
    call(m.trsm, m.side, m.uplo, m.trans, m.diag, m.n, m.count, m.one, nth(m.a, k), m.n, out, m.n)
    return OK


@matrix_by_matrix
def cholesky(m: Any, k: int, scratch: Any, info: Any) -> int:
    """L of A = L L^T, zeros above the diagonal."""
    n = m.n.value
    out = copied(nth(m.a, k), nth(m.out, k), n * n)
    call(m.potrf, m.uplo, m.n, out, m.n, info)
    if info[0] != 0:
        return NOT_POSITIVE
    for i in range(n):  # OpenBLAS takes NaN for positive, and makes 0 of what an infinite root divides
        root = out[i * n + i]
        if root != root or (root == infinity and i < n - 1):
            return NOT_POSITIVE
    for i in range(n):
        for j in range(i + 1, n):
            out[i * n + j] = 0.0
    return OK


@matrix_by_matrix
def lu_diagonal(m: Any, k: int, scratch: Any, info: Any) -> int:
    """The diagonal of U in P A = L U, its first number with the sign of P: their product is the determinant."""
    n, out, pivots = m.n.value, nth(m.out, k), shifted(scratch, m.pivots)
    matrix = copied(nth(m.a, k), shifted(scratch, m.matrix), n * n)
    call(m.getrf, m.n, m.n, matrix, m.n, pivots, info)
    for i in range(n):
        out[i] = matrix[i * n + i]
    if exchanges_are_odd(as_int32(pivots), n):
        out[0] = -out[0]
    return OK


@matrix_by_matrix
def lu(m: Any, k: int, scratch: Any, info: Any) -> int:
    """U above and L below the diagonal of P^T A = L U; which row each was exchanged with, from 1; then which row of A
    came to each place, from 0. LAPACK gets A column by column."""
    rows, columns, count = m.m.value, m.n.value, m.k.value
    a, out, matrix = nth(m.a, k), nth(m.out, k), shifted(scratch, m.matrix)
    pivots = shifted(scratch, m.pivots)
    for i in range(rows):
        for j in range(columns):
            matrix[j * rows + i] = a[i * columns + j]
    call(m.getrf, m.m, m.n, matrix, m.lead, pivots, info)
    for i in range(rows):
        for j in range(columns):
            out[i * columns + j] = matrix[j * rows + i]
    exchanges, order = beyond(out, rows * columns), beyond(out, rows * columns + count)
    for i in range(rows):
        order[i] = number(out, float(i))
    for i in range(count):
        other = as_int32(pivots)[i] - 1
        exchanges[i] = number(out, float(other + 1))
        first = order[i]
        order[i] = order[other]
        order[other] = first
    return OK


@matrix_by_matrix
def adjugate(m: Any, k: int, scratch: Any, info: Any) -> int:
    """det(A) times the inverse. A zero on the diagonal of U is taken for what rounding might have left of it: then the
    inverse is as large as the determinant is small."""
    n, pivots = m.n.value, shifted(scratch, m.pivots)
    out = copied(nth(m.a, k), nth(m.out, k), n * n)
    call(m.getrf, m.n, m.n, out, m.n, pivots, info)
    largest = number(out, 0.0)
    for i in range(n):
        size = abs(out[i * n + i])
        largest = size if size > largest else largest
    scale = largest if largest > 0 else number(out, 1.0)
    tiny = scale * number(out, 2.0**-23 if item_bytes(out) == 4 else 2.0**-52)
    det = number(out, 1.0)
    for i in range(n):
        safe = tiny if out[i * n + i] == 0 else out[i * n + i]
        out[i * n + i] = safe
        det *= safe
    if exchanges_are_odd(as_int32(pivots), n):
        det = -det
    call(m.getri, m.n, out, m.n, pivots, shifted(scratch, m.work), m.lwork, info)
    for i in range(n * n):
        out[i] *= det
    return OK


@matrix_by_matrix
def qr(m: Any, k: int, scratch: Any, info: Any) -> int:
    """A^T = L Q^T: L lies where R does, row by row; the vectors of which Q is made lie beside it."""
    rows, n, columns, out = m.m.value, m.n.value, m.columns.value, nth(m.out, k)
    matrix, tau, work = shifted(scratch, m.matrix), shifted(scratch, m.tau), shifted(scratch, m.work)
    copied(nth(m.a, k), matrix, rows * n)
    call(m.gelqf, m.n, m.m, matrix, m.lead, tau, work, m.lwork, info)
    r = beyond(out, rows * columns)
    for i in range(columns):
        for j in range(n):
            r[i * n + j] = matrix[i * n + j] if j >= i else 0.0
    for i in range(rows):
        for j in range(m.k.value):
            out[i * columns + j] = matrix[i * n + j]
    call(m.orglq, m.columns, m.m, m.k, out, m.columns, tau, work, m.lwork, info)
    return OK


@matrix_by_matrix
def eigh(m: Any, k: int, scratch: Any, info: Any) -> int:
    """Eigenvalues, ascending, then eigenvectors, row by row, where the job is to find them."""
    n, values, work, iwork = m.n.value, nth(m.out, k), shifted(scratch, m.work), shifted(scratch, m.iwork)
    place = beyond(values, n) if m.job.value == VECTORS else shifted(scratch, m.matrix)
    vectors = copied(nth(m.a, k), place, n * n)
    call(m.syevd, m.job, m.uplo, m.n, vectors, m.n, values, work, m.lwork, iwork, m.liwork, info)
    return OK if info[0] == 0 else NOT_CONVERGED


@matrix_by_matrix
def svd(m: Any, k: int, scratch: Any, info: Any) -> int:
    """Singular values, descending, then U, then V^T: LAPACK is told to change U and V, as it sees A transposed."""
    matrix = copied(nth(m.a, k), shifted(scratch, m.matrix), m.m.value * m.n.value)
    values, work, iwork = nth(m.out, k), shifted(scratch, m.work), shifted(scratch, m.iwork)
    u = beyond(values, m.k.value)
    vh = beyond(u, m.left_size.value)
    call(m.gesdd, m.job, m.n, m.m, matrix, m.n, values, vh, m.n, u, m.left, work, m.lwork, iwork, info)
    return OK if info[0] == 0 else NOT_CONVERGED


@njit(nogil=True)
def system(m: Any, k: int, scratch: Any) -> Any:
    """The matrix, column by column, and the right sides, each as long as the longer side of the matrix."""
    rows, n, a, b = m.m.value, m.n.value, nth(m.a, k), nth(m.rows, k)
    matrix, sides = shifted(scratch, m.matrix), shifted(scratch, m.sides)
    for i in range(rows):
        for j in range(n):
            matrix[j * rows + i] = a[i * n + j]
    for j in range(m.count.value):
        for i in range(rows):
            sides[j * m.lead.value + i] = b[j * rows + i]
    return matrix, sides


@njit(nogil=True)
def solution(m: Any, k: int, sides: Any, rank: int) -> None:
    """Write the solutions, which stand where the right sides did, and the rank."""
    n, count, out = m.n.value, m.count.value, nth(m.out, k)
    for j in range(count):
        for i in range(n):
            out[j * n + i] = sides[j * m.lead.value + i]
    out[count * n] = number(out, float(rank))


@matrix_by_matrix
def lstsq_gels(m: Any, k: int, scratch: Any, info: Any) -> int:
    """Least squares by QR or LQ, which take the rank for full."""
    matrix, sides = system(m, k, scratch)
    work = shifted(scratch, m.work)
    call(m.gels, m.trans, m.m, m.n, m.count, matrix, m.m, sides, m.lead, work, m.lwork, info)
    if info[0] != 0:
        return SINGULAR
    solution(m, k, sides, min(m.m.value, m.n.value))
    return OK


@matrix_by_matrix
def lstsq_gelsy(m: Any, k: int, scratch: Any, info: Any) -> int:
    """The same by QR with pivots, as far as the rank goes."""
    matrix, sides = system(m, k, scratch)
    pivots, work, rank = as_int32(shifted(scratch, m.pivots)), shifted(scratch, m.work), beyond(info, 1)
    for j in range(m.n.value):
        pivots[j] = 0  # any column may be exchanged
    call(m.gelsy, m.m, m.n, m.count, matrix, m.m, sides, m.lead, pivots, m.rcond, rank, work, m.lwork, info)
    solution(m, k, sides, rank[0])
    return OK


@matrix_by_matrix
def lstsq_gelsd(m: Any, k: int, scratch: Any, info: Any) -> int:
    """The same by singular values, which follow the rank."""
    matrix, sides = system(m, k, scratch)
    work, iwork, rank = shifted(scratch, m.work), shifted(scratch, m.iwork), beyond(info, 1)
    values = beyond(nth(m.out, k), m.count.value * m.n.value + 1)
    call(m.gelsd, m.m, m.n, m.count, matrix, m.m, sides, m.lead, values, m.rcond, rank, work, m.lwork, iwork, info)
    solution(m, k, sides, rank[0])
    return OK if info[0] == 0 else NOT_CONVERGED
