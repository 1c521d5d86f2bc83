"""Elementary functions over the Builder: branch-free, without calls, the same bits at every vector width.

Each function is ``f(b, x)`` (``pow``: ``f(b, x, y)``) in x's dtype, float32 or float64. ``RARE`` holds bodies for
arguments that hardly occur, entered through ``Builder.rare`` and emitted out of line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nbgrad.graph.builder import Value
from nbgrad.kernels.elementary.errorfunction import erf
from nbgrad.kernels.elementary.exponential import exp, expm1
from nbgrad.kernels.elementary.hyperbolic import tanh
from nbgrad.kernels.elementary.logarithm import log, log1p
from nbgrad.kernels.elementary.power import pow_
from nbgrad.kernels.elementary.sigmoid import sigmoid
from nbgrad.kernels.elementary.sine import cos, sin
from nbgrad.kernels.elementary.sine_large import sine_large

ELEMENTARY: Final[dict[str, Callable[..., Value]]] = {
    "exp": exp,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "erf": erf,
    "sigmoid": sigmoid,
    "pow": pow_,
}

RARE: Final[dict[str, Callable[..., Value]]] = {"sine_large": sine_large}
