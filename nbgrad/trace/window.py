"""A chain of view calls over a base: as nodes, and whether it can share the base's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import as_dtype
from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, const
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Spec
from nbgrad.number import value_of
from nbgrad.ops.source import input_node
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.export import Array
from nbgrad.trace.handle import Handle, ViewStep
from nbgrad.trace.trie import NONE

_shares: dict[Any, bool] = {}
_REMEMBERED = 10_000


def window_node(base: Spec, chain: Sequence[ViewStep]) -> Node:
    """The views from a base to what ``chain`` shows of it, with its numbers as constants."""
    node = input_node(0, base)
    for call, marks, numbers, statics in chain:
        rest = iter(numbers)
        operands = [node, *[None if mark == NONE else _constant(next(rest)) for mark in marks]]
        named = dict(zip(call.operands, operands, strict=False))
        node = call.build(**named, **dict(zip(call.statics, statics, strict=False)))
    return node


def _constant(number: float | int) -> Node:
    number = value_of(number)
    return const(number, as_dtype(type(number)))


def shares_memory(base: Spec, chain: Sequence[ViewStep]) -> bool:
    """Whether strides can express ``chain`` over row-major memory: a transposed matrix has no flat view, for one."""
    key = (base, tuple([(call, marks, statics) for call, marks, _, statics in chain]))
    known = _shares.get(key)
    if known is None:
        if len(_shares) > _REMEMBERED:
            _shares.clear()
        known = _shares[key] = resolve(window_node(base, chain), {}).base.op.kind is not Kind.VIEW
    return known


def view_array(a: Handle, base_array: Array) -> Array:
    """``a``'s window on its base's array."""
    assert a.rare is not None and a.rare.base is not None
    base_spec = a.rare.base.at.spec
    assert base_spec is not None
    return _window(view_node(a, base_spec), base_array)


def view_node(a: Handle, base_spec: Spec) -> Node:
    """The chain of view operators from a base to ``a``, with its numbers as constants."""
    assert a.rare is not None
    return window_node(base_spec, a.rare.chain)


def _window(node: Node, array: Array) -> Array:
    if node.op.kind is Kind.SOURCE:
        return array
    inner = _window(node.inputs[0], array)
    starts = [int(x.params[0]) for x in node.inputs[1:]]
    window: Array = node.op.reference(inner, *starts, *node.params)
    return window


def snapshot(a: Handle) -> Buffer:
    """What exported memory shows through ``a`` now, copied."""
    base = a if a.rare is None or a.rare.base is None else a.rare.base
    assert base.rare is not None
    array = base.rare.export.array()
    return Buffer.from_numpy(array if base is a else view_array(a, array))
