"""Elementary functions over the Builder: branch-free, without tables or calls, the same bits at every vector width.

Each function is ``f(b, x)`` (``pow``: ``f(b, x, y)``) in x's dtype, float32 or float64. ``RARE`` holds bodies for
arguments that hardly occur, entered through ``Builder.rare`` and emitted out of line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nbgrad.graph.builder import Value
from nbgrad.kernels.elementary.exponential import exp
from nbgrad.kernels.elementary.logarithm import log
from nbgrad.kernels.elementary.sine import cos, sin
from nbgrad.kernels.elementary.sine_large import cos_large, sin_large
from nbgrad.kernels.elementary.tangent import tanh

ELEMENTARY: Final[dict[str, Callable[..., Value]]] = {
    "exp": exp,
    "log": log,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
}

RARE: Final[dict[str, Callable[..., Value]]] = {"sin_large": sin_large, "cos_large": cos_large}
