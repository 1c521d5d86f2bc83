"""Compute a cheap value again in the loop that reads it, where that moves fewer bytes than storing it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import inf, prod
from typing import Final, NamedTuple

from nbgrad.graph.geometry import Geometry, base_of, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.op import MAP, VIEW
from nbgrad.passes.group import WRITERS, values_read
from nbgrad.passes.schedule import Draft

MOST_REPEATED: Final = 6  # operators computed again for one value
NEAR: Final = 2.0  # bytes: a load from cache
MOST_IN_LOOP: Final = 300  # a loop at its limit of operators takes a few more, not any number


class Repeat(NamedTuple):
    """What a loop has to do to compute a value itself: more operators, more reads; ``price`` in bytes per element."""

    nodes: list[Node]
    reads: set[Node]
    price: float


def recompute(roots: Sequence[Node], drafts: Sequence[Draft], uniform: Container[Node] = ()) -> None:
    """Add cheap values of other loops to the loops that read them. Their home stops storing what nobody reads.

    ``uniform`` values cost nothing: every loop makes its own.

    An operator's cost is in the same unit as a byte moved: 16 float32 elements take 1 ns for 16 cheap operations, and
    about as long for 16 bytes.
    """
    geometries: dict[Node, Geometry] = {}
    home = {node: draft for draft in drafts for node in draft.nodes}
    kept = {resolve(r, geometries).base for r in roots}
    readers: dict[Node, list[Draft]] = {}
    near: dict[Draft, set[Node]] = {}
    for draft in drafts:
        near[draft] = set()
        for x in values_read(draft.nodes, draft.finish):
            base = x if x.op.kind is not VIEW else resolve(x, geometries).base
            near[draft].add(base)
            if x is base and x.op.kind is MAP and not draft.is_library and x.spec.shape == draft.shape != ():
                readers.setdefault(x, []).append(draft)
            else:
                kept.add(base)
        kept.update([resolve(x, geometries).base for node in draft.finish for x in node.inputs])
    kept |= {node.inputs[0] for draft in drafts for node in draft.nodes if node.op.name == "take"}
    stored = kept | set(readers)
    written = {base_of(d.nodes[0].inputs[0]) for d in drafts if d.nodes and d.nodes[0].op.name in WRITERS}
    hands = {draft: {*draft.nodes, *[x for n in draft.nodes for x in n.inputs]} for draft in drafts}
    for value, users in readers.items():
        if value not in home or value.op.name == "take":
            continue
        around = _Around(home, stored, near, geometries, uniform, written)
        repeats = [_repeat(value, draft, hands[draft], around) for draft in users]
        size = value.spec.dtype.itemsize
        price = sum([r.price for r in repeats])
        room = all(len(d.nodes) + len(r.nodes) <= MOST_IN_LOOP for d, r in zip(users, repeats, strict=True))
        everywhere = room and value not in kept and price <= size * (1 + len(users))
        if everywhere:
            stored.discard(value)
        for draft, repeat in zip(users, repeats, strict=True):
            if everywhere or (room and value in kept and repeat.price <= size):
                draft.repeat(repeat.nodes)
                stored |= repeat.reads
                hands[draft].update(repeat.nodes, repeat.reads)
                near[draft].update([resolve(x, geometries).base for x in repeat.reads])


class _Around(NamedTuple):
    """The loop that computes each value, what lies in memory, and what each loop reads of that, whole or in part.

    ``written`` are arrays that something is written into: who reads them later keeps a copy of them in memory.
    """

    home: dict[Node, Draft]
    stored: set[Node]
    near: dict[Draft, set[Node]]
    geometries: dict[Node, Geometry]
    uniform: Container[Node]
    written: set[Node]


def _repeat(value: Node, draft: Draft, at_hand: set[Node], around: _Around) -> Repeat:
    """What ``draft`` has to do to get ``value`` itself. A read of what nobody stored yet counts twice."""
    nodes = [value]
    reads: set[Node] = set()
    price = 0.0
    stack = [value]
    while stack:
        node = stack.pop()
        price += node.op.cost
        for x in node.inputs:
            if x in at_hand or x in reads or x in nodes or x in around.uniform:
                continue
            if len(nodes) < MOST_REPEATED and x in around.home and _is_cheaper_made(x, at_hand, value, around):
                nodes.append(x)
                stack.append(x)
            else:
                reads.add(x)
                new = x in around.home and x not in around.stored
                price += _bytes_read(x, draft, around) * (2 if new else 1)
    return Repeat(nodes, reads, price)


def _is_cheaper_made(x: Node, at_hand: set[Node], value: Node, around: _Around) -> bool:
    """Whether ``x`` is a map of values that the loop has anyway, or of one that lies in memory when ``x`` doesn't.

    A ``guard`` is how a loop reads memory.
    """
    if x.op.kind is not MAP or x.op.name == "take":
        return False
    missing = [i for i in x.inputs if i.spec.shape and (i not in at_hand or i is value) and i not in around.uniform]
    if x in around.stored or len(missing) > 1:
        return not missing
    return all(i not in around.home or i in around.stored or i.op.name == "guard" for i in missing)


def _bytes_read(x: Node, draft: Draft, around: _Around) -> float:
    """Bytes per element of the loop that reading ``x`` moves: little where the loop reads it again and again, or nearby
    elements of the same array.
    """
    base = resolve(x, around.geometries).base
    if base is not x and base in around.near[draft]:
        return NEAR
    if base in around.written:
        return inf
    return base.spec.dtype.itemsize * min(1.0, base.spec.size / max(prod(draft.shape), 1))
