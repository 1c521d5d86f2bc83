"""Reading and writing where an index tensor says: gather, scatter, index_select, take.

Every index becomes a position in the flattened input; what is outside its dim fails when the kernel runs. Into a dim of
size 0 there is no index: a kernel over no elements could not tell, so the call does.
"""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import TensorNode, call, is_number, one_dim
from nbgrad.errors import ArgumentError, DTypeError, ShapeError, TensorIndexError
from nbgrad.graph.dtypes import int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, contiguous_strides
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, reshape_to, slice_at


def as_index(name: str, index: Node) -> Node:
    """``index`` in int64; DTypeError for what is no integer."""
    if index.spec.dtype not in (int32, int64):
        raise DTypeError(f"{name}(): Expected dtype int32 or int64 for index, got {index.spec.dtype.name}")
    return cast_to(index, int64)


def flat(x: Node) -> Node:
    """All elements in a row."""
    return reshape_to(x, (x.spec.size,))


def positions(name: str, shape: Shape, dim: int, index: Node) -> Node:
    """Where the elements [i, ..., index[i, ..., k], ...] of ``shape`` stand in the flattened tensor; checked."""
    refuse_empty(name, index, shape, dim)
    words = f"{name}(): index {{index}} is out of bounds for dimension {dim} with size {{size}}"
    checked = apply("check_index", index, const(shape[dim] if shape else 1, int64), params=(words,))
    return places(shape, dim, checked)


def refuse_empty(name: str, index: Node, shape: Shape, dim: int) -> None:
    """IndexError where ``dim`` of ``shape`` has size 0 and ``index`` has elements: none of them can be in range."""
    if index.spec.size and shape and shape[dim] == 0:
        raise TensorIndexError(f"{name}(): index is out of bounds for dimension {dim} with size 0")


def places(shape: Shape, dim: int, index: Node) -> Node:
    """The same for an ``index`` that is known to be in range."""
    strides = contiguous_strides(shape)
    where = _scaled(index, strides[dim] if shape else 1)
    for d in range(len(shape)):
        if d != dim and index.spec.shape[d] > 1:
            where = where + _scaled(iota_node(index.spec.shape, d), strides[d])
    return where


def _scaled(x: Node, factor: int) -> Node:
    return x if factor == 1 else x * const(factor, int64)


def _check_fits(name: str, index: Shape, shape: Shape, dim: int, what: str) -> None:
    """Index sizes may not be larger than those of ``shape`` outside ``dim``."""
    for d, (n, m) in enumerate(zip(index, shape, strict=True)):
        if n > m and d != dim:
            raise ShapeError(
                f"{name}: Size does not match at dimension {d} expected index {list(index)} to be no larger than "
                f"{what} {list(shape)} apart from dimension {dim}"
            )


def _check_rank(name: str, index: Node, other: Node, what: str) -> None:
    if max(index.spec.rank, 1) != max(other.spec.rank, 1):
        raise ShapeError(f"{name}: Index tensor must have the same number of dimensions as {what} tensor")


@call(method=True)
def gather(input: Node, dim: int, index: TensorNode, *, sparse_grad: bool = False) -> Node:
    """out[i][j] = input[index[i][j]][j] for dim 0, and likewise for others; the shape is index's.

    Index sizes may not exceed the input's outside ``dim``. An index outside [0, size) raises IndexError at run time.
    ``sparse_grad`` changes nothing: gradients are dense.
    """
    ix = as_index("gather", index)
    d = one_dim("gather", dim, input.spec.rank)
    if not ix.spec.size:
        return apply("take", flat(input), ix)
    _check_rank("gather", ix, input, "input")
    x, ix, shape = _at_least_1d(input, ix)
    _check_fits("gather", ix.spec.shape, x.spec.shape, d, "self")
    return reshape_to(apply("take", flat(x), positions("gather", x.spec.shape, d, ix)), shape)


def _at_least_1d(x: Node, index: Node) -> tuple[Node, Node, Shape]:
    """(x, index, shape of the result): 0-d tensors count as one element along one dim."""
    shape = index.spec.shape
    return reshape_to(x, x.spec.shape or (1,)), reshape_to(index, shape or (1,)), shape


@call(method=True, grad_fn="Gather")
def take_along_dim(input: Node, indices: TensorNode, dim: int | None = None) -> Node:
    """``gather`` with input and indices broadcast against each other outside ``dim``; both flattened for None.
    Negative indices count from the end."""
    if indices.spec.dtype is not int64:
        raise DTypeError(f"take_along_dim(): dtype of indices should be int64, got {indices.spec.dtype.name}")
    if dim is None:
        return gather(flat(input), 0, _from_the_end(flat(indices), input.spec.size))
    if input.spec.rank != indices.spec.rank:
        raise ShapeError("take_along_dim(): input and indices should have the same number of dimensions")
    d = one_dim("take_along_dim", dim, input.spec.rank)
    common = []
    for axis, (n, m) in enumerate(zip(input.spec.shape, indices.spec.shape, strict=True)):
        if axis != d and n != m and 1 not in (n, m):
            raise ShapeError(f"take_along_dim(): sizes {n} and {m} of dim {axis} do not broadcast")
        common.append(m if n == 1 else n)
    wide = [tuple([x.spec.shape[a] if a == d else n for a, n in enumerate(common)]) for x in (input, indices)]
    index = _from_the_end(expand_to(indices, wide[1]), wide[0][d])
    return gather(expand_to(input, wide[0]), d, index)


def _from_the_end(index: Node, size: int) -> Node:
    """``index``, counted from the end where it is negative."""
    return apply("where", apply("lt", index, const(0, int64)), index + const(size, int64), index)


def as_vector(name: str, index: Node) -> Node:
    """A 0-d or 1-d index as 1-d."""
    if index.spec.rank > 1:
        raise TensorIndexError(f"{name}(): Index is supposed to be a vector, got shape {list(index.spec.shape)}")
    return reshape_to(as_index(name, index), (index.spec.size,))


def along(index: Node, shape: Shape, dim: int) -> Node:
    """A 1-d index spread over ``shape`` along ``dim``."""
    column = reshape_to(index, tuple([index.spec.size if d == dim else 1 for d in range(len(shape))]))
    return expand_to(column, shape)


@call(method=True)
def index_select(input: Node, dim: int, index: TensorNode) -> Node:
    """The slices of one dim at the places in the 1-d ``index``; one outside [0, size) raises IndexError at run time."""
    ix = as_vector("index_select", index)
    d = one_dim("index_select", dim, input.spec.rank)
    shape = input.spec.shape or (1,)
    refuse_empty("index_select", ix, shape, d)  # also where other dims are empty, and nothing would be picked
    chosen = (*shape[:d], ix.spec.size, *shape[d + 1 :])
    if not prod(chosen):
        return checked_nothing("index_select", input, chosen, ix, d)
    picked = apply("take", flat(input), positions("index_select", shape, d, along(ix, chosen, d)))
    return picked if input.spec.shape else reshape_to(picked, ())


def checked_nothing(name: str, x: Node, shape: Shape, index: Node, dim: int) -> Node:
    """No elements, in the ``shape`` of what ``index`` picks along ``dim`` of ``x``; one out of range fails at run time.

    No loop goes over such a result, so it shows a number that has to be there: the sum of the indices, checked.
    """
    words = f"{name}(): index {{index}} is out of bounds for dimension {dim} with size {{size}}"
    size = x.spec.shape[dim] if x.spec.shape else 1
    checked = apply("check_index", index, const(size, int64), params=(words,))
    total = apply("sum", checked, params=(tuple(range(checked.spec.rank)),))
    return apply("tie", expand_to(cast_to(total, x.spec.dtype), shape), x)


@call(method=True)
def take(input: Node, index: TensorNode) -> Node:
    """The elements of the flattened input at ``index``, in index's shape; negative places count from the end."""
    ix = as_index("take", index)
    if ix.spec.size and not input.spec.size:
        raise TensorIndexError("take(): tried to take from an empty tensor")
    words = "take(): out of range: tried to access index {index} on a tensor of {size} elements."
    return apply("take", flat(input), apply("wrap_index", ix, const(input.spec.size, int64), params=(words,)))


@call(method=True, inplace=True)
def put(input: Node, index: TensorNode, source: TensorNode, accumulate: bool = False) -> Node:
    """input with the elements of ``source`` at the int64 places ``index`` of the flattened tensor, in source order.

    With ``accumulate`` they are added; otherwise the last of equal places stays. Negative places count from the end;
    one that is not there raises IndexError at run time.

    >>> nbgrad.zeros(2, 2).put(nbgrad.tensor([0, -1]), nbgrad.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    if index.spec.dtype is not int64:
        raise DTypeError(f"put(): Expected a long tensor for index, but got {index.spec.dtype.name}")
    if source.spec.dtype is not input.spec.dtype:
        raise DTypeError(f"put(): self ({input.spec}) and source ({source.spec}) expected to have the same dtype")
    if source.spec.size != index.spec.size:
        raise TensorIndexError(
            "put(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.spec.size}, index.numel() = {index.spec.size}"
        )
    if not index.spec.size:
        return apply("tie", apply("copy", input), source)
    if not input.spec.size:
        raise TensorIndexError("put(): Tried to put elements into an empty tensor")
    words = "put(): out of range: tried to access index {index} on a tensor of {size} elements."
    where = apply("wrap_index", index, const(input.spec.size, int64), params=(words,))
    op = "scatter_add" if accumulate else "scatter_put"
    return reshape_to(apply(op, flat(input), flat(where), flat(source)), input.spec.shape)


@call(method=True, inplace=True, fits=("src", "value"))
def scatter(
    input: Node,
    dim: int,
    index: TensorNode,
    src: Node | None = None,
    value: Node | None = None,
    *,
    reduce: str | None = None,
) -> Node:
    """input with out[index[i][j]][j] = src[i][j] (dim 0, and likewise for others), or = ``value``.

    Sources are written in order, so the last of equal places stays. ``reduce="add"`` adds instead, and "multiply"
    multiplies.
    """
    if reduce not in (None, "add", "multiply"):
        raise ArgumentError(f"scatter: reduce must be 'add' or 'multiply', not {reduce!r}")
    if (src is None) == (value is None):
        raise DTypeError("scatter: give either src or value")
    op = "scatter_put" if reduce is None else "scatter_add" if reduce == "add" else "multiply"
    given = src if src is not None else value
    assert given is not None
    return _scattered("scatter", op, input, dim, index, given, as_value=src is None or is_number(given))


@call(method=True, inplace=True)
def scatter_add(input: Node, dim: int, index: TensorNode, src: TensorNode) -> Node:
    """input with src[i][j] added at [index[i][j]][j] (dim 0, and likewise for others), in source order."""
    return _scattered("scatter_add", "scatter_add", input, dim, index, src, as_value=False)


def _scattered(name: str, op: str, x: Node, dim: int, index: Node, src: Node, *, as_value: bool) -> Node:
    ix = as_index(name, index)
    d = one_dim(name, dim, x.spec.rank)
    if not as_value and src.spec.dtype is not x.spec.dtype:
        raise DTypeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {x.spec.dtype.name} and {src.spec.dtype.name}"
        )
    if not ix.spec.size:
        return apply("tie", apply("copy", x), src)
    where, values = scattering(name, x, d, ix, src, as_value=as_value)
    if op == "multiply":
        from nbgrad.calls.scatter_reduce import reduced_at  # few programs need it

        return reduced_at(name, x, where, values, "prod", include_self=True)
    return reshape_to(apply(op, flat(x), where, values), x.spec.shape)


def scattering(name: str, x: Node, d: int, index: Node, src: Node, *, as_value: bool = False) -> tuple[Node, Node]:
    """(places in the flattened ``x``, what belongs there) of ``index`` along ``d`` and ``src``, both checked."""
    ix = as_index(name, index)
    if not as_value and src.spec.dtype is not x.spec.dtype:
        raise DTypeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {x.spec.dtype.name} and {src.spec.dtype.name}"
        )
    _check_rank(name, ix, x, "self")
    x, ix, _ = _at_least_1d(x, ix)
    _check_fits(name, ix.spec.shape, x.spec.shape, d, "self")
    if as_value:
        values = expand_to(cast_to(src, x.spec.dtype), ix.spec.shape)
    else:
        _check_rank(name, ix, src, "src")
        values = _corner(name, reshape_to(src, src.spec.shape or (1,)), ix.spec.shape, d)
    return flat(positions(name, x.spec.shape, d, ix)), flat(values)


def _corner(name: str, src: Node, shape: Shape, dim: int) -> Node:
    """The part of ``src`` that an index of ``shape`` reads."""
    _check_fits(name, shape, src.spec.shape, -1, "src")
    for d, n in enumerate(shape):
        if n != src.spec.shape[d]:
            src = slice_at(src, 0, d, n)
    return src


@call(method=True, inplace=True, fits=("alpha",))
def index_add(input: Node, dim: int, index: TensorNode, source: TensorNode, *, alpha: Node | None = None) -> Node:
    """input with alpha * source[i] added to its slice index[i] of ``dim``, in source order."""
    name = "index_add"
    ix = as_vector(name, index)
    d = one_dim(name, dim, input.spec.rank)
    if source.spec.dtype is not input.spec.dtype:
        raise DTypeError(f"{name}(): self ({input.spec}) and source ({source.spec}) must have the same dtype")
    shape = input.spec.shape or (1,)
    wide = source.spec.shape or (1,)
    if wide[d : d + 1] != (ix.spec.size,) or len(wide) != len(shape):
        raise ShapeError(f"{name}(): Number of indices ({ix.spec.size}) should be equal to source.size(dim): {wide}")
    if wide[:d] + wide[d + 1 :] != shape[:d] + shape[d + 1 :]:
        raise ShapeError(f"{name}(): source {list(wide)} and self {list(shape)} must match outside dim {d}")
    values = source if alpha is None else source * cast_to(alpha, source.spec.dtype)
    if not source.spec.size:
        return apply("copy", input)
    where = positions(name, shape, d, along(ix, wide, d))
    return reshape_to(apply("scatter_add", flat(input), flat(where), flat(values)), input.spec.shape)


@call(function=False)
def one_hot(tensor: Node, *, num_classes: int) -> Node:
    """int64 vectors with a 1 at each class; a new last dim. A class outside [0, num_classes) fails at run time."""
    if tensor.spec.dtype is not int64:
        raise DTypeError(f"one_hot is only applicable to index tensor of type int64, got {tensor.spec.dtype.name}")
    if num_classes < 1:
        raise ArgumentError(f"one_hot: num_classes must be positive, got {num_classes}")
    words = "one_hot(): class {index} is out of bounds for {size} classes"
    checked = apply("check_index", tensor, const(num_classes, int64), params=(words,))
    shape = (*tensor.spec.shape, num_classes)
    column = reshape_to(checked, (*tensor.spec.shape, 1))
    return cast_to(apply("eq", expand_to(column, shape), iota_node(shape, len(shape) - 1)), int64)
