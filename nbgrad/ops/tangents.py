"""Forward mode of operators that are linear in what they read: the rule that records share."""

from __future__ import annotations

from nbgrad.graph.node import Node, apply, const


def linear(y: Node, inputs: tuple[Node, ...], tangents: tuple[Node | None, ...]) -> Node:
    """The same operator on tangents; integers stay what they are."""
    moving = [
        x if not x.spec.dtype.is_floating_point else (_zeros(x) if t is None else t)
        for x, t in zip(inputs, tangents, strict=True)
    ]
    return apply(y.op, *moving, params=y.params)


def _zeros(x: Node) -> Node:
    zero = const(0, x.spec.dtype)
    return apply("expand", zero, params=(x.spec.shape,)) if x.spec.rank else zero
