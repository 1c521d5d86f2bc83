"""A use of an operator. Nodes make a graph by pointing at their inputs; nothing points forward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from nbgrad.graph.dtypes import float32
from nbgrad.graph.op import Op, Params, lookup, require_complex
from nbgrad.graph.spec import Spec

T = TypeVar("T")


class Node:
    """One operation: ``op`` applied to ``inputs`` with static ``params`` gives a value of ``spec``.

    Read-only by habit: frozen dataclasses cost five times as much to make. ``site`` is the user's line.
    Equality is identity.
    """

    __slots__ = ("inputs", "op", "params", "site", "spec")

    def __init__(self, op: Op, inputs: tuple[Node, ...], params: Params, spec: Spec, site: str = "") -> None:
        self.op = op
        self.inputs = inputs
        self.params = params
        self.spec = spec
        self.site = site

    # Arithmetic for derivative rules; numbers become constants of the node's dtype.
    def __add__(self, other: Node | float) -> Node:
        return apply("add", self, lift(other, self))

    def __radd__(self, other: float) -> Node:
        return apply("add", lift(other, self), self)

    def __sub__(self, other: Node | float) -> Node:
        return apply("sub", self, lift(other, self))

    def __rsub__(self, other: float) -> Node:
        return apply("sub", lift(other, self), self)

    def __mul__(self, other: Node | float) -> Node:
        return apply("mul", self, lift(other, self))

    def __rmul__(self, other: float) -> Node:
        return apply("mul", lift(other, self), self)

    def __truediv__(self, other: Node | float) -> Node:
        return apply("div", self, lift(other, self))

    def __rtruediv__(self, other: float) -> Node:
        return apply("div", lift(other, self), self)

    def __neg__(self) -> Node:
        return apply("neg", self)

    def __repr__(self) -> str:
        return f"<{self.op.name} {self.spec}>"


def apply(op: Op | str, *inputs: Node, params: Params = (), site: str = "") -> Node:
    """A new node: infers its Spec (shape and dtype errors are raised here). Halves are computed in float32, and the
    result is rounded: no rule, pass or kernel knows them but by casts, and operators that move elements."""
    if isinstance(op, str):
        op = lookup(op)
    specs = tuple([x.spec for x in inputs])
    spec = op.infer(specs, params)
    if Spec.any_complex:
        require_complex(op, spec, inputs)
    if not op.moves:
        for x in specs:
            if x.dtype.is_half:
                y = apply(op, *[in_float32(x) for x in inputs], params=params, site=site)
                return y if y.spec is spec else apply("cast", y, params=(spec.dtype.name,))
    return Node(op, inputs, params, spec, site)


def in_float32(x: Node) -> Node:
    """``x``, in float32 where it is a half. A number that a rule has written keeps its digits."""
    if not x.spec.dtype.is_half:
        return x
    if x.op.name == "const":
        return const(x.params[0], float32)
    if x.op.name == "expand" and x.inputs[0].op.name == "const":
        return apply(x.op, in_float32(x.inputs[0]), params=x.params)
    return apply("cast", x, params=("float32",))


def const(value: float | int | bool, dtype: Any) -> Node:
    """A 0-d constant known when the plan is made. It travels as data, never as kernel text."""
    return apply("const", params=(value, dtype))


def lift(value: Node | float | int | bool, like: Node) -> Node:
    """``value`` as a node: numbers become 0-d constants of ``like``'s dtype."""
    return value if isinstance(value, Node) else const(value, like.spec.dtype)


def toposort(roots: Iterable[Node], known: Iterable[Node] = ()) -> list[Node]:
    """All nodes that ``roots`` need besides those ``known``, inputs before users, in a fixed order. Walks with a stack:
    graphs are deep."""
    order: list[Node] = []
    append_new(order, set(known), roots)
    return order


def append_new(order: list[Node], done: set[Node], roots: Iterable[Node]) -> None:
    """Append to ``order`` what ``roots`` need besides those ``done``, which they are then."""
    stack: list[Node | None] = [*roots]  # what is ``done`` may wait here for its inputs
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:  # the inputs of the node under this mark are in
            node = stack.pop()
            assert node is not None
            order.append(node)
        elif node not in done:
            done.add(node)
            if done.issuperset(node.inputs):
                order.append(node)
            else:
                stack += (node, None)
                stack += node.inputs[::-1]


def reach(roots: Iterable[T], following: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """``roots`` and all that they lead to: ``following`` says where each leads. In the order in which they were met."""
    found: dict[T, None] = {}
    pending = [*roots]
    while pending:
        x = pending.pop()
        if x not in found:
            found[x] = None
            pending += following(x)
    return found


def rebuild(node: Node, inputs: Sequence[Node]) -> Node:
    """``node`` over other inputs of the same specs; itself where nothing changed."""
    new = tuple(inputs)
    return node if new == node.inputs else Node(node.op, new, node.params, node.spec, node.site)


def rewritten(
    roots: Sequence[Node], order: Iterable[Node], rule: Callable[[Node, dict[Node, Node]], Node | None]
) -> list[Node]:
    """``roots``, whose toposort is ``order``, with the nodes that ``rule`` gives in place of some: it is told each node
    and the new ones by old ones, and None says that this one stays as it is, over new inputs."""
    new: dict[Node, Node] = {}
    for node in order:
        new[node] = rule(node, new) or rebuild(node, [new[x] for x in node.inputs])
    return [new[root] for root in roots]


def substitute(roots: Sequence[Node], instead: dict[Node, Node]) -> list[Node]:
    """``roots`` with some nodes replaced by others of the same spec."""
    if not instead:
        return list(roots)
    new: dict[Node, Node] = {}
    stack = [(r, False) for r in roots]
    while stack:
        node, ready = stack.pop()
        if node in new:
            continue
        if node in instead:
            new[node] = instead[node]
        elif ready:
            new[node] = rebuild(node, [new[x] for x in node.inputs])
        else:
            stack.append((node, True))
            stack.extend([(x, False) for x in node.inputs if x not in new])
    return [new[r] for r in roots]
