"""Writing through views, in the graph: a new value of the base, with what was written where the view looks."""

from __future__ import annotations

from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import Kind


def is_view_of(node: Node, source: Node) -> bool:
    """Whether ``node`` is ``source`` seen through views. Whether strides can express them, window.py says."""
    x = node
    while x.op.kind is Kind.VIEW and x is not source:
        x = x.inputs[0]
    return x is source and node is not source


def put_through(base: Node, view: Node, value: Node) -> Node:
    """``base`` with ``value`` written where ``view`` looks: each view step undone, innermost first."""
    while view is not base:
        name, inner = view.op.name, view.inputs[0]
        if name == "permute":
            inverse = sorted(range(len(view.params[0])), key=view.params[0].__getitem__)
            value = apply("permute", value, params=(tuple(inverse),))
        elif name == "slice":
            value = apply("put_slice", inner, value, view.inputs[1], params=view.params)
        elif name == "reshape" or (name == "expand" and view.spec.size == inner.spec.size):
            value = apply("reshape", value, params=(inner.spec.shape,))
        elif name == "expand":
            raise ShapeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                "location; clone() the expanded tensor before writing to it"
            )
        else:
            assert name in ("stop", "graft"), name
        view = inner
    return value
