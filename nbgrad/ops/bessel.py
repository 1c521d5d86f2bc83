"""The modified Bessel functions of the first kind of the orders 0 and 1, also times e^-|x|.

Up to 8 by Taylor's series, whose terms are positive: no digit is lost. Above by a series in t = 16 / x - 1, nearly all
of which is its first term. Both are computed in float64, of float32 with as many terms as that needs, and rounded once.
"""

from __future__ import annotations

from itertools import count, takewhile, zip_longest
from math import factorial
from typing import Any

from nbgrad.graph.dtypes import DType, float64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.bessel_table import FAR
from nbgrad.ops.chebyshev import SMALLEST, powers
from nbgrad.ops.family import elementwise
from nbgrad.ops.special import over
from nbgrad.system.imports import import_module

_NAMES = {(0, False): "i0", (0, True): "i0e", (1, False): "i1", (1, True): "i1e"}  # SciPy's


def bessel_i(order: int, scaled: bool, x: Node) -> Node:
    """I0(x) or I1(x), times e^-|x| where ``scaled``."""
    return apply("bessel_i", x, params=(order, scaled))


def _emit(b: Any, x: Any, order: int, scaled: bool) -> Any:
    """One polynomial by Horner's scheme, each coefficient that of the piece where x lies."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    size = b.abs(wide)
    one, zero = b.const(1.0, float64), b.const(0.0, float64)
    half = b.mul(size, b.const(0.5, float64))
    is_near = b.le(size, b.const(8.0, float64))
    t = b.select(is_near, b.mul(half, half), b.sub(b.div(b.const(16.0, float64), size), one))
    series = zero
    for near, far in [*zip_longest(*_pieces(order, dtype), fillvalue=0.0)][::-1]:
        series = b.fma(t, series, b.select(is_near, b.const(near, float64), b.const(far, float64)))
    y = b.select(is_near, b.mul(series, half) if order else series, b.div(series, b.sqrt(size)))
    factor = b.function("exp", b.neg(size) if scaled else size)
    y = b.mul(y, b.select(is_near, factor, one) if scaled else b.select(is_near, one, factor))
    return b.cast(b.select(b.lt(wide, zero), b.neg(y), y) if order else y, dtype)


def _pieces(order: int, dtype: DType) -> tuple[list[float], list[float]]:
    """Coefficients of the powers of x^2 / 4 in I0(x) or 2 I1(x) / x, and of those of t in sqrt(x) e^-x I(x)."""
    counts = takewhile(lambda k: 16.0**k > SMALLEST[dtype] * 64 * factorial(k) ** 2, count())
    near = [1 / (factorial(k) * factorial(k + order)) for k in counts]
    return near, powers(FAR[order], dtype)


def _reference(x: Any, order: int, scaled: bool) -> Any:
    """SciPy's, imported when it is first asked."""
    return getattr(import_module("scipy.special"), _NAMES[order, scaled])(x)


def _partials(y: Node, x: Node, order: int, scaled: bool) -> tuple[Node]:
    slope = bessel_i(1 - order, scaled, x)
    if scaled:
        slope = slope - apply("sign", x) * y
    return (slope - over(y, x, 1 / 16) if order else slope,)


bessel_i_op = elementwise("bessel_i", partials=_partials, emit=_emit, reference=_reference, cost=60)
