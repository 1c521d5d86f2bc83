"""Move views below the maps they look at, so that the maps and the view's readers become one loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, apply, reach, rewritten, toposort
from nbgrad.graph.op import MAP, REDUCE, VIEW
from nbgrad.passes.pieces import span_of

REPEATING = ("expand", "window")  # views that show an element more than once: a map over them computes more
MOST_STRIDED = 2  # a permuted input is read with strides: more of them cost more than storing the map's result


def sink(roots: Sequence[Node]) -> list[Node]:
    """``view(map(a, b))`` becomes ``map(view a, view b)`` where nobody but the view reads the map, or slices share it.

    Needs: a canonical graph.   Gives: no reshape, permute or slice between two maps (or a map and a reduction) where
    moving it computes nothing twice and needs no copy.
    Keeps: values bit for bit, shapes.   Cost: one walk over the graph and one over each moved region.
    """
    order = toposort(roots)
    position = {node: i for i, node in enumerate(order)}
    readers = Counter([x for node in order for x in set(node.inputs)])
    readers.update(roots)
    wanted = {x for node in order if node.op.kind in (MAP, REDUCE) for x in node.inputs}
    shared = _shared(order, readers, wanted)

    def moved(node: Node, new: dict[Node, Node]) -> Node | None:
        if node not in wanted or node.op.kind is not VIEW or node.op.name in REPEATING:
            return None
        return _moved(node, sorted(_region(node.inputs[0], readers, shared), key=position.__getitem__), new)

    return rewritten(roots, order, moved)


def _moved(view: Node, region: list[Node], new: dict[Node, Node]) -> Node | None:
    """The maps of ``region``, which ``view`` looks at, over viewed inputs; None where that is no gain."""
    inside = set(region)
    viewed: dict[Node, Node] = {}
    for node in region:
        for x in _moving(node):
            if x not in inside and x not in viewed and x.spec.shape:
                leaf = viewed[x] = apply(view.op, new[x], *[new[s] for s in view.inputs[1:]], params=view.params)
                if _needs_copy(leaf, new[x]):
                    return None
    if not region or (view.op.name == "permute" and len(viewed) > MOST_STRIDED):
        return None
    for node in region:
        inputs = [viewed.get(x) or new[x] for x in _moving(node)]
        table = (new[node.inputs[0]],) if node.op.name == "take" else ()
        viewed[node] = apply(node.op, *table, *inputs, params=node.params, site=node.site)
    return viewed[region[-1]]


def _moving(node: Node) -> tuple[Node, ...]:
    """The inputs that have an element for each element of the result: not the table of ``take``."""
    return node.inputs[1:] if node.op.name == "take" else node.inputs


def _shared(order: Sequence[Node], readers: Counter[Node], wanted: set[Node]) -> set[Node]:
    """The maps that only slices read, no element twice, each for a map or a reduction."""
    slices: dict[Node, list[Node]] = {}
    for node in order:
        if node.op.name == "slice" and node in wanted and node.inputs[0].op.kind is MAP:
            slices.setdefault(node.inputs[0], []).append(node)
    return {x for x, parts in slices.items() if len(parts) == readers[x] and _are_apart(parts)}


def _are_apart(slices: Sequence[Node]) -> bool:
    """Whether these slices of one value, along one dim with known places, have no element in common."""
    spans = [span_of(node) for node in slices]
    known = sorted([span for span in spans if span is not None])
    return len(known) == len(spans) and all(a.dim == b.dim and a.end <= b.start for a, b in pairwise(known))


def _region(top: Node, readers: Counter[Node], shared: set[Node]) -> list[Node]:
    """``top`` and the maps that only it needs; none if it has other readers itself."""
    if top.op.kind is not MAP or not (readers[top] == 1 or top in shared) or not top.spec.shape:
        return []
    return list(
        reach([top], lambda n: [x for x in _moving(n) if x.op.kind is MAP and x.spec.shape and readers[x] == 1])
    )


def _needs_copy(leaf: Node, x: Node) -> bool:
    """Whether no strides over the memory of ``x`` express this view of it."""
    return leaf is not x and resolve(leaf, {}).base is leaf
