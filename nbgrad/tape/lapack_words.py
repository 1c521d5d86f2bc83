"""The words of kernels that call LAPACK, by name. An item is a few matrices.

The descriptor has: matrices of an item, matrices in all, bytes of an item's scratch, the library
(``nbgrad/tape/blas.py``), the scratch; then of each input, and of the result, the address and the bytes of one matrix;
then numbers, places in the scratch, and addresses of routines. LAPACK takes the addresses of its arguments: that of a
number is its word's.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Layout(NamedTuple):
    """The names of a form's words. ``inputs`` and ``out`` are matrices, ``scratch`` parts of the scratch."""

    inputs: tuple[str, ...]
    numbers: tuple[str, ...]
    scratch: tuple[str, ...]
    routines: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the words after those of operands."""
        return (*self.numbers, *self.scratch, *self.routines)


_QR: Final = Layout(("a",), ("m", "n", "lead", "k", "columns", "lwork"), ("matrix", "tau", "work"), ("gelqf", "orglq"))
_LSTSQ_NUMBERS: Final = ("m", "n", "count", "lead", "lwork", "rcond")
_SVD_NUMBERS: Final = ("m", "n", "job", "k", "left", "left_size", "lwork")
LAYOUTS: Final[dict[str, Layout]] = {
    "inv": Layout(("a",), ("n", "lwork"), ("pivots", "work"), ("getrf", "getri")),
    "solve": Layout(("a", "rows"), ("n", "count", "trans"), ("matrix", "pivots"), ("getrf", "getrs")),
    "solve_triangular": Layout(("a", "rows"), ("n", "count", "side", "uplo", "trans", "diag", "one"), (), ("trsm",)),
    "cholesky": Layout(("a",), ("n", "uplo"), (), ("potrf",)),
    "lu_diagonal": Layout(("a",), ("n",), ("matrix", "pivots"), ("getrf",)),
    "lu": Layout(("a",), ("m", "n", "lead", "k"), ("matrix", "pivots"), ("getrf",)),
    "adjugate": Layout(("a",), ("n", "lwork"), ("pivots", "work"), ("getrf", "getri")),
    **dict.fromkeys(("qr", "qr_complete"), _QR),
    "eigh": Layout(("a",), ("n", "job", "uplo", "lwork", "liwork"), ("matrix", "work", "iwork"), ("syevd",)),
    "lstsq_gels": Layout(("a", "rows"), ("trans", *_LSTSQ_NUMBERS), ("matrix", "sides", "work"), ("gels",)),
    "lstsq_gelsy": Layout(("a", "rows"), _LSTSQ_NUMBERS, ("matrix", "sides", "work", "pivots"), ("gelsy",)),
    "lstsq_gelsd": Layout(("a", "rows"), _LSTSQ_NUMBERS, ("matrix", "sides", "work", "iwork"), ("gelsd",)),
    "svd": Layout(("a",), _SVD_NUMBERS, ("matrix", "work", "iwork"), ("gesdd",)),
}
