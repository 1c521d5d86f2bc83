"""Functions of vectors: norms of slices and of differences (renorm, pdist), cross products, powers (vander)."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.functions.ramps import arange
from nbgrad.graph.dtypes import float64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import local, record, require_writable, tensor_of, threads, write_checked


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of the differences between each two rows of a matrix, as a vector: rows 0 and 1, 0 and 2, ...

    RuntimeError for another number of dims, and a negative p.

    >>> nbgrad.pdist(nbgrad.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]]))
    tensor([5., 4., 3.])
    """
    x: Any = tensor_of("pdist", "input", input)
    order = float_of("pdist", "p", p)
    if x.dim() != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {x.dim()}D")
    if not x.is_floating_point():
        raise DTypeError(f"pdist only supports floating-point dtypes, got {x.dtype.name}")
    if order < 0:
        raise RunError("pdist only supports non-negative p values")
    n = x.shape[0]
    # From the last pair on, row n - 2 - k has k + 1 pairs: k (k + 1) / 2 are behind them.
    behind = arange(n * (n - 1) // 2 - 1, -1, -1, device=x.device)
    k = (((behind * 8 + 1).to(float64).sqrt() - 1.0) * 0.5).long()
    first, second = n - 2 - k, n - 1 - (behind - (k * (k + 1) >> 1))
    if order == 2 or not x.shape[1]:  # all pairs; of other norms the derivative would take longer so
        whole = record(CALLS["cdist"], (x, x), (order, None))
        return whole.reshape(-1).index_select(0, first * n + second)  # type: ignore[no-any-return]
    away = x.index_select(0, first) - x.index_select(0, second)
    return record(CALLS["vector_norm"], (away,), (order, (1,), False, None))  # type: ignore[no-any-return]


@numpy_names
@writes_out("renorm")
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """``input``, with each slice along ``dim`` whose p-norm is above ``maxnorm`` scaled down to that norm.

    RuntimeError for fewer than two dims, a p that is not positive and a negative ``maxnorm``.

    >>> nbgrad.renorm(nbgrad.tensor([[3.0, 4.0], [0.6, 0.8]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.6000, 0.8000]])
    """
    x: Any = tensor_of("renorm", "input", input)
    order, most = float_of("renorm", "p", p), float_of("renorm", "maxnorm", maxnorm)
    if order <= 0:
        raise RunError("renorm: non-positive-norm not supported")
    if most < 0:
        raise RunError(f"renorm: expected maxnorm to be >= 0 but got {most}")
    if x.dim() < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {x.dim()} dimensions")
    d = one_dim("renorm", int_of("renorm", "dim", dim), x.dim())
    others = tuple([k for k in range(x.dim()) if k != d])
    norm = record(CALLS["vector_norm"], (x,), (order, others, True, None))
    return x * record(CALLS["where"], (norm > most, most / (norm + 1e-7), 1.0))  # type: ignore[no-any-return]


def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """In-place version of :func:`nbgrad.renorm`."""
    require_writable(local.trace, self, "renorm_")
    with threads.lock:
        write_checked(self, lambda: renorm(self, p, dim, maxnorm), "renorm_")
    return self


@numpy_names
@writes_out("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of 3 elements along ``dim``, for None the first dim of that size; the other dims
    broadcast. RuntimeError for other sizes, and other numbers of dims.

    >>> nbgrad.cross(nbgrad.tensor([1, 0, 0]), nbgrad.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    a: Any = tensor_of("cross", "input", input)
    b: Any = tensor_of("cross", "other", other)
    if a.dim() != b.dim():
        raise ShapeError("cross: inputs must have the same number of dimensions.")
    if a.dtype is not b.dtype:
        raise DTypeError(f"cross: expected one dtype, got {a.dtype.name} and {b.dtype.name}")
    if dim is None:
        if 3 not in a.shape:
            raise ShapeError("cross: no dimension of size 3 in input")
        dim = a.shape.index(3)
    d = one_dim("cross", int_of("cross", "dim", dim), a.dim())
    if a.shape[d : d + 1] != (3,) or b.shape[d] != 3:
        raise ShapeError(f"cross: inputs dimension {dim} must have length 3. Got {list(a.shape)} and {list(b.shape)}")
    return a.roll(-1, d) * b.roll(-2, d) - a.roll(-2, d) * b.roll(-1, d)  # type: ignore[no-any-return]


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The first ``N`` powers of each element of a vector (as many as elements for None), a row for each, from the
    highest; with ``increasing``, from the 0th. RuntimeError for another number of dims and a negative ``N``.

    >>> nbgrad.vander(nbgrad.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    given: Any = tensor_of("vander", "x", x)
    if given.dim() != 1:
        raise ShapeError("vander(): x must be a one-dimensional tensor.")
    count = given.numel() if N is None else int_of("vander", "N", N)
    if count < 0:
        raise RunError("vander(): N must be non-negative.")
    rows = given.unsqueeze(-1).expand(given.numel(), max(count - 1, 0)).cumprod(-1)
    powers = record(CALLS["cat"], (rows.new_ones(given.numel(), min(count, 1)), rows), (1,))
    return powers if flag_of("vander", "increasing", increasing) else powers.flip(1)  # type: ignore[no-any-return]
