"""Reading and writing through computed indices. Indices are int64 into flat, contiguous arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ALWAYS, Kind, Op, Params, define
from nbgrad.graph.spec import Spec, contiguous_strides
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import by_dims, put_sliced, scattered, taken
from nbgrad.ops.composite import infer_reduced
from nbgrad.ops.family import elementwise, map_shape
from nbgrad.ops.reduce import restore
from nbgrad.ops.source import iota_node
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import slice_at, slice_index

OUT_OF_BOUNDS = "index {index} is out of bounds for a dimension of size {size}"
INDEX_OUT_OF_RANGE = 2  # the kernel's failure code, nbgrad/tape/kernel.py


def _wrap(b: Any, index: Any, size: Any) -> Any:
    """``index`` counted from the end where negative; the kernel fails where it is outside [-size, size)."""
    zero = b.const(0, b.dtype_of(index))
    wrapped = b.select(b.lt(index, zero), b.add(index, size), index)
    b.fail_if(b.bit_or(b.lt(wrapped, zero), b.ge(wrapped, size)), INDEX_OUT_OF_RANGE)
    return wrapped


def _wrap_reference(index: Any, size: Any, words: str = OUT_OF_BOUNDS) -> Any:
    wrapped = np.where(index < 0, index + size, index)
    _refuse(index, (wrapped < 0) | (wrapped >= size), size, words)
    return wrapped


def _refuse(index: Any, outside: Any, size: Any, words: str) -> None:
    """IndexError for the first index that is outside."""
    if np.any(outside):
        raise IndexError(words.format(index=int(np.asarray(index)[outside].flat[0]), size=int(size)))


def _check(b: Any, index: Any, size: Any) -> Any:
    """``index`` as it is; the kernel fails where it is outside [0, size)."""
    b.fail_if(b.bit_or(b.lt(index, b.const(0, b.dtype_of(index))), b.ge(index, size)), INDEX_OUT_OF_RANGE)
    return index


def _check_reference(index: Any, size: Any, words: str = OUT_OF_BOUNDS) -> Any:
    _refuse(index, (index < 0) | (index >= size), size, words)
    return index


# Their one param, which may be left out, words the error of the reference; kernels know nothing of it.
wrap_index = elementwise("wrap_index", emit=_wrap, reference=_wrap_reference, can_fail=ALWAYS)


def _require_reference(x: Any, condition: Any, words: str = "") -> Any:
    if not np.all(condition):
        raise ArgumentError(words)
    return np.broadcast_to(x, np.broadcast_shapes(np.shape(x), np.shape(condition)))


def _require(b: Any, x: Any, condition: Any, words: str = "") -> Any:
    b.fail_if(b.bit_not(condition), INDEX_OUT_OF_RANGE)
    return x


require = elementwise(  # (x, condition): x; it fails where the condition is false, with the error that its param words
    "require",
    infer=lambda specs, params: Spec.of(map_shape("require", specs), specs[0].dtype),
    emit=_require,
    reference=_require_reference,
    vjp=lambda g, y, inputs, params: (g, None),
    moves=True,
    can_fail=ALWAYS,
)
check_index = elementwise(
    "check_index", emit=_check, reference=_check_reference, can_fail=ALWAYS
)  # where no negative index is meant


def _take_infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(specs[1].shape, specs[0].dtype)


take = define(
    Op(
        # inputs (table 1-d, index any shape): table[index], element by element
        "take",
        Kind.MAP,
        _take_infer,
        lambda table, index: np.asarray(table[index]),
        vjp=lambda g, y, i, p: (_scatter(zeros_of(i[0].spec), i[1], g), None),
        jvp=linear,
        cost=8,
        batch=taken,
        moves=True,
        can_fail=ALWAYS,
    )
)


def _is_chosen(x: Node, index: Node, params: Params) -> Node:
    return apply("eq", iota_node(x.spec.shape, params[0][0]), restore(index, x.spec.shape, params[0]))


def _chosen(inputs: tuple[Node, ...], params: Params) -> Node:
    """Of what lies in memory that element is read. What is computed has all of them under a mask, which fuses with it
    and with its derivative. Either way -0 is 0.
    """
    (x, index), zero = inputs, const(0, inputs[0].spec.dtype)
    if x.op.name != "input" or not x.spec.size:
        return apply("sum", apply("where", _is_chosen(x, index, params), x, zero), params=params)
    (dim,), shape = params[0], index.spec.shape
    strides = list(contiguous_strides(x.spec.shape))
    place = index * const(strides.pop(dim), int64)
    for d, stride in enumerate(strides):
        place = place + iota_node(shape, d) * const(stride, int64)
    return apply("take", _flat(x), place) + zero


def _chosen_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    x, index = inputs
    spread = restore(g, x.spec.shape, params[0])
    return apply("where", _is_chosen(x, index, params), spread, const(0, x.spec.dtype)), None


def _chosen_reference(x: Any, index: Any, dims: Any) -> Any:
    return np.take_along_axis(x, np.expand_dims(index, dims), dims[0]).squeeze(dims[0]) + x.dtype.type(0)


chosen = define(
    # inputs (x, index), params ((dim,),): the element of x at ``index`` along dim, which is known to be there
    Op(
        "chosen",
        Kind.COMPOSITE,
        infer_reduced,
        _chosen_reference,
        vjp=_chosen_vjp,
        decompose=_chosen,
        batch=by_dims,
    )
)


def _flat(x: Node) -> Node:
    return apply("reshape", x, params=((x.spec.size,),))


def _scatter(into: Node, index: Node, values: Node) -> Node:
    return apply("scatter_add", into, _flat(index), _flat(values))


def _scatter_add_reference(x: Any, index: Any, values: Any) -> Any:
    out = np.array(x)
    np.add.at(out, index, values)
    return out


def _scatter_put_reference(x: Any, index: Any, values: Any) -> Any:
    out = np.array(x)
    out[index] = values  # with repeated indices the last one stays, as in the kernel
    return out


def index_of(table: Node, index: Node) -> Node:
    return apply("take", table, index)


scatter_add = define(
    Op(
        # inputs (x 1-d, index 1-d, values 1-d): x with values added at index, in source order
        "scatter_add",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _scatter_add_reference,
        vjp=lambda g, y, i, p: (g, None, index_of(g, i[1])),
        jvp=linear,
        batch=scattered,
        can_fail=ALWAYS,
    )
)
scatter_put = define(
    Op(
        # inputs (x 1-d, index 1-d, values 1-d): x with values written at index, in source order
        "scatter_put",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _scatter_put_reference,
        vjp=lambda g, y, i, p: (
            apply("scatter_put", g, i[1], zeros_of(i[2].spec)),
            None,
            index_of(g, i[1]),
        ),
        jvp=linear,
        batch=scattered,
        moves=True,
        can_fail=ALWAYS,
    )
)


def _roll(inputs: tuple[Node, ...], params: Params) -> Node:
    """Two parts change places, and a loop reads them where they lie; of several dims each element from its place."""
    (x,), (dims, shifts) = inputs, params
    shape = x.spec.shape
    if len(dims) == 1:
        (d,), (shift,) = dims, shifts
        ahead = shape[d] - shift
        return apply("cat", slice_at(x, ahead, d, shift), slice_at(x, 0, d, ahead), params=(d,))
    moved = dict(zip(dims, shifts, strict=True))
    place: Node | None = None
    for d, stride in enumerate(contiguous_strides(shape)):
        along = iota_node(shape, d)
        if d in moved:
            shift = moved[d]
            came_round = apply("lt", along, const(shift, int64))
            back = apply("where", came_round, const(shift - shape[d], int64), const(shift, int64))
            along = along - back
        term = along if stride == 1 else along * const(stride, int64)
        place = term if place is None else place + term
    assert place is not None, "0-d values are not rolled"
    return index_of(_flat(x), place)


roll = define(
    Op(
        # params: (dims, shifts), each shift in [1, size of its dim)
        "roll",
        Kind.COMPOSITE,
        lambda specs, params: specs[0],
        lambda x, dims, shifts: np.roll(x, shifts, dims),
        vjp=lambda g, y, i, p: (
            apply("roll", g, params=(p[0], tuple([g.spec.shape[d] - n for d, n in zip(*p, strict=True)]))),
        ),
        jvp=linear,
        decompose=_roll,
        batch=by_dims,
        moves=True,
    )
)


def _put_slice_reference(x: Any, w: Any, start: Any, *params: Any) -> Any:
    out = np.array(x)
    out[slice_index(out.ndim, int(start), params)] = w
    return out


def _put_slice_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    _, w, start = inputs
    return apply("put_slice", g, zeros_of(w.spec), start, params=params), apply("slice", g, start, params=params), None


put_slice = define(
    Op(
        # inputs (x, w, start), params (dim, length, step): x with the slice replaced by w
        "put_slice",
        Kind.LIBRARY,
        lambda specs, params: specs[0],
        _put_slice_reference,
        vjp=_put_slice_vjp,
        jvp=linear,
        batch=put_sliced,
        moves=True,
    )
)
