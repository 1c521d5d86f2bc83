"""Lengths of vectors, and of what lies between two: norm, vector_norm, dist, cdist."""

from __future__ import annotations

from math import inf

from nbgrad.calls.arithmetic import binary
from nbgrad.calls.base import TensorNode, all_dims, call, promoted, size_of
from nbgrad.calls.reduce import Dims, evenly, reduced
from nbgrad.errors import ArgumentError, DTypeError, RunError, ShapeError
from nbgrad.graph.dtypes import DType, as_dtype, promote
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, broadcast_shapes
from nbgrad.ops.compare import cast_to
from nbgrad.ops.reduce import reduced_shape
from nbgrad.ops.view import expand_to, reshape_to

# Ways to compute cdist that PyTorch lets one choose.
_MODES = (
    None,
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


@call(method=True, grad_fn="LinalgVectorNorm")
def norm(
    input: Node,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Node:
    """(sum |x|^p)^(1/p) over ``dim`` (all dims for None); "fro" and None are p = 2. Floating point only.
    "nuc" sums the singular values of matrices in two dims.

    The derivative is 0 where the norm is 0 (p = 2), as in PyTorch.
    """
    if p == "nuc":
        return _nuclear(input if dtype is None else cast_to(input, dtype), dim, keepdim)
    if isinstance(p, str) and p != "fro":
        raise ArgumentError(f"norm: p must be a number, 'fro' or 'nuc', not {p!r}; linalg.matrix_norm takes others")
    order = 2.0 if p is None or isinstance(p, str) else p
    return _norm("norm", input, order, dim, keepdim, dtype)


def _nuclear(x: Node, dim: Dims, keepdim: bool) -> Node:
    """The sum of the singular values of the matrices in two dims."""
    rank, dims = x.spec.rank, all_dims("norm", dim, x.spec.rank)
    if len(dims) != 2:
        raise RunError(f"norm: p='nuc' is for matrices: expected 2 dims, got {len(dims)}")
    rest = [d for d in range(rank) if d not in dims]
    matrices = apply("permute", x, params=((*rest, *dims),))
    values = apply("svd_values", matrices, apply("svd", matrices, params=(False,)), params=(False,))
    total = apply("sum", values, params=((rank - 2,),))
    return reshape_to(total, reduced_shape(x.spec.shape, dims, keepdim=True)) if keepdim else total


@call(function=False, grad_fn="LinalgVectorNorm")
def vector_norm(
    x: Node, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Node:
    """``linalg.vector_norm``: (sum |x|^ord)^(1/ord) over ``dim``; ord 0 counts what is not 0."""
    return _norm("vector_norm", x, ord, dim, keepdim, dtype)


@call(method=True)
def dist(input: Node, other: TensorNode, p: float = 2) -> Node:
    """The p-norm of input - other, which broadcast and promote. Floating point only.

    >>> nbgrad.dist(nbgrad.tensor([0.0, 0.0]), nbgrad.tensor([3.0, 4.0]))
    tensor(5.)
    """
    return _norm("dist", binary("sub", input, other), p, None, False, None)


@call(functional=True)
def cosine_similarity(x1: Node, x2: TensorNode, dim: int = 1, eps: float = 1e-8) -> Node:
    """The cosine of the angle between vectors along ``dim``: sum(x1 * x2) by the product of their lengths, each of
    which is taken to be ``eps`` at least, as a constant. They broadcast and promote. Floating point only.

    >>> nbgrad.cosine_similarity(nbgrad.tensor([1.0, 1.0]), nbgrad.tensor([2.0, 0.0]), dim=0)
    tensor(0.7071)
    """
    a, b = promoted(x1, x2)
    shape = broadcast_shapes(a.spec.shape, b.spec.shape, "cosine_similarity")
    dims = all_dims("cosine_similarity", dim, len(shape))
    a, b = (_directions(expand_to(x, shape), dims, eps) for x in (a, b))
    return apply("sum", apply("mul", a, b), params=(dims,)) if shape else apply("mul", a, b)


def _directions(x: Node, dims: Shape, eps: float) -> Node:
    """``x`` by its lengths along ``dims``."""
    length = _norm("cosine_similarity", x, 2, dims, True, None)
    missing = apply("maximum", length, const(eps, x.spec.dtype)) - length
    return apply("div", x, expand_to(length + apply("detach", missing), x.spec.shape))


@call()
def cdist(x1: Node, x2: TensorNode, p: float = 2.0, compute_mode: str | None = None) -> Node:
    """The p-norms of the differences between each row of x1 and each row of x2: (..., P, M) and (..., R, M) give
    (..., P, R); batch dims broadcast. ``compute_mode`` changes nothing: differences are taken as they are, one by one.

    RuntimeError for rows of different lengths and a negative p. The derivative by p = 2 is 0 where rows are equal.

    >>> nbgrad.cdist(nbgrad.tensor([[0.0, 0.0], [0.0, 3.0]]), nbgrad.tensor([[4.0, 0.0]]))
    tensor([[4.],
            [5.]])
    """
    if compute_mode not in _MODES:
        raise ArgumentError(f"{compute_mode} is not a valid value for compute_mode")
    if x1.spec.rank < 2 or x2.spec.rank < 2:
        raise ShapeError(
            f"cdist only supports at least 2D tensors, X1 got: {x1.spec.rank}D and X2 got: {x2.spec.rank}D"
        )
    if x1.spec.shape[-1] != x2.spec.shape[-1]:
        raise ShapeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.spec.shape[-1]} X2: {x2.spec.shape[-1]}"
        )
    if x1.spec.dtype is not x2.spec.dtype or p < 0:
        raise RunError(f"cdist: expected inputs of one dtype and p >= 0, got {x1.spec}, {x2.spec} and p={p}")
    rows = reshape_to(x1, (*x1.spec.shape[:-1], 1, x1.spec.shape[-1]))
    columns = reshape_to(x2, (*x2.spec.shape[:-2], 1, *x2.spec.shape[-2:]))
    difference = binary("sub", rows, columns)
    if not difference.spec.shape[-1]:
        return apply("sum", difference, params=((difference.spec.rank - 1,),))
    return _norm("cdist", difference, p, -1, False, None)


def _wider(name: str, given: DType, wanted: DType) -> DType:
    """The dtype ``wanted``, where that loses nothing of what is ``given``."""
    if wanted.is_complex is not given.is_complex:
        kinds = ("complex", "complex") if given.is_complex else ("real", "real")
        raise DTypeError(f"{name}: dtype should be {kinds[0]} for {kinds[1]} inputs, but got {wanted.name}")
    if promote(given, wanted) is not wanted:
        raise DTypeError(
            f"{name}: the dtype of the input ({given.name}) should be convertible without narrowing to the specified "
            f"dtype ({wanted.name})"
        )
    return wanted


def _norm(name: str, input: Node, p: float, dim: Dims, keepdim: bool, dtype: DType | None) -> Node:
    if not input.spec.dtype.is_inexact:
        raise DTypeError(f"{name}: expected a floating point or complex input, got {input.spec.dtype.name}")
    x = input if dtype is None else cast_to(input, _wider(name, input.spec.dtype, as_dtype(dtype)))
    x = size_of(x) if x.spec.dtype.is_complex else x
    dims = all_dims(name, dim, x.spec.rank)
    if abs(p) == inf:
        return _largest(name, x, p, dims, keepdim)
    if p == 2:
        return reduced("norm2", x, dims, keepdim)
    if p == 1:
        return reduced("sum", apply("abs", x), dims, keepdim)
    if p == 0:
        nonzero = apply("ne", x, const(0, x.spec.dtype))
        return reduced("sum", cast_to(nonzero, x.spec.dtype), dims, keepdim)
    return reduced("norm_p", x, dims, keepdim, float(p))


def _largest(name: str, x: Node, p: float, dims: Shape, keepdim: bool) -> Node:
    if any(x.spec.shape[d] == 0 for d in dims):
        raise ShapeError(f"{name}: an empty dim has no norm of order {p}")
    sizes = apply("abs", x)
    y = evenly(apply("amax" if p > 0 else "amin", sizes, params=(dims,)), sizes, dims)
    return reshape_to(y, reduced_shape(x.spec.shape, dims, keepdim))
