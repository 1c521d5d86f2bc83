"""Other orders and parts of the same memory: permute, transpose, narrow, select, diagonal; and flip and roll, which
copy."""

from __future__ import annotations

from nbgrad.calls.base import call, one_dim
from nbgrad.calls.shape import as_shape, sizes_of
from nbgrad.errors import DTypeError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import reshape_to, slice_at


@call(method=True)
def permute(input: Node, dims: Shape) -> Node:
    """The dims in another order."""
    rank = input.spec.rank
    wanted = sizes_of("permute", dims)
    if len(wanted) != rank:
        raise ShapeError(
            "permute: number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(wanted)}"
        )
    order = tuple([one_dim("permute", d, rank) for d in wanted])
    if len(set(order)) != rank:
        raise ShapeError("permute(): duplicate dims are not allowed.")
    return apply("permute", input, params=(order,))


@call(aliases=("swapdims",), method=True)
def transpose(input: Node, dim0: int, dim1: int) -> Node:
    """Two dims swapped."""
    rank = input.spec.rank
    a, b = one_dim("transpose", dim0, rank), one_dim("transpose", dim1, rank)
    order = list(range(rank))
    if rank:
        order[a], order[b] = b, a
    return apply("permute", input, params=(tuple(order),))


@call(method=True, grad_fn="Transpose")
def swapaxes(input: Node, axis0: int, axis1: int) -> Node:
    """``transpose``, with NumPy's names."""
    return transpose(input, axis0, axis1)


@call(method=True)
def t(input: Node) -> Node:
    """A matrix transposed; 0-d and 1-d inputs as they are."""
    rank = input.spec.rank
    if rank > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    return apply("permute", input, params=(tuple(reversed(range(rank))),))


@call(aliases=("moveaxis",), method=True, grad_fn="Permute")
def movedim(input: Node, source: int | Shape, destination: int | Shape) -> Node:
    """The dims at ``source`` moved to ``destination``, the others in their order."""
    rank = input.spec.rank
    sources, targets = [[one_dim("movedim", d, rank) for d in sizes_of("movedim", x)] for x in (source, destination)]
    if len(sources) != len(targets):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({sources}) should contain the same number of dims "
            f"as destination ({targets})"
        )
    if len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ShapeError("movedim: repeated dim in source or destination")
    if not rank:
        return apply("permute", input, params=((),))
    placed = dict(zip(targets, sources, strict=True))
    others = iter([d for d in range(rank) if d not in sources])
    return apply("permute", input, params=(tuple([placed[d] if d in placed else next(others) for d in range(rank)]),))


@call(method=True)
def narrow(input: Node, dim: int, start: Node, length: int) -> Node:
    """``length`` elements of one dim from ``start`` on. The start is a run-time value: moving it is no new structure.

    The caller keeps ``0 <= start <= size - length``.
    """
    if not input.spec.shape:
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor.")
    d = one_dim("narrow", dim, input.spec.rank)
    size = input.spec.shape[d]
    if length < 0:
        raise ShapeError("narrow(): length must be non-negative.")
    if length > size:
        raise ShapeError(f"narrow: length ({length}) exceeds dimension size ({size}).")
    return apply("slice", input, _position("narrow", start), params=(d, length, 1))


@call(method=True)
def select(input: Node, dim: int, index: Node) -> Node:
    """Element ``index`` of one dim, which disappears. The index is a run-time value; the caller checks it."""
    shape = input.spec.shape
    if not shape:
        raise TensorIndexError("select() cannot be applied to a 0-dim tensor.")
    d = one_dim("select", dim, len(shape))
    if shape[d] == 0:
        raise TensorIndexError(f"select(): index out of range for tensor of size {list(shape)} at dimension {d}")
    one = apply("slice", input, _position("select", index), params=(d, 1, 1))
    return as_shape(one, (*shape[:d], *shape[d + 1 :]))


def _position(name: str, x: Node) -> Node:
    """A 0-d int64 position."""
    if x.spec.dtype.is_floating_point or x.spec.dtype is bool_ or x.spec.shape:
        raise DTypeError(f"{name}: expected an int or a 0-d integer tensor as position, got {x.spec}")
    return cast_to(x, int64)


@call(method=True)
def diagonal(input: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    """The elements [i, i + offset] of two dims, as a new last dim."""
    rank = input.spec.rank
    a, b = one_dim("diagonal", dim1, rank), one_dim("diagonal", dim2, rank)
    if a == b:
        raise ShapeError(f"diagonal: diagonal dimensions cannot be identical {dim1}, {dim2}")
    return apply("diagonal", input, params=(a, b, offset))


@call(method=True)
def flip(input: Node, dims: Shape) -> Node:
    """The order of the elements along ``dims`` reversed; a copy, as in PyTorch."""
    chosen = [one_dim("flip", d, input.spec.rank) for d in sizes_of("flip", dims)]
    if len(set(chosen)) != len(chosen):
        raise ShapeError("flip: a dim appears multiple times in the list of dims")
    return apply("copy", reversed_along(input, tuple(chosen)))


@call(method=True)
def roll(input: Node, shifts: int | Shape, dims: int | Shape | None = None) -> Node:
    """Elements moved ``shifts`` places along ``dims``, those that fall off coming in again at the other end.

    Without ``dims`` the flattened elements are moved. RuntimeError where shifts and dims differ in number.

    >>> nbgrad.arange(5).roll(2)
    tensor([3, 4, 0, 1, 2])
    """
    shape = input.spec.shape
    places = sizes_of("roll", shifts)
    if dims is None or dims == ():
        if len(places) != 1:
            raise ShapeError(f"roll: shifts and dimensions must align. shifts: {len(places)}, dims: none")
        return reshape_to(_rolled(reshape_to(input, (input.spec.size,)), {0: places[0]}), shape)
    chosen = sizes_of("roll", dims)
    if not places or len(places) != len(chosen):
        raise ShapeError(f"roll: shifts and dimensions must align. shifts: {len(places)}, dims: {len(chosen)}")
    if not shape:
        raise TensorIndexError(f"roll: Dimension specified as {chosen[0]} but tensor has no dimensions")
    moved: dict[int, int] = {}
    for d, n in zip(chosen, places, strict=True):
        at = one_dim("roll", d, len(shape))
        moved[at] = moved.get(at, 0) + n
    return _rolled(input, moved)


def _rolled(x: Node, moved: dict[int, int]) -> Node:
    """``x`` rolled along dims by places; a copy also where nothing moves."""
    shape = x.spec.shape
    by = {d: n % shape[d] for d, n in moved.items() if shape[d] and n % shape[d]}
    return apply("roll", x, params=(tuple(by), tuple(by.values()))) if by else apply("copy", x)


def reversed_along(x: Node, dims: Shape) -> Node:
    """A view of ``x`` that runs backwards along ``dims``."""
    for d in dims if x.spec.rank else ():
        n = x.spec.shape[d]
        x = slice_at(x, max(n - 1, 0), d, n, -1)
    return x


def chunk_lengths(size: int, chunks: int) -> list[int]:
    """Lengths of the parts of ``chunk(chunks)``: equal ones, the last shorter; possibly fewer than ``chunks``."""
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if size == 0:
        return [0] * chunks
    return split_lengths(size, -(-size // chunks))


def split_lengths(size: int, split: int | Shape) -> list[int]:
    """Lengths of the parts of ``split(split)``: parts of one length, the last shorter, or the lengths given."""
    if isinstance(split, int):
        if split < 0:
            raise ShapeError(f"split expects split_size be non-negative, but got split_size={split}")
        if split == 0:
            if size:
                raise ShapeError(f"split expects split_size > 0 for a dim of size {size}")
            return [0]
        return [min(split, size - start) for start in range(0, size, split)] or [0]
    lengths = list(split)
    if any(n < 0 for n in lengths):
        raise ShapeError(f"split_with_sizes expects split_sizes have only non-negative entries, got {lengths}")
    if sum(lengths) != size:
        raise ShapeError(f"split_with_sizes expects split_sizes to sum exactly to {size}, but got {lengths}")
    return lengths
