"""Values that loops write where a concatenation wants them, so that nothing is copied there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import MAP
from nbgrad.passes.group import Group
from nbgrad.tape.build import Piece
from nbgrad.tape.loop import row_major

LEAST_RUN: Final = 64  # elements in a row: a loop over shorter rows loses more than a copy costs


def find_pieces(roots: Sequence[Node], groups: Sequence[Group]) -> dict[Node, Piece]:
    """The places of values that one ``cat`` reads, and nobody else."""
    wholes = [group.nodes[0] for group in groups if group.nodes[0].op.name == "cat"]
    if not wholes:
        return {}
    readers = Counter([x for node in toposort(roots) for x in node.inputs])
    readers.update(roots)
    written = {node for group in groups for node in group.stores if node.op.kind is MAP and node not in group.finish}
    found = {}
    for whole in wholes:
        for x, offset in cat_places(whole):
            is_long = prod(x.spec.shape[whole.params[0] :]) >= LEAST_RUN
            if is_long and readers[x] == 1 and x in written:
                found[x] = Piece(whole, offset)
    return found


def cat_places(node: Node) -> Iterator[tuple[Node, int]]:
    """The inputs of a ``cat`` and the bytes from its start to theirs."""
    dim, offset = node.params[0], 0
    for x in node.inputs:
        yield x, offset
        offset += x.spec.shape[dim] * row_major(node.spec)[dim]
