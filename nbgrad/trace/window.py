"""A chain of view calls over a base: as nodes, and whether it can share the base's memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nbgrad.graph.dtypes import as_dtype
from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, const
from nbgrad.graph.op import Kind, Params
from nbgrad.graph.spec import HOST, Spec, contiguous_strides
from nbgrad.number import value_of
from nbgrad.ops.source import input_node
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.trace.export import Array
from nbgrad.trace.handle import Handle, ViewStep, spec_of
from nbgrad.trace.trie import NONE

Look = tuple[Callable[..., Array], tuple[int, ...], Params]  # a view in NumPy: the places of its starts, its params

_shares: dict[Any, bool] = {}
_looks: dict[Any, tuple[list[int], list[Look]]] = {}
_REMEMBERED = 10_000


def window_node(base: Spec, chain: Sequence[ViewStep]) -> Node:
    """The views from a base to what ``chain`` shows of it, with its numbers as constants."""
    return _seen_by(base, chain, iter([_constant(number) for step in chain for number in step[2]]))


def _seen_by(base: Spec, chain: Sequence[ViewStep], numbers: Iterator[Node]) -> Node:
    node = input_node(0, base)
    for call, marks, _, statics in chain:
        operands = [node, *[None if mark == NONE else next(numbers) for mark in marks]]
        named = dict(zip(call.operands, operands, strict=False))
        node = call.build(**named, **dict(zip(call.statics, statics, strict=False)))
    return node


def _constant(number: float | int) -> Node:
    number = value_of(number)
    return const(number, as_dtype(type(number)))


def shares_memory(base: Spec, chain: Sequence[ViewStep]) -> bool:
    """Whether strides can express ``chain`` over row-major memory: a transposed matrix has no flat view, for one."""
    key = _structure(base, chain)
    known = _shares.get(key)
    if known is None:
        if len(_shares) > _REMEMBERED:
            _shares.clear()
        known = _shares[key] = resolve(window_node(base, chain), {}).base.op.kind is not Kind.VIEW
    return known


def _structure(base: Spec, chain: Sequence[ViewStep]) -> Any:
    """A key for all windows that differ in their numbers alone."""
    return base, tuple([(call, marks, statics) for call, marks, _, statics in chain])


def view_array(base: Spec, chain: Sequence[ViewStep], array: Array) -> Array:
    """What ``chain`` shows of an array that is like ``base``."""
    if not chain:
        return array
    key = _structure(base, chain)
    try:
        fixed, looks = _looks[key]
    except KeyError:
        if len(_looks) > _REMEMBERED:
            _looks.clear()
        fixed, looks = _looks[key] = _looks_of(base, chain)
    numbers = [int(value_of(number)) for step in chain for number in step[2]] + fixed
    for view, places, params in looks:
        array = view(array, *[numbers[place] for place in places], *params)
    return array


def _looks_of(base: Spec, chain: Sequence[ViewStep]) -> tuple[list[int], list[Look]]:
    """The views of ``chain`` for any numbers in it, and the numbers that are always the same, placed after those."""
    starts = [_constant(number) for step in chain for number in step[2]]
    count = len(starts)
    node = _seen_by(base, chain, iter(starts))
    looks: list[Look] = []
    while node.op.kind is not Kind.SOURCE:
        view, (node, *own) = node, node.inputs
        starts += [start for start in own if start not in starts]
        looks.append((view.op.reference, tuple([starts.index(start) for start in own]), view.params))
    return [int(start.params[0]) for start in starts[count:]], looks[::-1]


def row_bytes(base: Spec, step: ViewStep) -> int:
    """By how many bytes a view by one number moves on with it, where it shows whole rows of a row-major base, one after
    the other; 0 where it does not."""
    call, marks, _, statics = step
    if base.place:
        return 0
    here, next_one = [resolve(window_node(base, ((call, marks, (k,), statics),)), {}) for k in (0, 1)]
    shown = window_node(base, ((call, marks, (0,), statics),)).spec
    if here.base.op.kind is Kind.VIEW or here.offset or not _is_row_major(shown, here.strides):
        return 0
    return (next_one.offset - here.offset) * base.dtype.itemsize


def _is_row_major(spec: Spec, strides: Sequence[int]) -> bool:
    steps = zip(spec.shape, strides, contiguous_strides(spec.shape), strict=True)
    return all(n == 1 or stride == wanted for n, stride, wanted in steps)


def has_rows(root: Handle) -> bool:
    """Whether the memory of ``root``, which others may see, is this machine's and row-major: it can be read where it
    is."""
    export = None if root.share is None else root.share.storage.export
    return not spec_of(root).place and (export is None or export.is_row_major)


def stretch(a: Handle, root: Handle) -> Buffer:
    """Memory like that of ``root``, in which what ``a``, a view of it, shows is copied, and nothing else."""
    spec = root.at.spec
    assert spec is not None and a.share is not None
    array = root.buffer.array(spec.shape, spec.dtype.numpy)
    shown = Buffer.wrap(view_array(spec, a.share.steps, array))
    copied = Buffer.alloc(root.buffer.nbytes)
    ctypes.memmove(copied.address + shown.address - root.buffer.address, shown.address, shown.nbytes)
    return copied


def snapshot(a: Handle) -> Buffer:
    """What exported memory shows through ``a`` now, copied."""
    share = a.share
    root = a if share is None or share.root is None else share.root
    spec, export = root.at.spec, None if share is None else share.storage.export
    assert spec is not None
    if share is not None and share.rows >= 0 and export is not None and export.is_row_major:
        return Buffer.copied(export.buffer.address + share.rows, spec_of(a).size_bytes)
    if export is None:  # another thread is about to export it again
        array = at_place(root.buffer, spec.place, HOST).array(spec.shape, spec.dtype.numpy)
    elif spec.place and root is a:
        return export.copied()  # type: ignore[no-any-return]
    else:
        array = export.shown()
    shown = Buffer.from_numpy(view_array(spec, () if share is None else share.steps, array))
    return at_place(shown, HOST, spec.place)  # type: ignore[no-any-return]
