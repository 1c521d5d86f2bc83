"""Forward mode: the rules that records share. An operator without one has its ``vjp`` transposed, which is longer."""

from __future__ import annotations

from collections.abc import Callable

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Params

Nodes = tuple[Node, ...]
Tangents = tuple[Node | None, ...]


def linear(y: Node, inputs: Nodes, tangents: Tangents) -> Node:
    """Of what is linear in all floating inputs together: the same operator on tangents; integers stay what they are."""
    moving = [
        x if not x.spec.dtype.is_inexact else (_zeros(x) if t is None else t)
        for x, t in zip(inputs, tangents, strict=True)
    ]
    return apply(y.op, *moving, params=y.params)


def multilinear(y: Node, inputs: Nodes, tangents: Tangents) -> Node | None:
    """Of a product, linear in each input by itself: one input at a time is replaced by its tangent."""
    moved = [
        apply(y.op, *inputs[:k], t, *inputs[k + 1 :], params=y.params) for k, t in enumerate(tangents) if t is not None
    ]
    return _added(moved)


def symmetric(
    vjp: Callable[[Node, Node, Nodes, Params], Tangents],
) -> Callable[[Node, Nodes, Tangents], Node | None]:
    """Of what has a symmetric Jacobian by each input: ``vjp`` of the tangent. That of a map is diagonal."""

    def jvp(y: Node, inputs: Nodes, tangents: Tangents) -> Node | None:
        pulled = [(t, vjp(t, y, inputs, y.params)[k]) for k, t in enumerate(tangents) if t is not None]
        return gathered(y, [x for t, x in pulled if x is None or x is t or not is_zeros(x)])

    return jvp


def gathered(y: Node, terms: list[Node | None]) -> Node | None:
    """The tangent of ``y`` that comes to it in ``terms``, as large as ``y`` also where numbers stand beside arrays."""
    moved = _added([x for x in terms if x is not None])
    return (
        moved if moved is None or moved.spec.shape == y.spec.shape else apply("expand", moved, params=(y.spec.shape,))
    )


def conjugate(x: Node) -> Node:
    """The complex conjugate; ``x`` itself where it is real."""
    if not x.spec.dtype.is_complex:
        return x
    return x.inputs[0] if x.op.name == "conj" else apply("conj", x)


def is_zeros(x: Node) -> bool:
    """Whether ``x`` is the zeros that a rule gives where an operator is flat."""
    return x.op.name == "expand" and x.inputs[0].op.name == "const" and x.inputs[0].params[0] == 0


def _added(terms: list[Node]) -> Node | None:
    total: Node | None = None
    for term in terms:
        total = term if total is None else total + term
    return total


def _zeros(x: Node) -> Node:
    zero = const(0, x.spec.dtype)
    return apply("expand", zero, params=(x.spec.shape,)) if x.spec.rank else zero
