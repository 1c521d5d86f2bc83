"""Forward-mode differentiation: the tangents of a graph, as another graph.

Maps, linear operators and products have rules of their own, which records share (``ops/tangents.py``). Of all others
what a cotangent rule makes is linear in the cotangent. So its transpose, which is made by the rules of what it is made
of, takes tangents of the inputs to that of the output: every operator with a ``vjp`` has a forward mode.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence

from nbgrad.graph.node import Node, reach, substitute, toposort
from nbgrad.graph.op import VIEW
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.composite import passed_back, stop
from nbgrad.ops.tangents import linear
from nbgrad.ops.view import sum_to
from nbgrad.transform.vjp import active, pull_back, stand_in, vjp


def jvp(
    outputs: Sequence[Node],
    wrt: Mapping[Node, Node],
    *,
    stops: Container[Node] = (),
    order: Sequence[Node] | None = None,
    same: Mapping[Node, Node] | None = None,
) -> list[Node | None]:
    """Tangents of ``outputs``, given those of the nodes ``wrt``; None where no path leads from one to the output.

    Nodes in ``stops`` pass nothing on (values recorded without gradient). ``same`` gives nodes that stand for another
    one, whose tangent they have. ``order``: a toposort of these nodes, and maybe others. Cost: O(nodes between ``wrt``
    and ``outputs``).
    """
    order = toposort(outputs) if order is None else order
    same = same or {}
    tangents = dict(wrt)

    def behind(x: Node) -> Sequence[Node]:
        """What the tangent of ``x`` may come from."""
        return (same[x],) if x in same else () if x in stops or x.op is stop else passed_back(x)

    needed = reach(outputs, behind)
    on_path = active([x for x in order if x in needed], set(wrt), stops, same)
    seen: dict[Hashable, Node | None] = {}  # tangents through views: a loop looks at the same in each round
    for node in order:
        if node in tangents or node not in on_path or node in stops:
            continue
        if node in same:
            moved = tangents.get(same[node])
        elif node.op.kind is VIEW and node.op.jvp is linear:
            key = node.op, tangents.get(node.inputs[0]), *map(_start, node.inputs[1:]), *node.params
            if key not in seen:
                seen[key] = push_forward(node, [tangents.get(x) for x in node.inputs])
            moved = seen[key]
        else:
            moved = push_forward(node, [tangents.get(x) for x in node.inputs])
        if moved is not None:
            tangents[node] = moved
    return [tangents.get(same.get(y, y)) for y in outputs]


def _start(x: Node) -> Hashable:
    """Where a slice starts: the same in all constants of one value."""
    return x.params[0] if x.op.name == "const" else x


def push_forward(node: Node, tangents: Sequence[Node | None]) -> Node | None:
    """The tangent of ``node``, given those of its inputs: by its own rule, or the transpose of its cotangent rule."""
    if all(t is None for t in tangents):
        return None
    if node.op.jvp is not None:
        return node.op.jvp(node, node.inputs, tuple(tangents))
    return transpose(node, tangents)


def transpose(node: Node, tangents: Sequence[Node | None]) -> Node | None:
    """The tangent of ``node`` by the transpose of its cotangent rule. Cost: O(nodes that the rule makes)."""
    g = stand_in(node)
    pulled = zip(node.inputs, pull_back(node, g), tangents, strict=True)
    pairs = [(sum_to(c, x.spec.shape), t) for x, c, t in pulled if c is not None and t is not None]
    if not pairs:
        return None
    cotangents = [c for c, _ in pairs]
    order = toposort(cotangents, known=(node, *node.inputs))  # what is behind these is no part of it
    (moved,) = vjp(cotangents, [t for _, t in pairs], [g], order=order)
    if moved is None:
        return None
    # A user's own function may read g: what is linear has one derivative everywhere, so at zeros, too.
    kept = {x: x for x in (node, *node.inputs, *[t for _, t in pairs])}  # nothing is looked for behind these
    return substitute([moved], {**kept, g: zeros_of(g.spec)})[0]
