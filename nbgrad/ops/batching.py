"""How an operator computes many examples at once: the rules that records share.

A rule gives ``y`` for each of ``size`` examples, along a new first dim. ``inputs`` are those of ``y``, with that dim
where they are ``batched`` and as they are in each example otherwise.
"""

from __future__ import annotations

from math import prod

from nbgrad.graph.dtypes import bool_, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape, Spec, contiguous_strides

Nodes = tuple[Node, ...]
Flags = tuple[bool, ...]


def every(x: Node, is_batched: bool, size: int) -> Node:
    """``x`` with the dim of examples."""
    return x if is_batched else apply("expand", x, params=((size, *x.spec.shape),))


def _all(inputs: Nodes, batched: Flags, size: int) -> Nodes:
    return tuple([every(x, b, size) for x, b in zip(inputs, batched, strict=True)])


def leading(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """What works on the last dims, whatever comes before them."""
    return apply(y.op, *_all(inputs, batched, size), params=y.params)


def by_dims(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """What works along the dims that its first param lists."""
    dims, *rest = y.params
    return apply(y.op, *_all(inputs, batched, size), params=(tuple([d + 1 for d in dims]), *rest))


def by_dim(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """What works along the dim that is its first param."""
    dim, *rest = y.params
    return apply(y.op, *_all(inputs, batched, size), params=(dim + 1, *rest))


def over_elements(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Element by element: numbers stand beside arrays, and are one for each example where they are batched."""
    shape = (size, *y.spec.shape)
    operands = tuple([beside(x, b, shape) for x, b in zip(inputs, batched, strict=True)])
    return Node(y.op, operands, y.params, Spec.of(shape, y.spec.dtype))


def beside(x: Node, is_batched: bool, shape: Shape) -> Node:
    """Operand ``x`` of what works element by element and has this shape for all examples."""
    if is_batched and x.spec.rank < len(shape):
        x = apply("reshape", x, params=((shape[0], *(1,) * (len(shape) - 1)),))
    elif not is_batched and not x.spec.rank:
        return x
    return x if x.spec.shape == shape else apply("expand", x, params=(shape,))


def reshaped(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    return apply("reshape", *inputs, params=((size, *y.params[0]),))


def permuted(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    return apply("permute", *inputs, params=((0, *[d + 1 for d in y.params[0]]),))


def expanded(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    (x,), (shape,) = inputs, y.params
    lead = (1,) * (len(shape) - (x.spec.rank - 1))
    x = apply("reshape", x, params=((size, *lead, *x.spec.shape[1:]),)) if lead else x
    return apply("expand", x, params=((size, *shape),))


def diagonals(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    a, b, offset = y.params
    return apply("diagonal", *inputs, params=(a + 1, b + 1, offset))


def sliced(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Where each example has a start of its own, elements are taken one by one."""
    x, start = inputs
    dim, length, step = y.params
    if not batched[1]:
        return apply("slice", x, start, params=(dim + 1, length, step))
    x = every(x, batched[0], size)
    return apply("take", _flat(x), _places(x, start, y.params, (size, *y.spec.shape)))


def put_sliced(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    x, w, start = inputs
    dim, length, step = y.params
    x, w = every(x, batched[0], size), every(w, batched[1], size)
    if not batched[2]:
        return apply("put_slice", x, w, start, params=(dim + 1, length, step))
    places = _places(x, start, y.params, w.spec.shape)
    put = apply("scatter_put", _flat(x), _flat(places), _flat(w))
    return apply("reshape", put, params=(x.spec.shape,))


def _places(x: Node, start: Node, params: tuple[int, ...], shape: Shape) -> Node:
    """Of each element of slices of ``shape`` its place in ``x``, read row by row."""
    dim, _, step = params
    total = const(0, int64)
    for d, stride in enumerate(contiguous_strides(x.spec.shape)):
        along = apply("iota", params=(shape, d))
        if d == dim + 1:
            along = along * const(step, int64) + beside(start, True, shape)
        total = along * const(stride, int64) + total
    return total


def _flat(x: Node) -> Node:
    return apply("reshape", x, params=((x.spec.size,),))


def taken(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Of one table by indices of each example; of tables side by side."""
    table, index = inputs
    if not batched[0]:
        return apply("take", table, index)
    return apply("take", _flat(table), _in_table(every(index, batched[1], size), table.spec.shape[1]))


def _in_table(index: Node, length: int) -> Node:
    """``index``, that of example b into table b of those side by side."""
    return index + apply("iota", params=(index.spec.shape, 0)) * const(length, int64)


def in_one(inputs: Nodes, batched: Flags, size: int) -> Nodes:
    """The flattened operands (x, index, ...) of one scatter that does those of all examples."""
    x, index, *values = _all(inputs, batched, size)
    return tuple([_flat(one) for one in (x, _in_table(index, x.spec.shape[1]), *values)])


def scattered(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    together = apply(y.op, *in_one(inputs, batched, size), params=y.params)
    return apply("reshape", together, params=((size, *y.spec.shape),))


def widened(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Around each example; with numbers of their own, first with one and then where that was put."""
    x, fill = inputs
    (around,) = y.params
    wider = (((0, 0), *around),)
    x = every(x, batched[0], size)
    if not batched[1]:
        return apply("pad", x, fill, params=wider)
    inside = apply("expand", const(True, bool_), params=(x.spec.shape,))
    is_inside = apply("pad", inside, const(False, bool_), params=wider)
    wide = apply("pad", x, const(0, x.spec.dtype), params=wider)
    return apply("where", is_inside, wide, beside(fill, True, wide.spec.shape))


def products(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Matrix products. One right factor for all examples makes one product: the examples' rows stand below each other.
    So does one left factor of columns."""
    a, b = inputs
    if not batched[1] and b.spec.rank == 2:
        return _one_product(a, b)
    if not batched[0] and a.spec.rank == 2 and b.spec.shape[-1] == 1:
        rows = _one_product(_transposed(b), _transposed(a))
        return _transposed(rows)
    return apply("matmul", every(a, batched[0], size), every(b, batched[1], size))


def _one_product(a: Node, b: Node) -> Node:
    size, n, k = a.spec.shape
    rows = apply("reshape", a, params=((size * n, k),))
    return apply("reshape", apply("matmul", rows, b), params=((size, n, b.spec.shape[1]),))


def _transposed(x: Node) -> Node:
    rank = x.spec.rank
    return apply("permute", x, params=((*range(rank - 2), rank - 1, rank - 2),))


def solutions(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """Right sides are rows: those of one matrix for all examples are solved at once."""
    a, rows = inputs
    if batched[0] or a.spec.rank != 2:
        return leading(y, inputs, batched, size)
    flat = apply("reshape", rows, params=((prod(rows.spec.shape[:-1]), rows.spec.shape[-1]),))
    return apply("reshape", apply(y.op, a, flat, params=y.params), params=(rows.spec.shape,))


def convolutions(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """One filter for all examples sees more images; each its own are groups of channels."""
    x, w = inputs
    *how, groups = y.params
    if not batched[1]:
        images = apply("reshape", x, params=((size * x.spec.shape[1], *x.spec.shape[2:]),))
        seen = apply("convolution", images, w, params=y.params)
        return apply("reshape", seen, params=((size, *y.spec.shape),))
    if not size:
        return _of_none(y, inputs)
    filters = apply("reshape", w, params=((size * w.spec.shape[1], *w.spec.shape[2:]),))
    if batched[0] or groups > 1:
        x, groups = _channels_of_all(every(x, batched[0], size)), groups * size
    n, channels, *places = y.spec.shape
    seen = apply("convolution", x, filters, params=(*how, groups))
    split = apply("reshape", seen, params=((n, size, channels, *places),))
    return apply("permute", split, params=((1, 0, *range(2, split.spec.rank)),))


def _channels_of_all(x: Node) -> Node:
    """(examples, images, channels, ...) as (images, examples * channels, ...)."""
    size, n, channels, *places = x.spec.shape
    swapped = apply("permute", x, params=((1, 0, *range(2, x.spec.rank)),))
    return apply("reshape", swapped, params=((n, size * channels, *places),))


def _of_none(y: Node, inputs: Nodes) -> Node:
    """No examples, which depend on ``inputs``."""
    nothing = apply("expand", const(0, y.spec.dtype), params=((0, *y.spec.shape),))
    return apply("tie", nothing, *inputs)


def one_by_one(y: Node, inputs: Nodes, batched: Flags, size: int) -> Node:
    """A function of the user's knows nothing of examples: it is called for each."""
    rows = []
    for i in range(size):
        own = [
            apply("reshape", apply("slice", x, const(i, int64), params=(0, 1, 1)), params=(x.spec.shape[1:],))
            if b
            else x
            for x, b in zip(inputs, batched, strict=True)
        ]
        rows.append(apply("reshape", apply(y.op, *own, params=y.params, site=y.site), params=((1, *y.spec.shape),)))
    return apply("cat", *rows, params=(0,)) if rows else _of_none(y, inputs)
