"""A chain of view calls over a base: as nodes, and whether it can share the base's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from nbgrad.calls.key import INT, NONE
from nbgrad.graph.dtypes import as_dtype
from nbgrad.graph.geometry import Geometry, is_contiguous, resolve
from nbgrad.graph.node import Node, const
from nbgrad.graph.op import Kind, Params
from nbgrad.graph.spec import Shape, Spec, contiguous_strides
from nbgrad.number import value_of
from nbgrad.ops.source import input_node

Array = np.ndarray[Any, np.dtype[Any]]

# A view call: what was called, the type marks of its numbers, the numbers, the static arguments.
ViewStep = tuple[Any, tuple[int, ...], tuple[Any, ...], tuple[Any, ...]]

Look = tuple[Callable[..., Array], tuple[int, ...], Params]  # a view in NumPy: the places of its starts, its params

_layouts: dict[Any, Shape | None] = {}
_looks: dict[Any, tuple[list[int], list[Look]]] = {}
_REMEMBERED = 10_000
_SAME_ELEMENTS = ("view", "reshape", "view_as", "reshape_as", "flatten", "unflatten")  # where sizes stay


def view_node(base: Spec, chain: Sequence[ViewStep]) -> Node:
    """The views from a base to what ``chain`` shows of it, with its numbers as constants."""
    return _nodes(base, chain)[-1]


def _nodes(base: Spec, chain: Sequence[ViewStep]) -> list[Node]:
    """The base, and what is seen after each step of ``chain``."""
    return _seen_by(base, chain, iter([_constant(number) for step in chain for number in step[2]]))


def _seen_by(base: Spec, chain: Sequence[ViewStep], numbers: Iterator[Node]) -> list[Node]:
    nodes = [input_node(0, base)]
    for call, marks, _, statics in chain:
        operands = [nodes[-1], *[None if mark == NONE else next(numbers) for mark in marks]]
        nodes.append(call.built(operands, statics))
    return nodes


def _constant(number: float | int) -> Node:
    number = value_of(number)
    return const(number, as_dtype(type(number)))


def geometry(base: Spec, chain: Sequence[ViewStep], strides: Shape | None = None) -> Geometry:
    """Where what ``chain`` shows lies over memory of these strides, row-major where there are none."""
    nodes = _nodes(base, chain)
    known = {} if strides is None else {nodes[0]: Geometry(nodes[0], 0, (), strides)}
    for step, before, node in zip(chain, nodes[:-1], nodes[1:], strict=True):
        old, found = resolve(before, known), resolve(node, known)
        if (kept := _kept_strides(step, before.spec.shape, old.strides, node.spec.shape)) is not None:
            known[node] = found._replace(strides=kept)
    return resolve(nodes[-1], known)


def _kept_strides(step: ViewStep, shape: Shape, strides: Shape, new_shape: Shape) -> Shape | None:
    """The strides after a step that adds dims of size 1, or takes some away: all others are as they were, whatever
    stands at dims of size 1. None for other steps."""
    call, _, _, statics = step
    if shape == new_shape and call.name in _SAME_ELEMENTS:
        return strides
    dim: Any = statics[call.statics.index("dim")] if "dim" in call.statics else None
    if call.name == "unsqueeze":
        dim %= len(new_shape)
        return (*strides[:dim], shape[dim] * strides[dim] if dim < len(shape) else 1, *strides[dim:])
    if call.name == "squeeze":
        dims = (
            range(len(shape))
            if dim is None
            else [d % max(len(shape), 1) for d in ((dim,) if isinstance(dim, int) else dim)]
        )
        return tuple([s for d, (n, s) in enumerate(zip(shape, strides, strict=True)) if n != 1 or d not in dims])
    if call.name in ("select", "unbind") and dim is not None:
        return tuple([s for d, s in enumerate(strides) if d != dim % len(shape)])
    return None


def layout(base: Spec, chain: Sequence[ViewStep], strides: Shape | None = None) -> Shape | None:
    """The strides of what ``chain`` shows over such memory, () of what is row-major. None where no strides can express
    it: a transposed matrix has no flat view, for one."""
    key = strides, structure(base, chain)
    try:
        return _layouts[key]
    except KeyError:
        if len(_layouts) > _REMEMBERED:
            _layouts.clear()
        node, found = view_node(base, chain), geometry(base, chain, strides)
        is_copy, is_row_major = found.base.op.kind is Kind.VIEW, is_contiguous(node.spec.shape, found.strides)
        known = _layouts[key] = None if is_copy else () if is_row_major else found.strides
        return known


def shares_memory(base: Spec, chain: Sequence[ViewStep], strides: Shape | None = None) -> bool:
    """Whether strides can express ``chain`` over such memory."""
    return layout(base, chain, strides) is not None


def structure(base: Spec, chain: Sequence[ViewStep]) -> Any:
    """A key for all windows that differ in their numbers alone."""
    return base, tuple([(call, marks, statics) for call, marks, _, statics in chain])


def view_array(base: Spec, chain: Sequence[ViewStep], array: Array) -> Array:
    """What ``chain`` shows of an array that is like ``base``."""
    if not chain:
        return array
    key = structure(base, chain)
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
    node = _seen_by(base, chain, iter(starts))[-1]
    looks: list[Look] = []
    while node.op.kind is not Kind.SOURCE:
        view, (node, *own) = node, node.inputs
        starts += [start for start in own if start not in starts]
        looks.append((view.op.reference, tuple([starts.index(start) for start in own]), view.params))
    return [int(start.params[0]) for start in starts[count:]], looks[::-1]


@lru_cache(10_000)
def row_bytes(base: Spec, chain: Sequence[ViewStep]) -> tuple[int, ...]:
    """By how many bytes views by numbers move on with each of these, where they show whole rows of a row-major base,
    one after the other; () where they do not. The numbers of ``chain`` are zeros."""
    places = [(step, k) for step, (_, _, numbers, _) in enumerate(chain) for k in range(len(numbers))]
    if base.place or not all({*marks} <= {INT} for _, marks, _, _ in chain):
        return ()
    here, shown = geometry(base, chain), view_node(base, chain).spec
    if here.base.op.kind is Kind.VIEW or here.offset or not _is_row_major(shown, here.strides):
        return ()
    moves = []
    for step, k in places:
        call, marks, numbers, statics = chain[step]
        moved = call, marks, (*numbers[:k], 1, *numbers[k + 1 :]), statics
        moves.append(geometry(base, (*chain[:step], moved, *chain[step + 1 :])).offset * shown.dtype.itemsize)
    return tuple(moves)


def _is_row_major(spec: Spec, strides: Sequence[int]) -> bool:
    steps = zip(spec.shape, strides, contiguous_strides(spec.shape), strict=True)
    return all(n == 1 or stride == wanted for n, stride, wanted in steps)
