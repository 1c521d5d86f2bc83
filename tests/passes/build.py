"""Short names for the nodes that the tests of passes are made of."""

from __future__ import annotations

import nbgrad.ops  # noqa: F401  fills the table of operators
from nbgrad.graph.dtypes import DType, float32, float64, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node, scalar_node

Lines = list[str]


def value(*shape: int, at: int = 0, dtype: DType = float32) -> Node:
    """Input ``at`` of that shape."""
    return input_node(at, Spec.of(shape, dtype))


def permuted(x: Node, *dims: int) -> Node:
    return apply("permute", x, params=(dims,))


def reshaped(x: Node, *shape: int) -> Node:
    return apply("reshape", x, params=(shape,))


def expanded(x: Node, *shape: int) -> Node:
    return apply("expand", x, params=(shape,))


def reduced(name: str, x: Node, *dims: int) -> Node:
    return apply(name, x, params=(dims,))


def number(at: int = 0) -> Node:
    """Run-time float ``at``."""
    return scalar_node(at, float64)


def start(at: int = 0) -> Node:
    """Run-time integer ``at``."""
    return scalar_node(at, int64)


def lines(*roots: Node) -> Lines:
    return show(roots).splitlines()
