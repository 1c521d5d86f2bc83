"""Several tensors made one, or one repeated: cat, stack, repeat, tile; and differences of neighbours."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call, common_dtype, one_dim
from nbgrad.calls.shape import as_shape, sizes_of
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import reshape_to, slice_at


@call(aliases=("concat", "concatenate"), grad_fn="Cat")
def cat(tensors: tuple[Node, ...], dim: int = 0) -> Node:
    """The tensors one after the other along ``dim``, in their common dtype; other sizes must be equal.

    A 1-d tensor without elements goes with anything, as in PyTorch.
    """
    parts = _converted("cat", tensors)
    for place, x in enumerate(parts):
        if not x.spec.shape:
            raise ShapeError(f"cat: zero-dimensional tensor (at position {place}) cannot be concatenated")
    sized = [x for x in parts if x.spec.shape != (0,)]
    if not sized:
        return apply("cat", *parts, params=(one_dim("cat", dim, 1),))
    empty = [x for x in parts if x.spec.shape == (0,)]
    return apply("tie", _joined(sized, dim), *empty) if empty else _joined(sized, dim)


def _joined(parts: list[Node], dim: int) -> Node:
    first = parts[0].spec.shape
    d = one_dim("cat", dim, len(first))
    for place, x in enumerate(parts):
        if x.spec.rank != len(first):
            raise ShapeError(f"cat: Tensors must have same number of dimensions: got {len(first)} and {x.spec.rank}")
        for axis, (n, m) in enumerate(zip(first, x.spec.shape, strict=True)):
            if n != m and axis != d:
                raise ShapeError(
                    f"cat: Sizes of tensors must match except in dimension {d}. Expected size {n} but got size {m} "
                    f"for tensor number {place} in the list."
                )
    return apply("cat", *parts, params=(d,))


def _converted(name: str, tensors: tuple[Node, ...]) -> list[Node]:
    """The tensors in their common dtype; ValueError where there is none."""
    if not tensors:
        raise ArgumentError(f"{name}(): expected a non-empty list of Tensors")
    dtype = common_dtype(*tensors)
    return [cast_to(x, dtype) for x in tensors]


@call()
def stack(tensors: tuple[Node, ...], dim: int = 0) -> Node:
    """Tensors of one shape side by side along a new dim."""
    parts = _converted("stack", tensors)
    shape = parts[0].spec.shape
    for place, x in enumerate(parts):
        if x.spec.shape != shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 "
                f"and {list(x.spec.shape)} at entry {place}"
            )
    d = one_dim("stack", dim, len(shape) + 1)
    return apply("cat", *[reshape_to(x, (*shape[:d], 1, *shape[d:])) for x in parts], params=(d,))


@call(aliases=("row_stack",), grad_fn="Cat")
def vstack(tensors: tuple[Node, ...]) -> Node:
    """The tensors as rows below each other: ``cat`` along dim 0, vectors being single rows."""
    return cat(tuple([_at_least_2d(x) for x in tensors]), 0)


@call(grad_fn="Cat")
def hstack(tensors: tuple[Node, ...]) -> Node:
    """The tensors beside each other: ``cat`` along dim 1, or along dim 0 for vectors and numbers."""
    parts = tuple([as_shape(x, (1,)) if not x.spec.shape else x for x in tensors])
    return cat(parts, 0 if parts and parts[0].spec.rank == 1 else 1)


def _at_least_2d(x: Node) -> Node:
    return as_shape(x, (1, *(x.spec.shape or (1,)))) if x.spec.rank < 2 else x


@call(function=False, method=True)
def repeat(input: Node, repeats: Shape) -> Node:
    """input repeated ``repeats`` times along each dim; new dims come first. A copy."""
    return _repeated("repeat", input, sizes_of("repeat", repeats))


@call(method=True, grad_fn="Repeat")
def tile(input: Node, dims: Shape) -> Node:
    """``repeat`` with missing leading repeats taken as 1."""
    wanted = sizes_of("tile", dims)
    return _repeated("tile", input, (1,) * (input.spec.rank - len(wanted)) + wanted)


def _repeated(name: str, x: Node, repeats: Shape) -> Node:
    lead = len(repeats) - x.spec.rank
    if lead < 0:
        raise ShapeError(
            f"{name}: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    if any(n < 0 for n in repeats):
        raise ShapeError(f"{name}: repeats must not be negative, got {list(repeats)}")
    shape = (1,) * lead + x.spec.shape
    split = as_shape(x, tuple([n for size in shape for n in (1, size)]))
    wide = apply("expand", split, params=(tuple([n for pair in zip(repeats, shape, strict=True) for n in pair]),))
    return apply("copy", as_shape(wide, tuple([n * k for n, k in zip(repeats, shape, strict=True)])))


@call("repeat_each", function=False, shown="repeat_interleave")
def repeat_each(input: Node, *, repeats: int, dim: int | None = None) -> Node:
    """Each element along ``dim`` ``repeats`` times, one after the other; of the flattened input for None."""
    if repeats < 0:
        raise ShapeError("repeat_interleave: repeats can not be negative")
    x = reshape_to(input, (input.spec.size,)) if dim is None or not input.spec.shape else input
    d = one_dim("repeat_interleave", 0 if dim is None else dim, input.spec.rank if dim is not None else 1)
    shape = x.spec.shape
    split = as_shape(x, (*shape[: d + 1], 1, *shape[d + 1 :]))
    wide = apply("expand", split, params=((*shape[: d + 1], repeats, *shape[d + 1 :]),))
    return apply("copy", as_shape(wide, (*shape[:d], shape[d] * repeats, *shape[d + 1 :])))


@call(method=True)
def diff(
    input: Node, n: int = 1, dim: int = -1, prepend: TensorNode | None = None, append: TensorNode | None = None
) -> Node:
    """x[i + 1] - x[i] along ``dim``, ``n`` times over; ``prepend`` and ``append`` are joined to the input before.

    Of bool values it says which are unequal. RuntimeError for a 0-d input and a negative ``n``.

    >>> nbgrad.tensor([1, 3, 6, 10]).diff()
    tensor([2, 3, 4])
    """
    if not input.spec.shape:
        raise ShapeError("diff expects input to be at least one-dimensional")
    d = one_dim("diff", dim, input.spec.rank)
    if n < 0:
        raise ShapeError(f"order must be non-negative but got {n}")
    for what, x in (("prepend", prepend), ("append", append)):
        if x is not None and x.spec.rank != input.spec.rank:
            raise ShapeError(f"diff expects {what} to have input's {input.spec.rank} dimensions, got {x.spec.rank}")
    parts = [x for x in (prepend, input, append) if x is not None] if n else [input]
    y = apply("copy", input) if len(parts) == 1 else _joined(_converted("diff", tuple(parts)), d)
    for _ in range(min(n, y.spec.shape[d])):  # more leave nothing, too
        length = max(y.spec.shape[d] - 1, 0)
        low = slice_at(y, 0, d, length)
        high = slice_at(y, min(1, y.spec.shape[d]), d, length)
        y = apply("ne", high, low) if y.spec.dtype is bool_ else high - low
    return y
