"""Events of function transforms: what was recorded of one example, for all of them; tangents. Runs on a miss only."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.errors import RunError
from nbgrad.graph.node import Node
from nbgrad.trace.builder import Builder, boundary
from nbgrad.transform.batch import batch
from nbgrad.transform.jvp import jvp


def batch_nodes(b: Builder, outputs: Sequence[Node], examples: Sequence[Node], randomness: str) -> dict[Node, Node]:
    """What the nodes behind ``outputs`` that depend on ``examples`` are for all of them."""
    every = {x: b.examples[x][0] for x in examples}
    start = min([b.examples[x][1] for x in examples])
    bits = {x for x in b.nodes[start:] if x.op.name == "philox"}
    if bits and randomness == "error":
        raise RunError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
    size = next(iter(every.values())).spec.shape[0]
    found = batch(outputs, every, size, bits if randomness == "different" else ())
    for x in b.nodes[start:]:
        if x not in found or x.op.name != "rebase_history" or x.inputs[0].op is not boundary:
            continue
        if not b.edge_of(x.inputs[0])[1].has_vmap:
            raise RunError(
                f"You tried to vmap over {_name(b, x.inputs[0])}, but it does not have vmap support. Please override "
                "and implement the vmap staticmethod or set generate_vmap_rule=True: its backward knows one example"
            )
    b.stops.update([found[x] for x in found if x in b.stops])
    for x, number in [*b.examples.items()]:
        if x in found and x not in every:  # of a transform around this one
            b.examples[found[x]] = number
    return found


Marks = Sequence[tuple[tuple[int, int], Sequence[int]]]  # places of custom functions, tangents of outputs (-1: none)


def push_nodes(
    b: Builder, outputs: Sequence[Node], by: Sequence[Node], tangents: Sequence[Node], marks: Marks
) -> list[Node | None]:
    """The tangents of ``outputs``, given those of the variables ``by`` and of outputs of custom functions."""
    same = {x: b.origin_of(x) for x in b.same}
    wrt = {same.get(x, x): t for x, t in zip(by, tangents, strict=True)}
    for place, moved in marks:
        for mark, r in zip(b.edge(place)[1].boundaries, moved, strict=False):  # the last may have been let go at once
            if r >= 0:
                wrt[mark] = b.node_of(r)
    return jvp(outputs, wrt, stops=b.stops, order=b.order_behind(outputs), same=same)


def _name(b: Builder, mark: Node) -> str:
    owner, index = mark.params[0]
    segment = b.inside(owner).segment
    return "a custom function" if segment is None else f"{segment.functions[index][0].name}"
