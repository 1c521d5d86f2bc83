"""Operators that LAPACK computes: what their kernels are told, as ``nbgrad/tape/lapack_words.py`` says.

A tape is told addresses of SciPy's routines, as it is of memory, so compiled code calls one without Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from math import prod
from typing import Any, Final, NamedTuple

from nbgrad.errors import RunError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node
from nbgrad.tape.blas import of_scipy
from nbgrad.tape.block import ARENA
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.capsules import exported, opened
from nbgrad.tape.lapack_words import LAYOUTS
from nbgrad.tape.numbers import word_of
from nbgrad.tape.operands import contiguous
from nbgrad.tape.work import PS_PER_FLOP

ITEM_PS: Final = 100_000_000  # of work in an item: enough to be worth a call, few enough to be shared
MOST_ITEMS: Final = 64  # each of which has scratch of its own
CALL_PS: Final = 500_000  # of a routine with hardly anything to do
ALIGNED: Final = 64  # bytes, where a part of the scratch may begin
_PIVOT: Final = 4  # bytes
_QUERY: Final = -1  # a size of memory that asks for the best one


class _Told(NamedTuple):
    """What a kernel is told: numbers, bytes of the parts of its scratch, and about how many operations a matrix is."""

    numbers: Mapping[str, int]
    scratch: Mapping[str, int]
    flops: float


def lower_lapack(t: TapeBuilder, node: Node) -> None:
    """One instruction for all matrices of ``node``."""
    layout, told = LAYOUTS[node.op.name], _TOLD[node.op.name](node)
    given = [contiguous(t, x, "LAPACK") if x.spec.size else None for x in node.inputs]
    dtype, batch = node.spec.dtype, prod(node.inputs[0].spec.shape[:-2])
    block = t.value_block(node)
    if not node.spec.size:
        return
    cost = int(told.flops * PS_PER_FLOP[dtype.name]) + CALL_PS * len(layout.routines)
    together = max(1, min(batch, ITEM_PS // cost), -(-batch // MOST_ITEMS))
    items = -(-batch // together)
    places, size = _places(told.scratch)
    scratch = t.temporary(max(size * items, ALIGNED), ARENA)
    arguments = [Argument(scratch.start, dtype, writes=True)]
    for source, x in zip(given, node.inputs, strict=True):  # of no elements: nothing is read there
        arguments.append(Argument(source or block.start, dtype, [prod(x.spec.shape[-2:]) * dtype.itemsize]))
    library = ctypes.addressof(of_scipy())
    routines = {name: address(name, dtype) for name in layout.routines}
    words = {**told.numbers, **places, **routines}
    last = [node.spec.size_bytes // batch, *[words[name] for name in layout.named]]
    arguments.append(Argument(block.start, dtype, last, writes=True))
    t.library(node.op.name, node, [together, batch, size, library], arguments, items, cost * together, 1)


def _places(parts: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Where each part of the scratch begins, and the size of the whole."""
    places, size = {}, 0
    for name, nbytes in parts.items():
        places[name] = size
        size += -(-nbytes // ALIGNED) * ALIGNED
    return places, size


def _work(routine: str, node: Node, *given: int | None) -> int:
    return work_elements(routine, node.spec.dtype, *given)


@cache
def address(routine: str, dtype: DType) -> int:
    """Where ``routine`` (a name without the letter of its dtype) starts."""
    name = ("s" if dtype.itemsize == 4 else "d") + routine
    tables = exported("linalg.cython_blas"), exported("linalg.cython_lapack")
    signature, found = opened(next(table[name] for table in tables if name in table))
    if " int *" not in signature.replace("(int", " int"):
        raise RunError(f"{name}: SciPy's LAPACK counts by other integers than of 32 bits: {signature}")
    return found


@lru_cache(maxsize=1024)
def work_elements(routine: str, dtype: DType, *given: int | None) -> int:
    """How many elements of memory ``routine`` works best with. ``given``: its arguments, letters as their codes, None
    for arrays; the last of these before _QUERY is the memory itself."""
    kind = ctypes.c_float if dtype.itemsize == 4 else ctypes.c_double
    arguments: list[Any] = [kind() if one is None else ctypes.c_int64(one) for one in given]
    best = arguments[given.index(_QUERY) - 1]
    pointers = [ctypes.addressof(one) for one in arguments]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(address(routine, dtype))(*pointers)
    return int(best.value * (1 + 1e-6)) + 1  # float32 may have rounded it down


def _inverse(node: Node) -> _Told:
    n, size = node.spec.shape[-1], node.spec.dtype.itemsize
    lwork = _work("getri", node, n, None, n, None, None, -1, 0)
    return _Told({"n": n, "lwork": lwork}, {"pivots": n * _PIVOT, "work": lwork * size}, 2 * n**3)


def _solve(node: Node) -> _Told:
    count, n = node.spec.shape[-2:]
    scratch = {"matrix": n * n * node.spec.dtype.itemsize, "pivots": n * _PIVOT}
    return _Told({"n": n, "count": count, "trans": ord("T")}, scratch, n**3 + 2 * count * n * n)


def _solve_triangular(node: Node) -> _Told:
    """LAPACK sees A transposed, so it is asked to solve A^T with the other triangle."""
    (upper, unit), (count, n) = node.params, node.spec.shape[-2:]
    one = int.from_bytes(word_of(1.0, node.spec.dtype), "little")
    letters = {"side": "L", "uplo": "L" if upper else "U", "trans": "T", "diag": "U" if unit else "N"}
    numbers = {name: ord(letter) for name, letter in letters.items()}
    return _Told({"n": n, "count": count, "one": one, **numbers}, {}, count * n * n)


def _cholesky(node: Node) -> _Told:
    n = node.spec.shape[-1]
    return _Told({"n": n, "uplo": ord("U")}, {}, n**3 / 3)


def _lu_diagonal(node: Node) -> _Told:
    n = node.spec.shape[-1]
    return _Told({"n": n}, {"matrix": n * n * node.spec.dtype.itemsize, "pivots": n * _PIVOT}, n**3)


def _lu(node: Node) -> _Told:
    """LAPACK gets A column by column, so its columns are m apart, 1 at least."""
    m, n = node.inputs[0].spec.shape[-2:]
    k = min(m, n)
    scratch = {"matrix": m * n * node.spec.dtype.itemsize, "pivots": k * _PIVOT}
    return _Told({"m": m, "n": n, "lead": max(m, 1), "k": k}, scratch, m * n * max(k, 1))


def _qr(node: Node) -> _Told:
    """A^T = L Q^T: ``columns`` is how many Q has, ``lead`` the distance of rows, 1 at least."""
    m, n = node.inputs[0].spec.shape[-2:]
    k, lead, size = min(m, n), max(n, 1), node.spec.dtype.itemsize
    columns = m if node.op.name == "qr_complete" else k
    lwork = _work("gelqf", node, n, m, None, lead, None, None, -1, 0)
    lwork = max(lwork, _work("orglq", node, columns, m, k, None, max(columns, 1), None, None, -1, 0))
    numbers = {"m": m, "n": n, "lead": lead, "k": k, "columns": columns, "lwork": lwork}
    return _Told(numbers, {"matrix": m * n * size, "tau": k * size, "work": lwork * size}, 4 * m * n * max(k, 1))


def _eigh(node: Node) -> _Told:
    """LAPACK sees A transposed: the other triangle. Where only values are wanted, it works on a copy."""
    is_alone = node.params[1:] == (True,)
    n, size = node.inputs[0].spec.shape[-1], node.spec.dtype.itemsize
    job, uplo = ord("N" if is_alone else "V"), ord("L" if node.params[0] else "U")
    liwork = 3 + 5 * n  # as the routine's description says
    lwork = _work("syevd", node, job, uplo, n, None, n, None, None, -1, 0, liwork, 0)
    numbers = {"n": n, "job": job, "uplo": uplo, "lwork": lwork, "liwork": liwork}
    scratch = {"matrix": n * n * size if is_alone else 0, "work": lwork * size, "iwork": liwork * _PIVOT}
    return _Told(numbers, scratch, (3 if is_alone else 9) * n**3)


def _svd(node: Node) -> _Told:
    """LAPACK sees A^T = V S U^T: its left vectors are V, n rows, and its right ones U^T, ``left`` rows; none of either
    where only singular values are wanted."""
    m, n = node.inputs[0].spec.shape[-2:]
    k, size = min(m, n), node.spec.dtype.itemsize
    (full,) = node.params
    left, right = (1, 0) if full is None else (m, n) if full else (k, k)
    job = ord("N" if full is None else "A" if full else "S")
    lwork = _work("gesdd", node, job, n, m, None, n, None, None, n, None, left, None, -1, None, 0)
    numbers = {"m": m, "n": n, "job": job, "k": k, "left": left, "left_size": m * left, "lwork": lwork}
    scratch = {"matrix": m * n * size, "work": lwork * size, "iwork": 8 * k * _PIVOT}
    return _Told(numbers, scratch, (4 if full is None else 20) * m * n * k + right)


def _lstsq(node: Node) -> _Told:
    """LAPACK gets A column by column, and writes solutions over right sides, which are ``lead`` apart."""
    (m, n), (count, _), driver = node.inputs[0].spec.shape[-2:], node.inputs[1].spec.shape[-2:], node.op.name[-5:]
    k, lead, size = min(m, n), max(m, n), node.spec.dtype.itemsize
    system = m, n, count, None, m, None, lead
    if driver == "_gels":
        lwork, others = _work("gels", node, ord("N"), *system, None, -1, 0), {}
    elif driver == "gelsy":
        lwork, others = _work("gelsy", node, *system, None, None, None, None, -1, 0), {"pivots": n * _PIVOT}
    else:
        lwork = _work("gelsd", node, *system, None, None, None, None, -1, None, 0)
        others = {"iwork": (3 * k.bit_length() + 11) * k * _PIVOT}  # no less than the routine's description says
    rcond = int.from_bytes(word_of(node.params[0], node.spec.dtype), "little")
    numbers = {"m": m, "n": n, "count": count, "lead": lead, "lwork": lwork, "rcond": rcond, "trans": ord("N")}
    scratch = {"matrix": m * n * size, "sides": lead * count * size, "work": lwork * size, **others}
    return _Told(numbers, scratch, (20 if driver == "gelsd" else 4) * m * n * k + 4 * m * n * count)


_TOLD: Final[dict[str, Callable[[Node], _Told]]] = {
    "inv": _inverse,
    "solve": _solve,
    "solve_triangular": _solve_triangular,
    "cholesky": _cholesky,
    "lu_diagonal": _lu_diagonal,
    "lu": _lu,
    "adjugate": _inverse,
    "qr": _qr,
    "qr_complete": _qr,
    "eigh": _eigh,
    "svd": _svd,
    **dict.fromkeys(("lstsq_gels", "lstsq_gelsy", "lstsq_gelsd"), _lstsq),
}
