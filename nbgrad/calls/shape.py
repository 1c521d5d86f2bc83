"""Other shapes over the same elements: reshape, flatten, squeeze, expand. All of them are views where memory allows."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import TensorNode, call, one_dim
from nbgrad.errors import DTypeError, ShapeError, TensorIndexError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape


def sizes_of(name: str, sizes: object) -> Shape:
    """``sizes`` as a tuple of ints: an int, or a sequence of ints."""
    if isinstance(sizes, int) and not isinstance(sizes, bool):
        return (sizes,)
    if isinstance(sizes, (tuple, list)) and all(isinstance(n, int) and not isinstance(n, bool) for n in sizes):
        return tuple(sizes)
    raise DTypeError(f"{name}(): expected ints or a tuple of ints, got {sizes!r}")


def resolved_shape(name: str, size: int, wanted: Shape) -> Shape:
    """``wanted`` with a single -1 replaced by what makes ``size`` elements; ShapeError where it cannot be."""
    for d, n in enumerate(wanted):
        if n < -1:
            raise ShapeError(f"{name}: invalid shape dimension {n} at index {d} of shape {list(wanted)}")
    if wanted.count(-1) > 1:
        raise ShapeError(f"{name}: only one dimension can be inferred, got shape {list(wanted)}")
    known = prod([n for n in wanted if n != -1])
    if -1 in wanted and known == 0:
        raise ShapeError(
            f"{name}: cannot reshape tensor of {size} elements into shape {list(wanted)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    resolved = tuple([size // known if n == -1 else n for n in wanted])
    if prod(resolved) != size:
        raise ShapeError(f"{name}: shape '{list(wanted)}' is invalid for input of size {size}")
    return resolved


def as_shape(x: Node, shape: Shape) -> Node:
    """A reshape, also to the shape it has: the result of a view call is a node of its own."""
    return apply("reshape", x, params=(shape,))


@call(method=True, grad_fn="View")
def reshape(input: Node, shape: Shape) -> Node:
    """The same elements, row by row, in another shape; one size may be -1. A view where strides allow, else a copy.

    >>> nbgrad.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    return as_shape(input, resolved_shape("reshape", input.spec.size, sizes_of("reshape", shape)))


@call(function=False, method=True)
def view(input: Node, shape: Shape) -> Node:
    """``reshape`` under PyTorch's name for the case that shares memory."""
    return as_shape(input, resolved_shape("view", input.spec.size, sizes_of("view", shape)))


@call(function=False, method=True, grad_fn="View")
def reshape_as(input: Node, other: TensorNode) -> Node:
    """input in the shape of ``other``."""
    return as_shape(input, resolved_shape("reshape_as", input.spec.size, other.spec.shape))


@call(function=False, method=True, grad_fn="View")
def view_as(input: Node, other: TensorNode) -> Node:
    """input in the shape of ``other``."""
    return as_shape(input, resolved_shape("view_as", input.spec.size, other.spec.shape))


@call(method=True, grad_fn="View")
def flatten(input: Node, start_dim: int = 0, end_dim: int = -1) -> Node:
    """The dims from ``start_dim`` to ``end_dim`` joined into one; a 0-d input becomes 1-d."""
    shape = input.spec.shape
    first, last = [one_dim("flatten", d, len(shape)) for d in (start_dim, end_dim)]
    if first > last:
        raise ShapeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return as_shape(input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@call(method=True, grad_fn="View")
def unflatten(input: Node, dim: int, sizes: Shape) -> Node:
    """One dim split into several; one of ``sizes`` may be -1."""
    shape = input.spec.shape
    if not shape:
        raise TensorIndexError(f"unflatten: Dimension specified as {dim} but tensor has no dimensions")
    d = one_dim("unflatten", dim, len(shape))
    wanted = sizes_of("unflatten", sizes)
    try:
        inner = resolved_shape("unflatten", shape[d], wanted)
    except ShapeError:
        raise ShapeError(
            f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim {d} ({shape[d]})"
        ) from None
    return as_shape(input, (*shape[:d], *inner, *shape[d + 1 :]))


@call(method=True)
def squeeze(input: Node, dim: int | tuple[int, ...] | None = None) -> Node:
    """Without the dims of size 1, or without those of ``dim`` that have size 1."""
    shape = input.spec.shape
    if dim is None:
        return as_shape(input, tuple([n for n in shape if n != 1]))
    dims = [one_dim("squeeze", d, len(shape)) for d in ((dim,) if isinstance(dim, int) else dim)]
    if len(set(dims)) != len(dims):
        raise ShapeError("squeeze: a dim appears multiple times in the list of dims")
    return as_shape(input, tuple([n for d, n in enumerate(shape) if n != 1 or d not in dims]))


@call(method=True)
def unsqueeze(input: Node, dim: int) -> Node:
    """With a new dim of size 1 at ``dim``."""
    shape = input.spec.shape
    d = one_dim("unsqueeze", dim, len(shape) + 1)
    return as_shape(input, (*shape[:d], 1, *shape[d:]))


@call(function=False, method=True)
def expand(input: Node, size: Shape) -> Node:
    """Dims of size 1 repeated up to ``size`` without copying; -1 keeps a size, new dims come first."""
    return _expanded("expand", input, sizes_of("expand", size))


@call(function=False, method=True, grad_fn="Expand")
def expand_as(input: Node, other: TensorNode) -> Node:
    """input expanded to the shape of ``other``."""
    return _expanded("expand_as", input, other.spec.shape)


@call(method=True, grad_fn="Expand")
def broadcast_to(input: Node, size: Shape) -> Node:
    """input expanded to ``size``."""
    return _expanded("broadcast_to", input, sizes_of("broadcast_to", size))


def _expanded(name: str, x: Node, wanted: Shape) -> Node:
    old = x.spec.shape
    lead = len(wanted) - len(old)
    if lead < 0:
        raise ShapeError(
            f"{name}: the number of sizes provided ({len(wanted)}) must be greater or equal to "
            f"the number of dimensions in the tensor ({len(old)})"
        )
    shape = []
    for d, n in enumerate(wanted):
        have = old[d - lead] if d >= lead else 1
        if n < 0 and (n != -1 or d < lead):
            raise ShapeError(
                f"{name}: the expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {d}"
                if n == -1
                else f"{name}: invalid size {n} at dimension {d}"
            )
        if have not in (1, n) and n != -1:
            raise ShapeError(
                f"{name}: The expanded size of the tensor ({n}) must match the existing size ({have}) at "
                f"non-singleton dimension {d}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(old)}"
            )
        shape.append(have if n == -1 else n)
    return apply("expand", x, params=(tuple(shape),))
