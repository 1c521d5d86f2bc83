"""``nbgrad.linalg``: linear algebra with derivatives, with PyTorch's names; LAPACK computes it."""

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.errors import LinAlgError
from nbgrad.linalg.factors import eigh, eigvalsh, lstsq, matrix_rank, pinv, qr, svd, svdvals
from nbgrad.linalg.norms import cond, matrix_norm, norm, vector_norm
from nbgrad.linalg.products import cross, diagonal, matmul, multi_dot, vander, vecdot
from nbgrad.linalg.systems import (
    cholesky,
    det,
    inv,
    matrix_power,
    slogdet,
    solve,
    solve_triangular,
    tensorinv,
    tensorsolve,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.linalg'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
