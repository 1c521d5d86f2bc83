"""Where numbers belong among ascending ones."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call, promoted
from nbgrad.calls.indexing import flat, gather, places
from nbgrad.errors import DTypeError, RunError, ShapeError
from nbgrad.graph.dtypes import int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to


@call()
def searchsorted(
    sorted_sequence: TensorNode,
    input: Node,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: TensorNode | None = None,
) -> Node:
    """How many elements of each ascending row of ``sorted_sequence`` are less than each number of ``input``; with
    ``right`` or ``side`` "right", how many are not more.

    Shapes: a vector and anything, or (..., n) and (..., k), whose dims in front are the same; int64, or int32.
    ``sorter`` says in which order the rows are ascending. NaN belongs behind all others. RuntimeError for shapes that
    do not go together, and for sides that contradict. A binary search, in log2(n) rounds.

    >>> nbgrad.searchsorted(nbgrad.tensor([1.0, 3.0, 5.0]), nbgrad.tensor([3.0, 6.0]))
    tensor([1, 3])
    """
    if side not in (None, "left", "right"):
        raise RunError(f"searchsorted: side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RunError("searchsorted: side and right can't be set to opposites, got side of left while right was True")
    rows = sorted_sequence
    if not rows.spec.shape:
        raise ShapeError("searchsorted: the sorted sequence must have at least one dim")
    if sorter is not None:
        if sorter.spec.shape != rows.spec.shape:
            raise ShapeError(
                f"searchsorted: sorter must have the shape of the sequence, {list(rows.spec.shape)}, but got "
                f"{list(sorter.spec.shape)}"
            )
        if sorter.spec.dtype is not int64:
            raise DTypeError(f"searchsorted: sorter must be int64, got {sorter.spec.dtype.name}")
        rows = gather(rows, -1, sorter)
    if rows.spec.rank > 1 and rows.spec.shape[:-1] != input.spec.shape[:-1]:
        raise ShapeError(
            "searchsorted: the sequence must be a vector, or the input have its dims but for the last one, got "
            f"{list(rows.spec.shape)} and {list(input.spec.shape)}"
        )
    found = _reached(rows, input, right or side == "right")
    return cast_to(found, int32) if out_int32 else found


@call(number_first=True)
def bucketize(input: Node, boundaries: TensorNode, *, out_int32: bool = False, right: bool = False) -> Node:
    """In which of the intervals between the ascending ``boundaries`` (a vector) each number of ``input`` lies: with
    ``right`` those that begin at a boundary, otherwise those that end there.

    >>> nbgrad.bucketize(nbgrad.tensor([0.0, 3.0, 9.0]), nbgrad.tensor([1.0, 3.0, 5.0]))
    tensor([0, 1, 3])
    """
    if boundaries.spec.rank != 1:
        raise ShapeError(f"bucketize: boundaries tensor must be 1 dimension, but got {boundaries.spec.rank} dims")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def _reached(rows: Node, x: Node, or_equal: bool) -> Node:
    """How many elements of its row come before each element of ``x``."""
    rows, x = promoted(rows, x)
    shape, n = rows.spec.shape, rows.spec.shape[-1]
    found = expand_to(const(0, int64), x.spec.shape)
    stride = 1 << n.bit_length()
    while (stride := stride // 2) and x.spec.size:
        at = found + const(stride - 1, int64)
        inside = apply("lt", at, const(n, int64))
        at = apply("minimum", at, const(n - 1, int64))
        here = apply("take", flat(rows), at if len(shape) == 1 else places(shape, len(shape) - 1, at))
        is_before = apply("where", apply("gt" if or_equal else "ge", here, x), found, found + const(stride, int64))
        found = apply("where", inside, is_before, found)
    return found
