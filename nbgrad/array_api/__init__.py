"""``nbgrad.array_api``: the array API standard 2024.12 for tensors, with derivatives.

>>> from nbgrad import array_api as xp
>>> x = xp.asarray([3.0, 4.0]).requires_grad_()
>>> xp.linalg.vector_norm(x).backward()
>>> x.grad
tensor([0.6000, 0.8000])
"""

from math import e, inf, nan, pi

from nbgrad.array_api import fft, linalg, special
from nbgrad.array_api.creation import arange, asarray, empty, eye, full, linspace, meshgrid, ones, tril, triu, zeros
from nbgrad.array_api.dtypes import astype, can_cast, finfo, iinfo, isdtype
from nbgrad.array_api.elementwise import DECLARED, clip, conj, imag, nextafter, positive, pow, real, round, sign
from nbgrad.array_api.information import __array_namespace_info__
from nbgrad.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from nbgrad.array_api.promotion import result_type
from nbgrad.array_api.searching import (
    argmax,
    argmin,
    argsort,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from nbgrad.array_api.shapes import (
    broadcast_arrays,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    take,
    take_along_axis,
    tile,
    unstack,
)
from nbgrad.array_api.statistics import (
    all,
    any,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from nbgrad.functions import empty_like, from_dlpack, full_like, ones_like, zeros_like
from nbgrad.graph.dtypes import bool_, complex64, complex128, float32, float64, int8, int16, int32, int64, uint8

__array_api_version__ = "2024.12"

newaxis = None
bool = bool_
globals().update(DECLARED)

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "astype",
    "bool",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "e",
    "empty",
    "empty_like",
    "expand_dims",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float32",
    "float64",
    "from_dlpack",
    "full",
    "full_like",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "linalg",
    "linspace",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "meshgrid",
    "min",
    "moveaxis",
    "nan",
    "newaxis",
    "nextafter",
    "nonzero",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "sort",
    "special",
    "squeeze",
    "stack",
    "std",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "uint8",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
__all__ += [*DECLARED]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
