"""Parts of an array that are read after others were written, as copies of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, apply, rebuild, toposort
from nbgrad.graph.op import SOURCE, VIEW
from nbgrad.passes.group import WRITERS

LEAST_WRITES: Final = 8  # into one array: with fewer, there are few copies of it
MOST_ARRAYS: Final = 8  # each is one more walk over the graph
PART: Final = 2  # what is read is at most one of so many parts of the array


def snapshot(roots: Sequence[Node]) -> list[Node]:
    """What a loop reads of an array, and its derivative again when the array was written since, is copied when it is
    there. Otherwise all of the array would be copied, as it was in each round.

    Needs: a canonical graph.   Gives: arrays that can be written where they are.
    Keeps: values bit for bit.   Cost: one walk, and one for each array that is written often.
    """
    order = toposort(roots)
    late: dict[tuple[Node, Node], None] = {}
    for versions in _written_often(order):
        late.update(_read_late(order, versions))
    if not late:
        return list(roots)
    copies: dict[Node, Node] = {}
    new: dict[Node, Node] = {}

    def given(node: Node, x: Node) -> Node:
        if (node, x) not in late:
            return new[x]
        return copies.get(x) or copies.setdefault(x, apply("copy", new[x], site=x.site))

    for node in order:
        new[node] = rebuild(node, [given(node, x) for x in node.inputs])
    return [new[root] for root in roots]


def _written_often(order: Sequence[Node]) -> list[Mapping[Node, int]]:
    """Of each array its values by how often it was written until then."""
    arrays: dict[Node, dict[Node, int]] = {}  # by each of its values
    for node in order:
        if node.op.name in WRITERS and (before := base_of(node.inputs[0])).op.kind is not SOURCE:
            versions = arrays.setdefault(before, {before: 0})
            versions[node] = versions[before] + 1
            arrays[node] = versions
    found = {id(versions): versions for versions in arrays.values() if len(versions) > LEAST_WRITES}
    longest: list[Mapping[Node, int]] = sorted(found.values(), key=len, reverse=True)
    return longest[:MOST_ARRAYS]


def _read_late(order: Sequence[Node], versions: Mapping[Node, int]) -> dict[tuple[Node, Node], None]:
    """Who reads a part of a value of an array, and waits for one that was written later: (reader, the part)."""
    found: dict[tuple[Node, Node], None] = {}
    seen: dict[Node, int] = {}  # the last value of the array that each node is made of
    for node in order:
        last = max([seen[x] for x in node.inputs], default=-1)
        seen[node] = max(last, versions.get(node, -1))
        if node.op.kind is VIEW:
            continue
        for x in node.inputs:
            if seen[x] == last or x.op.kind is not VIEW:
                continue
            base = base_of(x)
            if base in versions and PART * x.spec.size <= base.spec.size:
                found[node, x] = None
    return found
