"""Values that move between places: the CPU's memory and those of CUDA devices.

Nodes have no place of their own. Inputs and transfers have one, and what is computed from them is computed there. What
needs neither (constants, ramps, random numbers) is computed wherever it is wanted.
"""

from __future__ import annotations

from typing import Final

from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import HOST
from nbgrad.ops.family import elementwise
from nbgrad.ops.tangents import linear

ANYWHERE: Final = -1  # the place of what is computed wherever it is wanted

transfer = elementwise(
    "transfer",  # params: (place to go to, place to come from)
    vjp=lambda g, y, inputs, params: (apply("transfer", g, params=(params[1], params[0])),),
    jvp=linear,
    emit=lambda b, x, to, source: x,
    reference=lambda x, to, source: x,
    moves=True,
)


def moved(x: Node, place: int, source: int = HOST) -> Node:
    """``x``, which lives at ``source``, at ``place``."""
    return apply(transfer, x, params=(place, source))


def own_place(node: Node) -> int | None:
    """The place of an input or a transfer; None for all others, which take theirs from their inputs."""
    if node.op is transfer:
        place: int = node.params[0]
        return place
    if node.op.name == "input":
        return node.params[2] if len(node.params) > 2 else HOST
    return None


def find_place(node: Node, known: dict[Node, int]) -> int:
    """Where ``node`` is computed, or ANYWHERE; ``known`` are places found before, to which those found now are added.

    Where inputs lie at several places, it is the device: numbers that stand beside its tensors go there.
    """
    pending = [node]
    while pending:
        x = pending[-1]
        if x in known:
            pending.pop()
            continue
        place = own_place(x)
        if place is None:
            waiting = [y for y in x.inputs if y not in known]
            if waiting:
                pending += waiting
                continue
            place = max([known[y] for y in x.inputs], default=ANYWHERE)
        known[x] = place
        pending.pop()
    return known[node]
