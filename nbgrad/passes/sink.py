"""Move views below the maps they look at, so that the maps and the view's readers become one loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, apply, rebuild, toposort
from nbgrad.graph.op import MAP, REDUCE, VIEW

REPEATING = ("expand", "window")  # views that show an element more than once: a map over them computes more
MOST_STRIDED = 2  # a permuted input is read with strides: more of them cost more than storing the map's result


def sink(roots: Sequence[Node]) -> list[Node]:
    """``view(map(a, b))`` becomes ``map(view a, view b)`` where nobody but the view reads the map.

    Needs: a canonical graph.   Gives: no reshape, permute or slice between two maps (or a map and a reduction) where
    moving it computes nothing twice and needs no copy.
    Keeps: values bit for bit, shapes.   Cost: one walk over the graph and one over each moved region.
    """
    order = toposort(roots)
    position = {node: i for i, node in enumerate(order)}
    readers = Counter([x for node in order for x in set(node.inputs)])
    readers.update(roots)
    wanted = {x for node in order if node.op.kind in (MAP, REDUCE) for x in node.inputs}
    new: dict[Node, Node] = {}
    for node in order:
        moved = None
        if node in wanted and node.op.kind is VIEW and node.op.name not in REPEATING:
            moved = _moved(node, sorted(_region(node.inputs[0], readers), key=position.__getitem__), new)
        new[node] = moved or rebuild(node, [new[x] for x in node.inputs])
    return [new[root] for root in roots]


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


def _region(top: Node, readers: Counter[Node]) -> list[Node]:
    """``top`` and the maps that only it needs; none if it has other readers itself."""
    if top.op.kind is not MAP or readers[top] != 1 or not top.spec.shape:
        return []
    found, stack = [top], [top]
    while stack:
        for x in _moving(stack.pop()):
            if x.op.kind is MAP and x.spec.shape and readers[x] == 1:
                found.append(x)
                stack.append(x)
    return found


def _needs_copy(leaf: Node, x: Node) -> bool:
    """Whether no strides over the memory of ``x`` express this view of it."""
    return leaf is not x and resolve(leaf, {}).base is leaf
