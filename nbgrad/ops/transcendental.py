"""Elementary functions; their vector bodies are in kernels/elementary."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Params
from nbgrad.ops.family import elementwise

TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)

exp = elementwise("exp", partials=lambda y, x: (y,), emit=lambda b, x: b.exp(x), reference=np.exp, cost=12)
expm1 = elementwise(
    "expm1", partials=lambda y, x: (y + 1.0,), emit=lambda b, x: b.expm1(x), reference=np.expm1, cost=16
)
log = elementwise("log", vjp=lambda g, y, i, p: (g / i[0],), emit=lambda b, x: b.log(x), reference=np.log, cost=12)
log1p = elementwise(
    "log1p", vjp=lambda g, y, i, p: (g / (i[0] + 1.0),), emit=lambda b, x: b.log1p(x), reference=np.log1p, cost=16
)
sin = elementwise(
    "sin", partials=lambda y, x: (apply("cos", x),), emit=lambda b, x: b.sin(x), reference=np.sin, cost=16
)
cos = elementwise(
    "cos", partials=lambda y, x: (-apply("sin", x),), emit=lambda b, x: b.cos(x), reference=np.cos, cost=16
)
tanh = elementwise(
    "tanh",
    partials=lambda y, x: (1.0 - y * y,),  # reads the output, so the input need not be kept
    emit=lambda b, x: b.tanh(x),
    reference=np.tanh,
    cost=16,
)
sigmoid = elementwise(
    "sigmoid", partials=lambda y, x: (y * (1.0 - y),), emit=lambda b, x: b.sigmoid(x), reference=special.expit, cost=16
)
erf = elementwise(
    "erf",
    partials=lambda y, x: (apply("exp", -(x * x)) * TWO_OVER_SQRT_PI,),
    emit=lambda b, x: b.erf(x),
    reference=special.erf,
    cost=20,
)


def _pow_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """b a^(b-1), 0 where b is 0; a^b log a, 0 where a is 0 and b is not negative (PyTorch's conventions)."""
    a, b = inputs
    zero = const(0, y.spec.dtype)
    by_base = apply("where", apply("eq", b, zero), zero, g * (b * apply("pow", a, b - 1.0)))
    flat = apply("bit_and", apply("eq", a, zero), apply("ge", b, zero))
    by_exponent = apply("where", flat, zero, g * (y * apply("log", a)))
    return by_base, by_exponent


pow_ = elementwise("pow", vjp=_pow_vjp, emit=lambda b, x, y: b.pow(x, y), reference=np.power, cost=60)
