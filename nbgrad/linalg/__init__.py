"""``nbgrad.linalg``: linear algebra with derivatives, with PyTorch's names; LAPACK computes it.

Each call of LAPACK has one thread of OpenBLAS, whatever the user has set for his own calls of NumPy and SciPy, which is
as before afterwards: small matrices wait for no thread, and bits do not depend on the number. Matrices of a batch are
shared by nbgrad's own threads. ``NBGRAD_LAPACK_THREADS`` gives large matrices more.
"""

from collections.abc import Callable
from functools import partial
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
from nbgrad.system.imports import import_module
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import Later

# By file of this room: functions that few programs use.
_LATER = {
    "complex_factors": "eig eigvals",
    "exponential": "matrix_exp",
    "householder": "householder_product",
    "triangular_factors": "lu lu_factor lu_factor_ex lu_solve",
    "symmetric": "ldl_factor ldl_factor_ex ldl_solve",
    "unchecked": "cholesky_ex inv_ex solve_ex",
}
_FILES = {name: file for file, names in _LATER.items() for name in names.split()}

__all__ = [
    *sorted(_FILES),
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


# Names in nbgrad, most of which are methods, too.
_OLDER = (
    "chain_matmul cholesky geqrf lu lu_solve lu_unpack matrix_exp orgqr ormqr pca_lowrank qr svd svd_lowrank "
    "triangular_solve"
)
OLDER = frozenset(_OLDER.split())


def _older(name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(import_module("nbgrad.linalg.older"), name)
    return made


for _name in OLDER:
    if _name not in ("chain_matmul", "lu_unpack", "pca_lowrank", "svd_lowrank"):
        setattr(Tensor, _name, Later(Tensor, _name, partial(_older, _name)))


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return globals().setdefault(name, getattr(import_module(f"nbgrad.linalg.{_FILES[name]}"), name))
    raise AbsentError("module 'nbgrad.linalg'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
