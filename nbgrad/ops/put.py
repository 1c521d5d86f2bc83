"""Writing through views, in the graph: a new value of the base, with what was written where the view looks."""

from __future__ import annotations

from typing import Final

from nbgrad.errors import ShapeError
from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Shape
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import expand_to, put_diagonal, reshape_to, slice_at

_OPPOSITE: Final = {"view_as_real": "view_as_complex", "view_as_complex": "view_as_real"}


def is_view_of(node: Node, source: Node) -> bool:
    """Whether ``node`` is ``source`` seen through views. Whether strides can express them, calls/views.py says."""
    x = node
    while x.op.kind is Kind.VIEW and x is not source:
        x = x.inputs[0]
    return x is source and node is not source


def put_through(base: Node, view: Node, value: Node, written: Node | None = None) -> Node:
    """``base`` with ``value`` written where ``view`` looks: each view step undone, innermost first; where one cannot be
    undone alone, what stands last in row-major order stays. ``written`` says which elements count then.

    ShapeError where one element of ``base`` is repeated and ``written`` is not given, as PyTorch refuses it.
    """
    if not is_undoable(base, view):
        return _put_by_places(base, view, value, written)
    while view is not base:
        name, inner = view.op.name, view.inputs[0]
        if name == "permute":
            inverse = sorted(range(len(view.params[0])), key=view.params[0].__getitem__)
            value = apply("permute", value, params=(tuple(inverse),))
        elif name == "slice":
            value = apply("put_slice", inner, value, view.inputs[1], params=view.params)
        elif name in ("reshape", "expand"):
            value = apply("reshape", value, params=(inner.spec.shape,))
        elif name == "diagonal":
            value = put_diagonal(inner, value, view.params)
        elif name in _OPPOSITE:
            value = apply(_OPPOSITE[name], value)
        elif name in ("real", "imag"):
            other = apply("imag" if name == "real" else "real", inner)
            value = apply("complex", *((value, other) if name == "real" else (other, value)))
        else:
            assert name in ("detach", "rebase_history"), name
        view = inner
    return value


def is_undoable(base: Node, view: Node) -> bool:
    """Whether each step from ``base`` to ``view`` shows every element once at most. Then as many elements as ``base``
    has are all of it."""
    while view is not base:
        if view.op.name == "window" or (view.op.name == "expand" and view.spec.size != view.inputs[0].spec.size):
            return False
        view = view.inputs[0]
    return True


def _put_by_places(base: Node, view: Node, value: Node, written: Node | None) -> Node:
    size, count = (base.spec.size,), (view.spec.size,)
    if not view.spec.size:
        return base
    for part in reversed(_steps(base, view)):
        if part is not view and part.spec.dtype is not part.inputs[0].spec.dtype:  # parts of complex numbers
            return put_through(base, part, _put_by_places(part, view, value, written))
    row = iota_node(size, 0)
    places = reshape_to(row, base.spec.shape)
    for step in _steps(base, view):
        places = apply(step.op, places, *step.inputs[1:], params=step.params)
    if written is None:
        refuse_repeated(places.spec.shape, resolve(places, {}).strides)
    flat, places = reshape_to(base, size), reshape_to(places, count)
    if written is not None:  # one place more, for those that are not
        places = apply("where", reshape_to(written, count), places, const(base.spec.size, places.spec.dtype))
        flat = apply("cat", flat, expand_to(const(0, base.spec.dtype), (1,)), params=(0,))
    flat = slice_at(apply("scatter_put", flat, places, reshape_to(value, count)), 0, 0, base.spec.size)
    return reshape_to(flat, base.spec.shape)


def _steps(base: Node, view: Node) -> list[Node]:
    """The views that lead from ``base`` to ``view``."""
    steps = []
    while view is not base:
        if view.op.kind is Kind.VIEW:
            steps.append(view)
        view = view.inputs[0]
    return steps[::-1]


def refuse_repeated(shape: Shape, strides: Shape) -> None:
    """The error of a write to what shows one place in memory several times, along an expanded dim."""
    if any(n > 1 and not stride for n, stride in zip(shape, strides, strict=True)):
        raise ShapeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
