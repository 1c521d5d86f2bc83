"""add, sub, mul, div and their relatives."""

from __future__ import annotations

from nbgrad.calls.base import broadcasted, call, promoted
from nbgrad.errors import ArgumentError
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to


def _binary(op: str, a: Node, b: Node, *, floating: bool = False) -> Node:
    return apply(op, *broadcasted(op, *promoted(a, b, floating=floating)))


@call(method=True, inplace=True)
def add(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """input + alpha * other, with broadcasting and type promotion.

    >>> nbgrad.add(nbgrad.tensor([1.0, 2.0]), 10, alpha=2)
    tensor([21., 22.])
    """
    return _binary("add", input, other if alpha is None else _scaled(other, alpha))


@call(method=True, inplace=True)
def sub(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """input - alpha * other, with broadcasting and type promotion."""
    return _binary("sub", input, other if alpha is None else _scaled(other, alpha))


def _scaled(x: Node, alpha: Node) -> Node:
    return _binary("mul", x, cast_to(alpha, x.spec.dtype))


@call(method=True, inplace=True)
def mul(input: Node, other: Node) -> Node:
    """input * other, with broadcasting and type promotion."""
    return _binary("mul", input, other)


@call(method=True, inplace=True)
def div(input: Node, other: Node, *, rounding_mode: str | None = None) -> Node:
    """input / other; integers are divided as floating point numbers.

    ``rounding_mode``: None, "trunc" (towards zero) or "floor"; with a mode integers stay integers.
    """
    if rounding_mode is None:
        return _binary("div", input, other, floating=True)
    if rounding_mode not in ("trunc", "floor"):
        raise ArgumentError(f"div: rounding_mode must be None, 'trunc' or 'floor', not {rounding_mode!r}")
    if rounding_mode == "floor":
        return _binary("floor_divide", input, other)
    a, b = broadcasted("div", *promoted(input, other))
    return apply("trunc", a / b) if a.spec.dtype.is_floating_point else apply("trunc_divide", a, b)


@call(method=True, inplace=True)
def neg(input: Node) -> Node:
    """-input."""
    return apply("neg", input)
