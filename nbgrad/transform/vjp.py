"""Reverse-mode differentiation: the graph grows its own derivative.

Rules map nodes to nodes, so what comes out is an ordinary graph: it is differentiated again, fused and lowered like
any other.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from nbgrad.errors import MissingRuleError
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.op import Kind, Op, lookup
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.tangents import conjugate, is_zeros
from nbgrad.ops.view import MOST_COMPONENTS, reshape_to, sum_to

_reads: dict[tuple[Op, tuple[bool, ...]], bool] = {}


def vjp(
    outputs: Sequence[Node],
    cotangents: Sequence[Node],
    wrt: Sequence[Node],
    *,
    stops: Container[Node] = (),
    visited: set[Node] | None = None,
    order: Sequence[Node] | None = None,
    before: Mapping[Node, Node] | None = None,
    same: Mapping[Node, Node] | None = None,
    instead: Mapping[Node, Node | None] | None = None,
) -> list[Node | None]:
    """Cotangents of ``wrt`` given those of ``outputs``; None where no path leads from an output to it.

    Nodes in ``stops`` pass nothing on (values recorded without gradient). ``visited``, where given, receives the nodes
    whose rule was applied. Contributions are added in the reverse of ``order`` (default: the toposort), so equal graphs
    give equal bits; they are added to ``before``, cotangents that came from elsewhere. ``same`` gives nodes that stand
    for another one, which receives their cotangents. ``instead``: what goes on from these nodes in place of what
    arrives there (None: nothing). Cost: O(nodes between ``wrt`` and ``outputs``).
    """
    order = toposort(outputs) if order is None else order
    same, instead = same or {}, instead or {}
    on_path = active(order, set(wrt), stops, same)
    grads = _Cotangents(before or {})
    for out, g in zip(outputs, cotangents, strict=True):
        grads.add(same.get(out, out), g)
    for node in reversed(order):
        g_node = instead[node] if node in instead else grads.get(node)
        if g_node is None or node not in on_path or on_path.isdisjoint(node.inputs):
            continue
        if node in stops:
            continue
        if visited is not None:
            visited.add(node)
        pulled = pull_back(node, g_node)
        if node.site:
            _stand_at(node, g_node, pulled)
        for x, g_x in zip(node.inputs, pulled, strict=True):
            if g_x is not None and x in on_path and x.spec.dtype.is_inexact:
                grads.add(same.get(x, x), sum_to(g_x, x.spec.shape))
    return [grads.get(x) for x in wrt]


def active(
    order: Sequence[Node], wrt: set[Node], stops: Container[Node], same: Mapping[Node, Node] | None = None
) -> set[Node]:
    """Nodes that depend on ``wrt`` through differentiable values. ``order`` is a toposort, across ``same`` too."""
    found: set[Node] = set()
    same = same or {}
    for node in order:
        other = same.get(node)
        if (
            node in wrt
            or (other is not None and (other in wrt or other in found))
            or (node.spec.dtype.is_inexact and node not in stops and not found.isdisjoint(node.inputs))
        ):
            found.add(node)
    return found


def _stand_at(node: Node, g: Node, pulled: Sequence[Node | None]) -> None:
    """What the rule of ``node`` has made of it and of its cotangent ``g`` stands at the line of ``node``."""
    known = {g, node, *node.inputs}
    pending = [x for x in pulled if x is not None]
    while pending:
        x = pending.pop()
        if not x.site and x not in known:
            x.site = node.site
            pending += x.inputs


class _Cotangents:
    """The cotangents of nodes as they come in, one after another. Those of an element of a small vector, which a loop
    reads in each round, are added up as numbers; the vector is written when it is asked for."""

    def __init__(self, before: Mapping[Node, Node]) -> None:
        self._whole = dict(before)
        self._elements: dict[Node, dict[int, tuple[Node, Node]]] = {}  # by place: the sum, and what puts it there

    def get(self, node: Node) -> Node | None:
        whole = self._whole.get(node)
        elements = self._elements.pop(node, None)
        if elements:
            whole = zeros_of(node.spec) if whole is None else whole
            for total, put in elements.values():
                whole = apply("put_slice", whole, reshape_to(total, (1,)), put.inputs[2], params=put.params)
            self._whole[node] = whole
        return whole

    def add(self, node: Node, g: Node) -> None:
        if g.op.name != "put_slice" or not is_zeros(g.inputs[0]):
            before = self.get(node)
            self._whole[node] = g if before is None else before + g
        elif _is_element(g):
            self._add_element(node, g)
        elif (before := self.get(node)) is None:
            self._whole[node] = g
        else:  # a loop over rows: only the row is added to
            part = apply("slice", before, g.inputs[2], params=g.params)
            self._whole[node] = apply("put_slice", before, part + g.inputs[1], g.inputs[2], params=g.params)

    def _add_element(self, node: Node, put: Node) -> None:
        elements = self._elements.setdefault(node, {})
        element, start = put.inputs[1:]
        number = reshape_to(element.inputs[0] if element.op.name == "reshape" else element, ())
        place, whole = start.params[0], self._whole.get(node)
        if place in elements:
            number = elements[place][0] + number
        elif whole is not None:
            number = reshape_to(apply("slice", whole, start, params=put.params), ()) + number
        elif elements:
            number = const(0, put.spec.dtype) + number  # as zeros with the first of them are added to
        elements[place] = number, put


def _is_element(put: Node) -> bool:
    """Whether a ``put_slice`` writes one element of a small vector, always the same."""
    _, length, _ = put.params
    return put.spec.rank == 1 and put.spec.size <= MOST_COMPONENTS and length == 1 and put.inputs[2].op.name == "const"


def pull_back(node: Node, g: Node) -> Sequence[Node | None]:
    """Cotangents of ``node``'s inputs: its own rule, or that of the formula it stands for."""
    op = node.op
    if op.vjp is not None:
        if op.is_holomorphic and g.spec.dtype.is_complex:
            # The rule gives g d, and g times the conjugate of d is wanted, so that a gradient says how the real and the
            # imaginary part change the loss (PyTorch's convention).
            grads = op.vjp(conjugate(g), node, node.inputs, node.params)
            return [None if x is None else conjugate(x) for x in grads]
        return op.vjp(g, node, node.inputs, node.params)
    if op.decompose is not None:
        formula = op.decompose(node.inputs, node.params)
        return vjp([formula], [g], node.inputs, order=[*node.inputs, *toposort([formula], known=node.inputs)])
    name = op.name.removesuffix("_input")  # which stands for an operand of a function: see ops/special.py
    what = f"{name} has no vjp rule" if name == op.name else f"the derivative for '{name}: input' is not implemented"
    raise MissingRuleError(f"{what}: it is not differentiable. Use it on a detached tensor, or under no_grad")


def is_number(x: Node) -> bool:
    """Whether ``x`` is made of constants and run-time scalars only."""
    *_, x = _in_other_shapes(x)
    return x.op.name in ("const", "scalar", "iota") or (x.op.name == "complex" and all(map(is_number, x.inputs)))


def _in_other_shapes(x: Node) -> Iterator[Node]:
    """``x``, and what it is a copy of in another shape or dtype."""
    yield x
    while x.op.name in ("cast", "expand", "reshape"):
        x = x.inputs[0]
        yield x


def reads_values(node: Node, is_number: Callable[[Node], bool] = is_number) -> bool:
    """Whether the derivative of ``node`` reads its inputs or output, which are kept for it. Numbers are not values."""
    if not node.spec.dtype.is_inexact or (node.op.vjp is None and node.op.decompose is None):
        return False  # no derivative passes here
    if 0 in [x.spec.size for x in (node, *node.inputs)]:
        return _looks_at_forward(node, is_number)  # of nothing a rule may have less to say: no answer for others
    key = (node.op, tuple([is_number(x) for x in node.inputs]))
    known = _reads.get(key)
    if known is None:
        known = _reads[key] = _looks_at_forward(node, is_number)
    return known


def reads_constants(node: Node, tensors: Container[Node]) -> bool:
    """Whether the derivative of ``node`` reads one of ``tensors`` that is made of numbers: a mask, a matrix of ones."""
    if node.op.kind is Kind.VIEW or node.op.name == "put_slice":
        return False  # where it begins
    given = {x for x in node.inputs if is_number(x) and any(y in tensors for y in _in_other_shapes(x))}
    return bool(given) and _looks_at_forward(node, is_number, given)


def stand_in(node: Node) -> Node:
    """What stands for a cotangent of ``node`` where only its identity and spec matter."""
    return Node(lookup("input"), (), (), node.spec)


def _looks_at_forward(node: Node, is_number: Callable[[Node], bool], at: Container[Node] | None = None) -> bool:
    g = stand_in(node)
    forward = {x for x in (node, *node.inputs) if not is_number(x)} if at is None else at
    pulled = zip(node.inputs, pull_back(node, g), strict=True)
    pending: list[Node] = [g_x for x, g_x in pulled if g_x is not None and not is_number(x)]
    seen: set[Node] = {g}
    while pending:
        x = pending.pop()
        if x in forward:
            return True
        if x not in seen:
            seen.add(x)
            pending.extend(x.inputs)
    return False
