"""Products of vectors and matrices in the shapes of ``nbgrad.linalg``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from nbgrad.calls.arguments import int_of, refused
from nbgrad.calls.base import CALLS, errors_name, one_dim
from nbgrad.errors import DTypeError, DTypeNotImplementedError, RunError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import bool_
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

matmul = function_of(CALLS["matmul"])


@writes_out("linalg.vecdot")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The sums of conj(x) * y along ``dim``, in the dtype of x * y. They broadcast, but for two vectors of different
    lengths: RuntimeError.

    >>> nbgrad.linalg.vecdot(nbgrad.tensor([[1.0, 2.0], [3.0, 4.0]]), nbgrad.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    a, b = tensor_of("linalg.vecdot", "x", x), tensor_of("linalg.vecdot", "y", y)
    if a.dim() == b.dim() == 1 and a.shape != b.shape:
        raise ShapeError(f"linalg.vecdot: vectors have different lengths: {len(a)} and {len(b)}")
    with errors_name("linalg.vecdot"):
        products = a.conj() * b
    return products.sum(dim, dtype=products.dtype)  # type: ignore[no-any-return]


@writes_out("linalg.cross")
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements along ``dim``; the other dims broadcast. RuntimeError for other sizes
    and for two dtypes, NotImplementedError for bools.

    >>> nbgrad.linalg.cross(nbgrad.tensor([1.0, 0.0, 0.0]), nbgrad.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    a, b = tensor_of("linalg.cross", "input", input), tensor_of("linalg.cross", "other", other)
    if a.dim() != b.dim():
        raise ShapeError("linalg.cross: inputs must have the same number of dimensions.")
    if not a.dim():
        raise TensorIndexError(f"linalg.cross: Dimension specified as {dim} but tensor has no dimensions")
    d = one_dim("linalg.cross", dim, a.dim())
    if a.shape[d] != 3 or b.shape[d] != 3:
        raise RunError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[d]} and {b.shape[d]}")
    if a.dtype is not b.dtype:
        raise DTypeError(f"linalg.cross: expected one dtype, got {a.dtype.name} and {b.dtype.name}")
    if a.dtype is bool_:
        raise DTypeNotImplementedError("linalg.cross: not implemented for bool")
    x, y = ([t.select(d, k) for k in range(3)] for t in (a, b))
    rows = tuple([x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2] for k in range(3)])
    return record(CALLS["stack"], rows, (d,))  # type: ignore[no-any-return]


@writes_out("linalg.multi_dot")
def multi_dot(tensors: Any) -> Tensor:
    """The product of two or more matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors: a row and a column. Source: Cormen et al., "Introduction to Algorithms",
    matrix-chain multiplication.

    >>> a, b = nbgrad.ones(2, 3), nbgrad.ones(3, 4)
    >>> nbgrad.linalg.multi_dot([a, b, nbgrad.ones(4)])
    tensor([12., 12.])
    """
    name = "linalg.multi_dot"
    if not isinstance(tensors, (tuple, list)):
        raise refused(name, "tensors", tensors, "tuple of Tensors")
    chain = [tensor_of(name, "tensors", x) for x in tensors]
    if len(chain) < 2:
        raise RunError(f"{name}(): expected at least 2 tensors but got {len(chain)}")
    first, last = chain[0], chain[-1]
    chain = [
        first.unsqueeze(0) if first.dim() == 1 else first,
        *chain[1:-1],
        last.unsqueeze(-1) if last.dim() == 1 else last,
    ]
    for k, x in enumerate(chain):
        if x.dim() != 2:
            raise ShapeError(f"{name}(): tensor {k} must be 2D but got {x.dim()}D")
    for k, (a, b) in enumerate(pairwise(chain)):
        if a.shape[1] != b.shape[0]:
            raise ShapeError(
                f"{name}(): tensors {k} and {k + 1} cannot be multiplied: {list(a.shape)} and {list(b.shape)}"
            )
    cuts = _best_cuts([chain[0].shape[0], *[x.shape[1] for x in chain]])
    result = _multiplied(chain, cuts, 0, len(chain) - 1)
    if last.dim() == 1:
        result = result.squeeze(-1)
    return result.squeeze(0) if first.dim() == 1 else result


def _best_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """After which matrix the product of those from i to j is best cut, where matrix k is sizes[k] by sizes[k + 1]."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            ways = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], cuts[i, j] = min(ways)
    return cuts


def _multiplied(chain: list[Tensor], cuts: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return chain[i]
    k = cuts[i, j]
    left, right = _multiplied(chain, cuts, i, k), _multiplied(chain, cuts, k + 1, j)
    return left @ right


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers 0 to ``N`` - 1 (as many as elements) of the elements of ``x``, along a new last dim.

    >>> nbgrad.linalg.vander(nbgrad.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    values = tensor_of("linalg.vander", "x", x)
    if not values.dim() and N is None:
        raise ShapeError("linalg.vander: the input tensor must have at least one dimension.")
    n = values.shape[-1] if N is None else int_of("linalg.vander", "N", N)
    if n <= 1:
        raise RunError("linalg.vander: N must be greater than 1.")
    values = values if values.dim() else values.reshape(1)
    columns = values.unsqueeze(-1).expand(*values.shape, n - 1).cumprod(-1)
    return record(CALLS["cat"], (columns.new_ones(*values.shape, 1), columns), (-1,))  # type: ignore[no-any-return]


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of matrices in two dims, the last ones unless told otherwise: a view.

    >>> nbgrad.linalg.diagonal(nbgrad.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    return tensor_of("linalg.diagonal", "A", A).diagonal(offset, dim1, dim2)  # type: ignore[no-any-return]
