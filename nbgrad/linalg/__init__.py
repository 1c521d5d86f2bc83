"""``nbgrad.linalg``: linear algebra with derivatives, with PyTorch's names; LAPACK computes it."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
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
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import Later

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


OLDER = ("cholesky", "qr", "triangular_solve", "chain_matmul")  # names in nbgrad; the first three are methods


def _older(name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(import_module("nbgrad.linalg.older"), name)
    return made


for _name in OLDER[:3]:
    setattr(Tensor, _name, Later(Tensor, _name, partial(_older, _name)))


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.linalg'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
