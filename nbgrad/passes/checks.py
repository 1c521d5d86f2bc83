"""Checks of indices that a device makes first of all, so that nothing after them can fail.

A device does not stop at a failure, and whoever waits for its answer waits for all that may fail. Where that is an
embedding's gradient, it is the whole step; the indices themselves are there from the beginning. What follows from
indices that were checked, and from sizes, is within bounds by arithmetic on intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import DType, bool_, by_name
from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import MAP, VIEW, Params
from nbgrad.ops.scatter_rows import program_of
from nbgrad.passes.donations import can_fail
from nbgrad.passes.group import Group

MOST_DEEP: Final = 64  # operators from an index to what it is made of
_SAME_ELEMENTS: Final = ("reshape", "permute", "expand")
_CHECKS: Final = ("check_index", "wrap_index")
_EARLY: Final = frozenset([*_CHECKS, "add", "sub", "mul", "neg", "cast", "where", "eq", "ne", "lt", "le", "gt", "ge"])

Range = tuple[int, int]  # the lowest and the highest number that a value may be


class _Fact(NamedTuple):
    """What is known of a value: where its numbers lie; ``node`` computes them from the elements of ``leaf``, an input,
    or of none. ``way`` leads from where these lie in ``leaf`` to where they lie in the value."""

    range: Range | None
    node: Node | None = None
    leaf: Node | None = None
    way: tuple[tuple[str, Params], ...] = ()


_NOTHING: Final = _Fact(None)


def early_checks(groups: Iterable[Group]) -> list[Group] | None:
    """Groups that check indices; once they have run, nothing in ``groups`` can fail. None where something could."""
    facts = _Facts()
    for group in groups:
        for node in group.computed:
            if can_fail(node.op.name, node.spec.dtype.kind == "f") and not facts.is_safe(node):
                return None
    return [Group(_chain(check), (check,), check.spec.shape, ()) for check in facts.checks]


class _Facts:
    """What is known of values, once the ``checks`` have passed."""

    def __init__(self) -> None:
        self.checks: dict[Node, None] = {}
        self.has_all = True  # checks that are needed can be made early
        self._known: dict[Node, _Fact] = {}
        self._made: dict[Any, Node] = {}

    def is_safe(self, node: Node) -> bool:
        """Whether ``node`` cannot fail."""
        return self._is_within(node) and self.has_all

    def _is_within(self, node: Node) -> bool:
        name = node.op.name
        if name in _CHECKS:
            return self.of(node).range is not None
        if name in ("take", "scatter_add", "scatter_put"):
            return _lies_in(self.of(node.inputs[1]).range, 0, node.inputs[0].spec.size - 1)
        if name == "scatter_rows":
            program = program_of(node)
            return _lies_in(self._start_of_rows(node).range, 0, node.spec.size - program.shape[-1])
        divisor = self.of(node.inputs[1]).range
        return divisor is not None and not divisor[0] <= 0 <= divisor[1]

    def _start_of_rows(self, node: Node) -> _Fact:
        """Where ``scatter_rows`` adds."""
        program = program_of(node)
        operands = [self.of(x) for x in node.inputs[1:]]
        made: list[_Fact] = []
        for name, codes, params, dtype in program.steps:
            args = [operands[c] if c >= 0 else made[-1 - c] for c in codes]
            made.append(self._combined(name, args, params, node.site, by_name(dtype)))
        return operands[program.start] if program.start >= 0 else made[-1 - program.start]

    def of(self, x: Node, depth: int = 0) -> _Fact:
        found = self._known.get(x)
        if found is None:
            found = self._known[x] = self._found(x, depth + 1) if depth < MOST_DEEP else _NOTHING
        return found

    def _found(self, x: Node, depth: int) -> _Fact:
        name = x.op.name
        if name == "const":
            (value, _) = x.params
            is_whole = not x.spec.dtype.is_floating_point
            return _Fact((int(value), int(value)) if is_whole else None, self._once(name, (), x.params, x.site))
        if name == "iota":
            shape, dim = x.params
            return _Fact((0, max(shape[dim] - 1, 0)))
        if name in _SAME_ELEMENTS:
            fact = self.of(x.inputs[0], depth)
            return fact._replace(way=(*fact.way, (name, x.params)))
        if x.op.kind is MAP and name in _EARLY:
            return self._combined(name, [self.of(i, depth) for i in x.inputs], x.params, x.site, x.spec.dtype)
        is_given = base_of(x).op.name == "input"
        limits = self.of(x.inputs[0], depth).range if x.op.kind is VIEW else None
        return _Fact(limits, x, x) if is_given else _Fact(limits)

    def _combined(self, name: str, args: Sequence[_Fact], params: Params, site: str, dtype: DType) -> _Fact:
        """What is known of an operator's result of ``dtype``, where its operands are as ``args`` say."""
        leaves = {(a.leaf, a.way) for a in args if a.leaf is not None}  # of one element each, where there is one
        nodes = [a.node for a in args if a.node is not None]
        is_early = name in _EARLY and len(nodes) == len(args) and len(leaves) <= 1
        node = self._once(name, nodes, params, site) if is_early else None
        leaf, way = next(iter(leaves), (None, ())) if is_early else (None, ())
        if name not in _CHECKS:
            return _Fact(_kept_by(dtype, _range_of(name, [a.range for a in args])), node, leaf, way)
        size = args[1].range
        if size is None or size[0] != size[1] or size[0] <= 0:
            return _NOTHING
        lowest = 0 if name == "check_index" else -size[0]
        if not _lies_in(args[0].range, lowest, size[0] - 1):
            if node is None or leaf is None:
                self.has_all = False
            else:
                self.checks[node] = None
        return _Fact((0, size[0] - 1), node, leaf, way)

    def _once(self, name: str, inputs: Sequence[Node], params: Params, site: str) -> Node:
        """One node for all uses of an operator that are alike, at the line of the first."""
        key = name, tuple(map(id, inputs)), params
        node = self._made.get(key)
        if node is None:
            node = self._made[key] = apply(name, *inputs, params=params, site=site)
        return node


def _lies_in(found: Range | None, lowest: int, highest: int) -> bool:
    return found is not None and lowest <= found[0] and found[1] <= highest


def _kept_by(dtype: DType, found: Range | None) -> Range | None:
    """Where numbers of ``found`` lie once they are of ``dtype``: anywhere, if it has not all of them."""
    if dtype.is_floating_point:
        return None
    limits = np.iinfo(dtype.numpy if dtype is not bool_ else np.uint8)
    highest = 1 if dtype is bool_ else int(limits.max)
    return found if _lies_in(found, int(limits.min), highest) else None


def _range_of(name: str, ranges: Sequence[Range | None]) -> Range | None:
    """Where the results of an operator lie, that of its operands given."""
    if name in ("eq", "ne", "lt", "le", "gt", "ge"):
        return 0, 1
    known = [r for r in (ranges[1:] if name == "where" else ranges) if r is not None]
    if len(known) != len(ranges) - (name == "where"):
        return None
    if name in ("where", "cast"):
        return min(low for low, _ in known), max(high for _, high in known)
    if name == "neg":
        ((low, high),) = known
        return -high, -low
    if name not in ("add", "sub", "mul"):
        return None
    (a, b), (c, d) = known
    if name == "add":
        return a + c, b + d
    if name == "sub":
        return a - d, b - c
    corners = (a * c, a * d, b * c, b * d)
    return min(corners), max(corners)


def _chain(check: Node) -> tuple[Node, ...]:
    """The maps that ``check`` is made by, in order."""
    order: dict[Node, None] = {}
    stack = [(check, False)]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            order[node] = None
        elif node.op.kind is MAP and node not in order:
            stack.append((node, True))
            stack += [(x, False) for x in reversed(node.inputs)]
    return tuple(order)
