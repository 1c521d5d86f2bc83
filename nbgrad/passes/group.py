"""What runs as one loop: the record that the fusion gives and the lowering takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import LIBRARY, MAP, REDUCE
from nbgrad.graph.spec import Shape

# Library operators that write into the memory of their first input, where nobody reads that afterwards.
WRITERS: Final = ("put_slice", "scatter_add", "scatter_extreme", "scatter_product", "scatter_put", "scatter_rows")


PLACED: Final = ("take", "guard")  # operators that find their first input in memory, at places of their own
# (result, input): results that may be made in the memory of inputs, as a step writes parameters anew.
NO_DONATIONS: Final[Mapping[int, int]] = MappingProxyType({})


class Group(NamedTuple):
    """Maps and reductions over one iteration ``shape``, or a single library operator.

    ``nodes`` come in the order in which they are computed; ``stores`` are those whose values are kept for others.
    ``dims`` are the reduced dims of ``shape``, the same for all reductions of the group; () for maps alone. A group
    that ``is_staged`` goes over its rows several times where need be, see ``stages.py``: nodes read reductions, and its
    ``finish``, maps of what reductions give, with one element for each row.
    """

    nodes: tuple[Node, ...]
    stores: tuple[Node, ...]
    shape: Shape
    dims: Shape
    finish: tuple[Node, ...] = ()
    is_staged: bool = False

    @property
    def computed(self) -> tuple[Node, ...]:
        """All nodes in the order of computation; numbers that both parts use come twice."""
        return self.nodes + self.finish

    @property
    def is_library(self) -> bool:
        return self.nodes[0].op.kind is LIBRARY


def read_by(nodes: Sequence[Node], finish: Sequence[Node] = ()) -> Iterator[tuple[Node, Node]]:
    """(reader, value) for what a loop of ``nodes``, and then of ``finish``, finds in memory."""
    inside = set(nodes)
    rows = {*finish, *[node for node in nodes if node.op.kind is REDUCE]}
    for n in (*nodes, *finish):
        for x in n.inputs:
            if (x not in inside and not (rows and base_of(x) in rows)) or is_table(n, x):
                yield n, x


def values_read(nodes: Sequence[Node], finish: Sequence[Node] = ()) -> dict[Node, None]:
    """What such a loop finds in memory, in the order in which it reads."""
    return dict.fromkeys([x for _, x in read_by(nodes, finish)])


def is_table(node: Node, x: Node) -> bool:
    """Whether ``node`` reads ``x`` at places of its own: in memory, also where its loop computes ``x``, too."""
    return node.op.name == "take" and x is node.inputs[0]


def after_reductions(order: Sequence[Node]) -> set[Node]:
    """The maps in ``order`` (a toposort) that read results of reductions, directly or through other maps.

    Row kernels may want them, so other passes leave them alone.
    """
    found: set[Node] = set()
    for node in order:
        if node.op.kind is MAP:
            for x in node.inputs:
                base = base_of(x)
                if base in found or (base.op.kind is REDUCE and base.spec.shape):
                    found.add(node)
                    break
    return found


def one_by_one(roots: Sequence[Node], order: Sequence[Node] | None = None) -> list[Group]:
    """Every operator in a group of its own, in the order of the toposort: what runs before anything is fused. ``order``
    is that toposort, where it is known."""
    groups = []
    for node in toposort(roots) if order is None else order:
        kind = node.op.kind
        if kind is MAP or kind is LIBRARY:
            groups.append(Group((node,), (node,), node.spec.shape, ()))
        elif kind is REDUCE:
            groups.append(Group((node,), (node,), node.inputs[0].spec.shape, node.params[0]))
    return groups
