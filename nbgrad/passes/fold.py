"""Compute now what is known now, and leave out what changes nothing: only where the answer keeps every bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign

from nbgrad.errors import NbgradError
from nbgrad.graph.half import readable
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, rebuild, toposort
from nbgrad.graph.op import MAP, VIEW
from nbgrad.ops.view import reshape_to
from nbgrad.passes.pieces import joined, seen_past


def fold(roots: Sequence[Node]) -> list[Node]:
    """The same values with less to compute: constants, neutral operands, views of views.

    Needs: a canonical graph.   Gives: no exact operator on constants alone; no view of a repeated 0-d value but
    ``expand``, and none as a map's input; permutes and reshapes in one step; what is put together piece by piece as
    one concatenation.
    Keeps: values bit for bit (-0, infinity and NaN included), shapes.   Cost: one walk, O(nodes).
    """
    new: dict[Node, Node] = {}
    for node in toposort(roots):
        x = rebuild(node, [new[i] for i in node.inputs])
        kind = x.op.kind
        if kind is MAP:
            x = _map(x)
        elif kind is VIEW:
            x = _VIEWS[x.op.name](x)
        elif x.op.name == "put_slice":
            x = joined(x)
        new[node] = x
    return [new[root] for root in roots]


def _map(node: Node) -> Node:
    sources = [x.op.name for x in node.inputs]
    if "expand" in sources:
        node = _with_0d_inputs(node)
        if node.op.name == "expand":
            return apply("expand", _map(node.inputs[0]), params=node.params)
        sources = [x.op.name for x in node.inputs]
    name = node.op.name
    if "const" in sources and node.op.is_exact and set(sources) == {"const"} and not _is_float_to_integer(node):
        return _computed(node)
    if name == "neg" and sources == ["neg"]:
        return node.inputs[0].inputs[0]
    return _without_neutral(node) if name in _NEUTRAL else node


def _is_float_to_integer(node: Node) -> bool:
    """NumPy and kernels agree on it for numbers in range only."""
    return node.inputs[0].spec.dtype.is_floating_point and node.spec.dtype.kind in "iu"


def _computed(node: Node) -> Node:
    try:
        (value,) = interpret([node], [])
    except NbgradError:
        return node  # it fails when it runs, at the user's line
    return const(readable(value, node.spec.dtype).item(), node.spec.dtype)


def _with_0d_inputs(node: Node) -> Node:
    """Repeated 0-d values are read as the 0-d values they are; a map of nothing else is computed once and repeated."""
    first = 1 if node.op.name == "take" else 0  # a table is an array whatever it repeats
    inputs = [x.inputs[0] if i >= first and is_repeated(x) else x for i, x in enumerate(node.inputs)]
    if all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
        return node
    small = apply(node.op, *inputs, params=node.params, site=node.site)
    return small if small.spec is node.spec else apply("expand", small, params=(node.spec.shape,))


def is_repeated(x: Node) -> bool:
    """Whether ``x`` is a 0-d value, expanded."""
    return x.op.name == "expand" and x.inputs[0].spec.shape == ()


def _is(x: Node, value: float) -> bool:
    """Whether ``x`` is the constant ``value`` (0.0 and -0.0 are two)."""
    return x.op.name == "const" and x.params[0] == value and copysign(1.0, x.params[0]) == copysign(1.0, value)


def _without_neutral(node: Node) -> Node:
    """x + -0.0 (of integers x + 0), x - 0.0, x * 1 and x / 1 are x, where it has the shape of the whole."""
    neutral, commutes = _NEUTRAL[node.op.name]
    if node.op.name == "add" and node.spec.dtype.is_floating_point:
        neutral = -neutral
    (a, b) = node.inputs
    for x, other in ((a, b), (b, a))[: 1 + commutes]:
        if _is(other, neutral) and x.spec is node.spec:
            return x
    return node


def _repeated_view(node: Node) -> Node | None:
    x = node.inputs[0]
    return apply("expand", x.inputs[0], params=(node.spec.shape,)) if is_repeated(x) else None


def _reshape(node: Node) -> Node:
    x = node.inputs[0]
    if x.op.name == "reshape":
        return reshape_to(x.inputs[0], node.spec.shape)
    if node.spec.shape and is_repeated(x):
        return apply("expand", x.inputs[0], params=(node.spec.shape,))
    return x if x.spec is node.spec else node


def _permute(node: Node) -> Node:
    x, dims = node.inputs[0], node.params[0]
    if x.op.name == "permute":
        dims = tuple([x.params[0][d] for d in dims])
        x = x.inputs[0]
        node = apply("permute", x, params=(dims,), site=node.site)
    if dims == tuple(range(len(dims))):
        return x
    return _repeated_view(node) or node


def _expand(node: Node) -> Node:
    x = node.inputs[0]
    if x.op.name == "expand":
        return apply("expand", x.inputs[0], params=node.params, site=node.site)
    if x.op.name == "reshape" and x.inputs[0].spec.shape == ():
        return apply("expand", x.inputs[0], params=node.params, site=node.site)
    return x if x.spec is node.spec else node


def _part(node: Node) -> Node:
    return _repeated_view(node) or node


def _slice(node: Node) -> Node:
    node = seen_past(node)
    return _part(node) if node.op.name == "slice" else node


# For each operator the number that changes nothing, and whether it may come first.
_NEUTRAL = {"add": (0.0, True), "sub": (0.0, False), "mul": (1.0, True), "div": (1.0, False)}
_VIEWS: dict[str, Callable[[Node], Node]] = {
    "reshape": _reshape,
    "permute": _permute,
    "expand": _expand,
    "slice": _slice,
    "window": _part,
    "diagonal": _part,
}
