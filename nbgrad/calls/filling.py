"""Writing along a dim, on a diagonal or where a mask is true: index_fill, index_copy, masked_scatter, ..."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import TensorNode, call, fitting, one_dim
from nbgrad.calls.indexing import along, as_vector, flat, positions, refuse_empty
from nbgrad.errors import DTypeError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import broadcast_shapes
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to


@call(method=True, inplace=True, fits=("value",))
def index_fill(input: Node, dim: int, index: TensorNode, value: Node) -> Node:
    """input with ``value``, a number or a 0-d tensor, in all slices of ``dim`` at the places in the 1-d ``index``.

    Negative places count from the end; one outside the dim raises IndexError at run time.

    >>> nbgrad.index_fill(nbgrad.tensor([1.0, 2.0, 3.0]), 0, nbgrad.tensor([0, -1]), 9)
    tensor([9., 2., 9.])
    """
    name = "index_fill"
    ix, d = as_vector(name, index), one_dim(name, dim, input.spec.rank)
    if value.spec.shape:
        raise ShapeError(f"{name}_ only supports a 0-dimensional value tensor, but got {value.spec.rank} dimension(s).")
    shape = input.spec.shape or (1,)
    refuse_empty(name, ix, shape, d)
    wide = (*shape[:d], ix.spec.size, *shape[d + 1 :])
    if value.spec.dtype.is_complex and not input.spec.dtype.is_complex:
        raise DTypeError(f"{name}_(): Converting complex Scalar to non-complex type is not supported")
    written = fitting(value, input.spec.dtype)
    if not prod(wide):
        return apply("tie", apply("copy", input), written)
    words = f"{name}(): index {{index}} is out of bounds for dimension {d} with size {{size}}"
    wrapped = apply("wrap_index", ix, const(shape[d], int64), params=(words,))
    none, one = expand_to(const(0, int64), (shape[d],)), expand_to(const(1, int64), (ix.spec.size,))
    chosen = apply("gt", apply("scatter_put", none, wrapped, one), const(0, int64))
    return apply("where", reshape_to(along(chosen, shape, d), input.spec.shape), written, input)


@call(method=True, inplace=True)
def index_copy(input: Node, dim: int, index: TensorNode, source: TensorNode) -> Node:
    """input with the slices of ``source`` along ``dim`` written at the places in the 1-d ``index``, in their order.

    A place outside [0, size) raises IndexError at run time; RuntimeError where dtypes differ or shapes do not fit.

    >>> nbgrad.index_copy(nbgrad.zeros(3), 0, nbgrad.tensor([2, 0]), nbgrad.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    name = "index_copy"
    where = fitting_slices(name, input, dim, index, source)
    if where is None:
        return apply("tie", apply("copy", input), source)
    return reshape_to(apply("scatter_put", flat(input), where, flat(source)), input.spec.shape)


def fitting_slices(name: str, input: Node, dim: int, index: Node, source: Node) -> Node | None:
    """Where in the flattened input the slices of ``source`` belong at ``index`` of ``dim``; None where they have
    none."""
    ix, d = as_vector(name, index), one_dim(name, dim, input.spec.rank)
    if source.spec.dtype is not input.spec.dtype:
        raise DTypeError(
            f"{name}(): self and source expected to have the same dtype, but got (self) {input.spec.dtype.name} and "
            f"(source) {source.spec.dtype.name}"
        )
    shape, wide = input.spec.shape or (1,), source.spec.shape or (1,)
    if len(shape) != len(wide) or wide != (*shape[:d], ix.spec.size, *shape[d + 1 :]):
        raise TensorIndexError(
            f"{name}(): source {list(wide)} does not fit {ix.spec.size} slices of dim {d} of self {list(shape)}"
        )
    if not source.spec.size:
        return None
    return flat(positions(name, shape, d, along(ix, wide, d)))


@call(function=False, inplace=True, fits=("fill_value",), wide=True)
def fill_diagonal(input: Node, fill_value: Node, wrap: bool = False) -> Node:
    """input with a number where all indices are equal. With ``wrap`` a tall matrix has further diagonals, a row apart.

    RuntimeError for fewer than two dims, and for more that differ in size.
    """
    shape = input.spec.shape
    if len(shape) < 2:
        raise ShapeError("fill_diagonal_: dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError(f"fill_diagonal_: all dimensions of input must be of equal length, got {list(shape)}")
    if fill_value.spec.shape:
        raise DTypeError(f"fill_diagonal_: expected a number or a 0-d tensor, got {fill_value.spec}")
    row = iota_node(shape, 0)
    if wrap and len(shape) == 2:
        row = apply("remainder", row, const(shape[1] + 1, int64))
    chosen = apply("eq", row, iota_node(shape, 1))
    for d in range(2, len(shape)):
        chosen = apply("bit_and", chosen, apply("eq", row, iota_node(shape, d)))
    return apply("where", chosen, cast_to(fill_value, input.spec.dtype), input)


@call(method=True, inplace=True)
def masked_scatter(input: Node, mask: TensorNode, source: TensorNode) -> Node:
    """input with the elements of ``source``, in their order, where the bool ``mask`` is True; both broadcast.

    RuntimeError for another dtype, and at run time where the mask takes more elements than there are.

    >>> nbgrad.tensor([1, 2, 3]).masked_scatter(nbgrad.tensor([True, False, True]), nbgrad.tensor([7, 8, 9]))
    tensor([7, 2, 8])
    """
    name = "masked_scatter"
    if mask.spec.dtype is not bool_:
        raise DTypeError(f"{name}_ only supports boolean masks, but got mask with dtype {mask.spec.dtype.name}")
    if source.spec.dtype is not input.spec.dtype:
        raise DTypeError(
            f"{name}: expected self and source to have same dtypes but got {input.spec.dtype.name} and "
            f"{source.spec.dtype.name}"
        )
    shape = broadcast_shapes(input.spec.shape, mask.spec.shape, name)
    x, chosen = flat(expand_to(input, shape)), flat(expand_to(mask, shape))
    taken = apply("cumsum", cast_to(chosen, int64), params=(0, False))
    words = f"{name}: Number of elements of source ({source.spec.size}) < number of ones in mask"
    taken = apply("check_index", taken, const(source.spec.size + 1, int64), params=(words,))
    if source.spec.size:
        place = apply("where", chosen, taken - const(1, int64), const(0, int64))
        found = apply("take", flat(source), place)
    else:
        found = apply("tie", cast_to(taken, input.spec.dtype), source)  # all of them 0, or the check fails
    return reshape_to(apply("where", chosen, found, x), shape)
