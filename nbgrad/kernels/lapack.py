"""Kernels that call LAPACK, matrix by matrix. What stands where, ``nbgrad/tape/lapack_words.py`` says.

LAPACK takes matrices column by column, so it sees each of ours transposed, and is asked for what is the same then. The
routines are described in Anderson et al. 1999, "LAPACK Users' Guide".
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import Variable, loop, smaller
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, POINTER, intrinsic, literal, memory_type
from nbgrad.kernels.words import Words
from nbgrad.ops.linear_system import NOT_CONVERGED, NOT_POSITIVE, SINGULAR
from nbgrad.tape.kernel import OK, KernelText
from nbgrad.tape.lapack_words import LAYOUTS, MATRICES, SCRATCH, SCRATCH_BYTES, TOGETHER

_PIVOT_BYTES: Final = 4
_EPSILON: Final = {"float32": 2.0**-23, "float64": 2.0**-52}


def emit_lapack(module: ir.Module, text: KernelText, target: Target) -> Any:
    """One of ``_BODIES`` for each matrix of the items."""
    words = Words(module, text, target)
    builder = words.ir
    with loop(builder, words.begin, words.end) as item:
        first = builder.mul(item, words[TOGETHER])
        last = smaller(builder, builder.add(first, words[TOGETHER]), words[MATRICES])
        with loop(builder, first, last) as matrix:
            _BODIES[text.form](_Matrix(words, text, item, matrix))
    builder.ret(I32(OK))
    return words.function


class _Matrix:
    """Code for one matrix: its memory and numbers by their names, calls of routines."""

    def __init__(self, words: Words, text: KernelText, item: Any, matrix: Any) -> None:
        self.words, self.ir = words, words.ir
        self.dtype: DType = by_name(text.operands[0].dtype)
        self.kind = memory_type(self.dtype)
        self._layout = LAYOUTS[text.form]
        self._item, self._matrix = item, matrix
        self._info = Variable(self.ir, I32)

    def number(self, name: str) -> Any:
        """A number that the tape tells."""
        return self.words[self._layout.word(name)]

    def data(self, name: str) -> Any:
        """The address, an int64, of this matrix in an operand, or of a part of the item's scratch."""
        builder, word = self.ir, self._layout.word(name)
        if name in self._layout.scratch:
            mine = builder.add(self.words[SCRATCH], builder.mul(self._item, self.words[SCRATCH_BYTES]))
            return builder.add(mine, self.words[word])
        return builder.add(self.words[word], builder.mul(self._matrix, self.words[word + 1]))

    def beyond(self, address: Any, elements: Any) -> Any:
        """The address so many elements further."""
        return self.ir.add(address, self.ir.mul(elements, I64(self.dtype.itemsize)))

    def call(self, routine: str, *arguments: Any, refusal: int | None = None) -> None:
        """Call ``routine`` with numbers and memory by their names, or addresses; unless it is of BLAS ("trsm") its
        last argument says how it went. Where that is not well the kernel fails with ``refusal``, if there is one."""
        builder = self.ir
        given = [self._pointer(x) if isinstance(x, str) else builder.inttoptr(x, POINTER) for x in arguments]
        if routine != "trsm":
            self._info.set(I32(0))
            given.append(self._info.place)
        kind = ir.FunctionType(ir.VoidType(), [POINTER] * len(given))
        builder.call(ir.Pointed(kind, builder.inttoptr(self.number(routine), POINTER)), given)
        if refusal is not None:
            with builder.if_then(builder.icmp_signed("!=", self._info.get(), I32(0)), is_rare=True):
                builder.ret(I32(refusal))

    def _pointer(self, name: str) -> Any:
        if name in self._layout.numbers:
            return self.ir.gep(self.words.desc, [I64(self._layout.word(name))], source_etype=I64)
        return self.ir.inttoptr(self.data(name), POINTER)

    def load(self, address: Any, place: Any) -> Any:
        return self.ir.load(self.ir.inttoptr(self.beyond(address, place), POINTER), typ=self.kind)

    def store(self, value: Any, address: Any, place: Any) -> None:
        self.ir.store(value, self.ir.inttoptr(self.beyond(address, place), POINTER))

    def constant(self, value: float) -> Any:
        return ir.FormattedConstant(self.kind, literal(value, self.dtype))

    def copy(self, source: Any, target: Any, elements: Any) -> None:
        with loop(self.ir, I64(0), elements) as i:
            self.store(self.load(source, i), target, i)

    def copied(self, name: str, target: Any, *sizes: str) -> None:
        """Copy an input of ``sizes``."""
        first, *others = [self.number(size) for size in sizes]
        for size in others:
            first = self.ir.mul(first, size)
        self.copy(self.data(name), target, first)

    def exchanges_are_odd(self) -> Any:
        """Whether the pivots exchange rows an odd number of times."""
        builder, odd = self.ir, Variable(self.ir, I32, I32(0))
        with loop(builder, I64(0), self.number("n")) as i:
            at = builder.add(self.data("pivots"), builder.mul(i, I64(_PIVOT_BYTES)))
            own = builder.trunc(builder.add(i, I64(1)), I32)
            moved = builder.icmp_signed("!=", builder.load(builder.inttoptr(at, POINTER), typ=I32), own)
            odd.set(builder.xor(odd.get(), builder.zext(moved, I32)))
        return builder.icmp_signed("!=", odd.get(), I32(0))

    def on_diagonal(self, i: Any) -> Any:
        return self.ir.mul(i, self.ir.add(self.number("n"), I64(1)))


def _inv(m: _Matrix) -> None:
    m.copied("a", m.data("out"), "n", "n")
    m.call("getrf", "n", "n", "out", "n", "pivots", refusal=SINGULAR)
    m.call("getri", "n", "out", "n", "pivots", "work", "lwork")


def _solve(m: _Matrix) -> None:
    m.copied("a", m.data("matrix"), "n", "n")
    m.copied("rows", m.data("out"), "n", "count")
    m.call("getrf", "n", "n", "matrix", "n", "pivots", refusal=SINGULAR)
    m.call("getrs", "trans", "n", "count", "matrix", "n", "pivots", "out", "n")


def _solve_triangular(m: _Matrix) -> None:
    m.copied("rows", m.data("out"), "n", "count")
    m.call("trsm", "side", "uplo", "trans", "diag", "n", "count", "one", "a", "n", "out", "n")


def _cholesky(m: _Matrix) -> None:
    builder, out, n = m.ir, m.data("out"), m.number("n")
    m.copied("a", out, "n", "n")
    m.call("potrf", "uplo", "n", "out", "n", refusal=NOT_POSITIVE)
    last = builder.sub(n, I64(1))
    with loop(builder, I64(0), n) as i:  # OpenBLAS takes NaN for positive, and makes 0 of what an infinite root divides
        root = m.load(out, m.on_diagonal(i))
        divides = builder.icmp_signed("<", i, last)
        infinite = builder.and_(divides, builder.fcmp_ordered("==", root, m.constant(inf)))
        unfit = builder.or_(infinite, builder.fcmp_unordered("!=", root, root))
        with builder.if_then(unfit, is_rare=True):
            builder.ret(I32(NOT_POSITIVE))
    with loop(builder, I64(0), n) as i, loop(builder, builder.add(i, I64(1)), n) as j:
        m.store(m.constant(0.0), out, builder.add(builder.mul(i, n), j))


def _lu_diagonal(m: _Matrix) -> None:
    builder, matrix, out = m.ir, m.data("matrix"), m.data("out")
    m.copied("a", matrix, "n", "n")
    m.call("getrf", "n", "n", "matrix", "n", "pivots")
    with loop(builder, I64(0), m.number("n")) as i:
        m.store(m.load(matrix, m.on_diagonal(i)), out, i)
    with builder.if_then(m.exchanges_are_odd()):
        m.store(builder.fneg(m.load(out, I64(0))), out, I64(0))


def _adjugate(m: _Matrix) -> None:
    """det(A) times the inverse. A zero on the diagonal of U is taken for what rounding might have left of it: then the
    inverse is as large as the determinant is small."""
    builder, out, n = m.ir, m.data("out"), m.number("n")
    m.copied("a", out, "n", "n")
    m.call("getrf", "n", "n", "out", "n", "pivots")
    zero, one = m.constant(0.0), m.constant(1.0)
    size = intrinsic(builder.module, f"llvm.fabs.f{8 * m.dtype.itemsize}", m.kind, [m.kind])
    largest, det = Variable(builder, m.kind, zero), Variable(builder, m.kind, one)
    with loop(builder, I64(0), n) as i:
        here = builder.call(size, [m.load(out, m.on_diagonal(i))])
        largest.set(builder.select(builder.fcmp_ordered(">", here, largest.get()), here, largest.get()))
    scale = builder.select(builder.fcmp_ordered(">", largest.get(), zero), largest.get(), one)
    tiny = builder.fmul(scale, m.constant(_EPSILON[m.dtype.name]))
    with loop(builder, I64(0), n) as i:
        here = m.load(out, m.on_diagonal(i))
        safe = builder.select(builder.fcmp_ordered("==", here, zero), tiny, here)
        m.store(safe, out, m.on_diagonal(i))
        det.set(builder.fmul(det.get(), safe))
    with builder.if_then(m.exchanges_are_odd()):
        det.set(builder.fneg(det.get()))
    m.call("getri", "n", "out", "n", "pivots", "work", "lwork")
    with loop(builder, I64(0), builder.mul(n, n)) as i:
        m.store(builder.fmul(m.load(out, i), det.get()), out, i)


def _qr(m: _Matrix) -> None:
    """A^T = L Q^T: L lies where R does, row by row; the vectors of which Q is made lie beside it."""
    builder, matrix, out, zero = m.ir, m.data("matrix"), m.data("out"), m.constant(0.0)
    rows, n, columns = m.number("m"), m.number("n"), m.number("columns")
    m.copied("a", matrix, "m", "n")
    m.call("gelqf", "n", "m", "matrix", "lead", "tau", "work", "lwork")
    r = m.beyond(out, builder.mul(rows, columns))
    with loop(builder, I64(0), columns) as i, loop(builder, I64(0), n) as j:
        place = builder.add(builder.mul(i, n), j)
        inside = builder.icmp_signed(">=", j, i)
        m.store(builder.select(inside, m.load(matrix, place), zero), r, place)
    with loop(builder, I64(0), rows) as i, loop(builder, I64(0), m.number("k")) as j:
        m.store(m.load(matrix, builder.add(builder.mul(i, n), j)), out, builder.add(builder.mul(i, columns), j))
    m.call("orglq", "columns", "m", "k", "out", "columns", "tau", "work", "lwork")


def _eigh(m: _Matrix) -> None:
    vectors = m.beyond(m.data("out"), m.number("n"))
    m.copied("a", vectors, "n", "n")
    values = "out"
    m.call(
        *("syevd", "job", "uplo", "n", vectors, "n", values, "work", "lwork", "iwork", "liwork"), refusal=NOT_CONVERGED
    )


def _svd(m: _Matrix) -> None:
    m.copied("a", m.data("matrix"), "m", "n")
    u = m.beyond(m.data("out"), m.number("k"))
    vh = m.beyond(u, m.number("left_size"))
    m.call(
        *("gesdd", "job", "n", "m", "matrix", "n", "out", vh, "n", u, "left", "work", "lwork", "iwork"),
        refusal=NOT_CONVERGED,
    )


_BODIES: Final[dict[str, Callable[[_Matrix], None]]] = {
    "inv": _inv,
    "solve": _solve,
    "solve_triangular": _solve_triangular,
    "cholesky": _cholesky,
    "lu_diagonal": _lu_diagonal,
    "adjugate": _adjugate,
    "qr": _qr,
    "qr_complete": _qr,
    "eigh": _eigh,
    "svd": _svd,
}
