"""Elementary functions over the Builder: branch-free, without calls, the same bits at every vector width.

Each function is ``f(b, x)`` (``pow`` and ``atan2``: of two) in x's dtype, float32 or float64. ``RARE`` holds bodies for
arguments that hardly occur, entered through ``Builder.rare`` and emitted out of line; ``PARTS`` bodies that others are
made of.
"""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.deferred import Deferred

ELEMENTARY: Final = Deferred(
    __name__,
    {
        "exp": "exponential.exp",
        "expm1": "exponential.expm1",
        "log": "logarithm.log",
        "log1p": "logarithm.log1p",
        "sin": "sine.sin",
        "cos": "sine.cos",
        "tanh": "hyperbolic.tanh",
        "erf": "errorfunction.erf",
        "digamma": "gamma.digamma",
        "lgamma": "gamma.lgamma",
        "sigmoid": "sigmoid.sigmoid",
        "pow": "power.pow_",
        "asin": "arcsine.asin",
        "acos": "arcsine.acos",
        "atan": "arctangent.atan",
        "atan2": "arctangent.atan2",
        "sinh": "hyperbolic_sine.sinh",
        "cosh": "hyperbolic_sine.cosh",
        "asinh": "hyperbolic_sine.asinh",
        "acosh": "hyperbolic_sine.acosh",
        "atanh": "hyperbolic_sine.atanh",
    },
)

RARE: Final = Deferred(
    __name__,
    {
        "sine_large": "sine_large.sine_large",
        "digamma_below": "gamma.digamma_below",
        "lgamma_below": "gamma.lgamma_below",
    },
)
PARTS: Final = Deferred(
    __name__,
    {"erf_by_bell": "errorfunction.erf_by_bell", "erf_by_stretch": "errorfunction.erf_by_stretch"},
)
