"""What an index expression means: slices are views, index tensors gather, assignment scatters."""

from __future__ import annotations

from itertools import pairwise

from nbgrad.calls.base import call
from nbgrad.errors import ShapeError, TensorIndexError
from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, broadcast_shapes, contiguous_strides
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at


@call("slice_dim", function=False, shown="slice")
def slice_dim(input: Node, start: Node, *, dim: int, length: int, step: int) -> Node:
    return apply("slice", input, start, params=(dim, length, step))


@call("piece_dim", function=False, shown="split")
def piece_dim(input: Node, *, dim: int, start: int, length: int) -> Node:
    """A piece of a whole that was cut up: where it starts is structure, so that passes see how pieces lie together."""
    return slice_at(input, start, dim, length)


@call("select_dim", function=False, shown="select")
def select_dim(input: Node, start: Node, *, dim: int) -> Node:
    one = apply("slice", input, start, params=(dim, 1, 1))
    shape = input.spec.shape
    return reshape_to(one, (*shape[:dim], *shape[dim + 1 :]))


@call("component", function=False, shown="select")
def component(input: Node, *, index: int) -> Node:
    """An element of a vector: which one is structure, so that passes see what was stacked, and what was not."""
    return reshape_to(slice_at(input, index, 0, 1), ())


@call("unbind_dim", function=False, shown="unbind")
def unbind_dim(input: Node, start: Node, *, dim: int) -> Node:
    """One of all slices along a dim."""
    return select_dim(input, start, dim=dim)


@call("unbind_component", function=False, shown="unbind")
def unbind_component(input: Node, *, index: int) -> Node:
    """One of all elements of a vector."""
    return component(input, index=index)


@call("new_dim", function=False, shown="unsqueeze")
def new_dim(input: Node, *, dim: int) -> Node:
    shape = input.spec.shape
    return reshape_to(input, (*shape[:dim], 1, *shape[dim:]))


@call("index_get", function=False, shown="index")
def index_get(operands: tuple[Node, ...], *, dims: Shape) -> Node:
    """operands (x, index, ...): x at integer indices in ``dims``; NumPy's rule for where the indexed dims go."""
    x, *indices = operands
    flat, shape = _positions(x, indices, dims)
    return reshape_to(apply("take", _flat(x), flat), shape)


@call("index_set", function=False, shown="index_put_", fits=("operands",), wide=True)
def index_set(operands: tuple[Node, ...], *, dims: Shape, accumulate: bool) -> Node:
    """operands (x, values, index, ...): x with values written (or added) at integer indices in ``dims``."""
    x, values, *indices = operands
    flat, shape = _positions(x, indices, dims)
    extra = max(values.spec.rank - len(shape), 0)
    if extra and set(values.spec.shape[:extra]) == {1}:  # leading dims of size 1 count for nothing
        values = reshape_to(values, values.spec.shape[extra:])
    if not _fits(values.spec.shape, shape):
        raise _mismatch(values.spec.shape, shape)
    full = expand_to(cast_to(values, x.spec.dtype), shape)
    name = "scatter_add" if accumulate else "scatter_put"
    return reshape_to(apply(name, _flat(x), _flat(flat), _flat(full)), x.spec.shape)


def _fits(shape: Shape, wanted: Shape) -> bool:
    """Whether what has ``shape`` broadcasts to ``wanted``."""
    return len(shape) <= len(wanted) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(wanted), strict=False)
    )


def _mismatch(shape: Shape, wanted: Shape) -> ShapeError:
    return ShapeError(
        f"assignment: shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of "
        f"shape {list(wanted)}"
    )


def _flat(x: Node) -> Node:
    return reshape_to(x, (x.spec.size,))


def _positions(x: Node, indices: list[Node], dims: Shape) -> tuple[Node, Shape]:
    """Row-major positions of the chosen elements, and the shape of the result."""
    shape = x.spec.shape
    chosen: Shape = ()
    for index in indices:
        try:
            chosen = broadcast_shapes(chosen, index.spec.shape, "index")
        except RuntimeError:
            shapes = ", ".join(str(list(i.spec.shape)) for i in indices)
            raise TensorIndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
    together = all(b - a == 1 for a, b in pairwise(dims))
    first = dims[0] if together else 0
    rest = [d for d in range(len(shape)) if d not in dims]
    before = [d for d in rest if d < first] if together else []
    after = [d for d in rest if d not in before]
    out = (*[shape[d] for d in before], *chosen, *[shape[d] for d in after])
    strides = contiguous_strides(shape)
    position: Node = const(0, dtypes.int64)
    for dim, index in zip(dims, indices, strict=True):
        if shape[dim] == 0 and 0 not in chosen:
            raise TensorIndexError(f"index is out of bounds for dimension {dim} with size 0")
        words = f"index {{index}} is out of bounds for dimension {dim} with size {{size}}"
        size = const(shape[dim], dtypes.int64)
        wrapped = apply("wrap_index", cast_to(index, dtypes.int64), size, params=(words,))
        lead = len(chosen) - index.spec.rank
        aligned = reshape_to(wrapped, (*([1] * lead), *index.spec.shape, *([1] * len(after))))
        position = position + expand_to(aligned, out) * const(strides[dim], dtypes.int64)
    for place, dim in [*enumerate(before), *enumerate(after, len(before) + len(chosen))]:
        position = position + iota_node(out, place) * const(strides[dim], dtypes.int64)
    return expand_to(position, out), out


@call("broadcast_as", function=False, shown="copy_", fits=("input",), wide=True)
def broadcast_as(input: Node, *, shape: Shape, dtype: DType) -> Node:
    """``input`` in a shape and dtype: what an assignment writes. The target is no operand: nothing flows there."""
    if input.spec.rank > len(shape):  # leading sizes of 1 may go, as NumPy allows
        extra = input.spec.rank - len(shape)
        if all(n == 1 for n in input.spec.shape[:extra]):
            input = reshape_to(input, input.spec.shape[extra:])
    if not _fits(input.spec.shape, shape):
        raise _mismatch(input.spec.shape, shape)
    written = expand_to(cast_to(input, dtype), shape)
    return apply("copy", written) if written is input else written  # a value of its own, for derivatives too
