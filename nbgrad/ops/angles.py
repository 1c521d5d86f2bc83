"""Inverse trigonometric functions, hyperbolic ones and their inverses; vector bodies are in kernels/elementary."""

from __future__ import annotations

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Params
from nbgrad.ops.family import elementwise


def _inverse_root(x: Node) -> Node:
    return const(1, x.spec.dtype) / apply("sqrt", x)


asin = elementwise(
    "asin",
    partials=lambda y, x: (_inverse_root(1.0 - x * x),),
    emit="asin",
    reference=np.arcsin,
    cost=40,
)
acos = elementwise(
    "acos",
    partials=lambda y, x: (-_inverse_root(1.0 - x * x),),
    emit="acos",
    reference=np.arccos,
    cost=40,
)
atan = elementwise(
    "atan",
    vjp=lambda g, y, i, p: (g / (i[0] * i[0] + 1.0),),
    emit="atan",
    reference=np.arctan,
    cost=30,
)
sinh = elementwise("sinh", partials=lambda y, x: (apply("cosh", x),), emit="sinh", reference=np.sinh, cost=30)
cosh = elementwise("cosh", partials=lambda y, x: (apply("sinh", x),), emit="cosh", reference=np.cosh, cost=30)
asinh = elementwise(
    "asinh",
    partials=lambda y, x: (_inverse_root(x * x + 1.0),),
    emit="asinh",
    reference=np.arcsinh,
    cost=40,
)


def _acosh_partials(y: Node, x: Node) -> tuple[Node]:
    """1 / sqrt(x^2 - 1); of complex numbers the root is that of two, each of which has the right sign."""
    if x.spec.dtype.is_complex:
        return (_inverse_root(x - 1.0) * _inverse_root(x + 1.0),)
    return (_inverse_root(x * x - 1.0),)


acosh = elementwise(
    "acosh",
    partials=_acosh_partials,
    emit="acosh",
    reference=np.arccosh,
    cost=40,
)
atanh = elementwise(
    "atanh",
    vjp=lambda g, y, i, p: (g / (1.0 - i[0] * i[0]),),
    emit="atanh",
    reference=np.arctanh,
    cost=30,
)


def _atan2_vjp(g: Node, angle: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g x / (x^2 + y^2) and -g y / (x^2 + y^2), both 0 where that square is 0, as PyTorch's are: a flow that passes the
    origin stays finite. There the square counts as infinite, so higher derivatives are 0 too."""
    y, x = inputs
    square = y * y + x * x
    nowhere = apply("eq", square, const(0, square.spec.dtype))
    scaled = const(1, square.spec.dtype) / apply("where", nowhere, const(float("inf"), square.spec.dtype), square)
    return g * (x * scaled), g * (-y * scaled)


atan2 = elementwise("atan2", vjp=_atan2_vjp, emit="atan2", reference=np.arctan2, cost=40)
