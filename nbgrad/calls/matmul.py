"""Products of matrices and vectors of all ranks."""

from __future__ import annotations

from math import prod

from nbgrad.calls.arithmetic import binary
from nbgrad.calls.base import TensorNode, call, is_number, require_number
from nbgrad.calls.layout import t
from nbgrad.errors import DTypeError, ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape, broadcast_shapes
from nbgrad.ops.view import expand_to, reshape_to


def same_dtype(name: str, a: Node, b: Node) -> None:
    """DTypeError for operands of two dtypes, and for bool."""
    require_number(name, a, b)
    if a.spec.dtype is not b.spec.dtype:
        raise DTypeError(
            f"{name}: expected both inputs to have the same dtype, but got: {a.spec.dtype.name} != {b.spec.dtype.name}"
        )


@call(method=True)
def matmul(input: Node, other: TensorNode) -> Node:
    """Matrix product of any ranks: vectors are rows on the left and columns on the right, batch dims broadcast.

    Shapes: (n) @ (n) -> (); (n, k) @ (k, m) -> (n, m); (..., n, k) @ (..., k, m) -> (..., n, m). No type promotion.
    """
    if is_number(input) or is_number(other):
        raise DTypeError("matmul(): both operands must be Tensors, not numbers")
    a, b = input, other
    if not a.spec.shape or not b.spec.shape:
        raise ShapeError(
            f"matmul: both arguments to matmul need to be at least 1D, but they are {a.spec.rank}D and {b.spec.rank}D"
        )
    same_dtype("matmul", a, b)
    if a.spec.rank == 1 and b.spec.rank == 1:
        return dot(a, b)
    if a.spec.rank == 1:
        y = _matrices(reshape_to(a, (1, *a.spec.shape)), b)
        return reshape_to(y, (*y.spec.shape[:-2], y.spec.shape[-1]))
    if b.spec.rank == 1:
        y = _matrices(a, reshape_to(b, (*b.spec.shape, 1)))
        return reshape_to(y, y.spec.shape[:-1])
    return _matrices(a, b)


def _matrices(a: Node, b: Node) -> Node:
    """Product of stacks of matrices; one matrix on the right takes all rows of the left stack at once."""
    n, k, m = a.spec.shape[-2], a.spec.shape[-1], b.spec.shape[-1]
    if k != b.spec.shape[-2]:
        raise ShapeError(
            f"matmul: mat1 and mat2 shapes cannot be multiplied ({list(a.spec.shape)} and {list(b.spec.shape)}: "
            f"{k} columns against {b.spec.shape[-2]} rows)"
        )
    if b.spec.rank == 2:
        rows = reshape_to(a, (prod(a.spec.shape[:-1]), k))
        return reshape_to(apply("matmul", rows, b), (*a.spec.shape[:-1], m))
    batch = broadcast_shapes(a.spec.shape[:-2], b.spec.shape[:-2], "matmul")
    return apply("matmul", expand_to(a, (*batch, n, k)), expand_to(b, (*batch, k, m)))


def _require_rank(name: str, what: str, x: Node, rank: int) -> None:
    if x.spec.rank != rank:
        kind = {1: "vector", 2: "matrix", 3: "3D tensor"}[rank]
        raise ShapeError(f"{name}: {what} must be a {kind}, got {x.spec.rank}D")


@call(method=True)
def mm(input: Node, mat2: TensorNode) -> Node:
    """Product of two matrices, (n, k) and (k, m)."""
    _require_rank("mm", "self", input, 2)
    _require_rank("mm", "mat2", mat2, 2)
    return matmul(input, mat2)


@call(method=True)
def bmm(input: Node, mat2: TensorNode) -> Node:
    """Products of two stacks of matrices, (b, n, k) and (b, k, m)."""
    _require_rank("bmm", "batch1", input, 3)
    _require_rank("bmm", "batch2", mat2, 3)
    if input.spec.shape[0] != mat2.spec.shape[0]:
        raise ShapeError(f"bmm: batch sizes differ: {input.spec.shape[0]} and {mat2.spec.shape[0]}")
    return matmul(input, mat2)


@call(method=True)
def mv(input: Node, vec: TensorNode) -> Node:
    """Product of a matrix (n, k) and a vector (k)."""
    _require_rank("mv", "input", input, 2)
    _require_rank("mv", "vec", vec, 1)
    return matmul(input, vec)


@call(method=True)
def dot(input: Node, tensor: TensorNode) -> Node:
    """sum(input * tensor) of two vectors of one length and dtype."""
    _require_rank("dot", "input", input, 1)
    _require_rank("dot", "tensor", tensor, 1)
    same_dtype("dot", input, tensor)
    if input.spec.shape != tensor.spec.shape:
        raise ShapeError(
            f"dot: inconsistent tensor size, expected vectors of the same number of elements, but got "
            f"{input.spec.size} and {tensor.spec.size}"
        )
    return apply("sum", input * tensor, params=((0,),))


@call(aliases=("ger",), method=True, grad_fn="Mul")
def outer(input: Node, vec2: TensorNode) -> Node:
    """All products of the elements of two vectors, (n) and (m): a matrix (n, m). Promotes."""
    for x, what in ((input, "self"), (vec2, "vec2")):
        if x.spec.rank != 1:
            raise ShapeError(f"outer: Expected 1-D argument {what}, but got {x.spec.rank}-D")
    column = reshape_to(input, (input.spec.size, 1))
    return binary("mul", column, vec2)


@call(function=False, grad_fn="Addmm")
def linear(input: Node, weight: TensorNode, bias: TensorNode) -> Node:
    """input @ weight^T + bias. Shapes: input (..., in), weight (out, in) or (in), bias (out)."""
    return binary("add", matmul(input, t(weight)), bias)


@call(method=True)
def kron(input: Node, other: TensorNode) -> Node:
    """Kronecker's product: ``other`` times each element of ``input``, in its place. Any ranks; promotes.

    >>> nbgrad.kron(nbgrad.tensor([1, 10]), nbgrad.tensor([[1, 2]]))
    tensor([[ 1,  2, 10, 20]])
    """
    rank = max(input.spec.rank, other.spec.rank)
    a, b = [(*[1] * (rank - x.spec.rank), *x.spec.shape) for x in (input, other)]
    left = reshape_to(input, tuple([n for size in a for n in (size, 1)]))
    right = reshape_to(other, tuple([n for size in b for n in (1, size)]))
    return reshape_to(binary("mul", left, right), tuple([n * m for n, m in zip(a, b, strict=True)]))


@call("tensordot_of", function=False, shown="tensordot")
def tensordot_of(input: Node, other: TensorNode, *, of_input: Shape, of_other: Shape) -> Node:
    """Sums of products over pairs of dims, one of each operand; the dims that are left in their order."""
    _same_sizes("tensordot", input, other, of_input, of_other)
    same_dtype("tensordot", input, other)
    rows = [d for d in range(input.spec.rank) if d not in of_input]
    columns = [d for d in range(other.spec.rank) if d not in of_other]
    summed = prod([input.spec.shape[d] for d in of_input])
    left = apply("permute", input, params=((*rows, *of_input),))
    right = apply("permute", other, params=((*of_other, *columns),))
    shape = (*[input.spec.shape[d] for d in rows], *[other.spec.shape[d] for d in columns])
    matrices = (
        reshape_to(left, (prod([input.spec.shape[d] for d in rows]), summed)),
        reshape_to(right, (summed, prod([other.spec.shape[d] for d in columns]))),
    )
    return reshape_to(apply("matmul", *matrices), shape)


def _same_sizes(name: str, a: Node, b: Node, of_a: Shape, of_b: Shape) -> None:
    for d, e in zip(of_a, of_b, strict=True):
        if a.spec.shape[d] != b.spec.shape[e]:
            raise ShapeError(
                f"{name}: contracted dimensions need to match, but first has size {a.spec.shape[d]} in dim {d} and "
                f"second has size {b.spec.shape[e]} in dim {e}"
            )
