"""What only ``nbgrad.distributions`` needs: gamma samples by inversion, and values that must meet a condition.

It alone imports this file.
"""

from __future__ import annotations

import nbgrad.ops.zeta  # noqa: F401  the derivative of digamma
from nbgrad.calls.base import TensorNode, broadcasted, call
from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.special import special

_TINY = 1e-60  # below it x is the first term of its series, to the last bit


@call("standard_gamma_of", function=False, shown="standard_gamma", grad_fn="StandardGamma")
def standard_gamma_of(input: Node, share: TensorNode) -> Node:
    """The logarithm, in float64, of x, below which ``share`` of a gamma distribution of concentration ``input`` lies.

    dx/da = -(dP/da) / (dP/dx) with P(a, x) the distribution function, the regularised incomplete gamma function.
    Source: Figurnov, Mohamed, Mnih 2018, "Implicit reparameterization gradients"; dP/da: ``ops/special.py``. Where x is
    tiny, x = (share Gamma(a + 1))^(1 / a), which its logarithm has where x itself underflows.
    """
    a, p = broadcasted("standard_gamma", *[cast_to(x, float64) for x in (input, share)])
    low = (apply("log", p) + special("lgamma", a + 1.0)) / a
    is_low = apply("lt", low, apply("log", const(_TINY, float64)))
    one = const(1, float64)
    x = special("gammaincinv", apply("where", is_low, one, a), apply("where", is_low, one * 0.5, p))
    return apply("where", is_low, low, apply("log", x))


@call("require_of", function=False, shown="require")
def require_of(input: Node, condition: TensorNode, *, message: str) -> Node:
    """``input``; ValueError with the message from the read that computes it, where the bool ``condition`` is false."""
    x, mask = broadcasted("require", input, condition)
    return apply("require", x, mask, params=(message,))
