"""The modified Bessel functions of the first kind of the orders 0 and 1, also times e^-|x|, by Chebyshev series.

They are computed in float64, of float32 with as many terms as that needs, and rounded once.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.node import Node, apply
from nbgrad.ops.bessel_table import FAR, NEAR
from nbgrad.ops.family import elementwise
from nbgrad.ops.special import over
from nbgrad.system.imports import import_module

_NAMES = {(0, False): "i0", (0, True): "i0e", (1, False): "i1", (1, True): "i1e"}  # SciPy's
_SMALLEST = {float32: 2.0**-32, float64: 0.0}  # the last coefficient that counts


def bessel_i(order: int, scaled: bool, x: Node) -> Node:
    """I0(x) or I1(x), times e^-|x| where ``scaled``."""
    return apply("bessel_i", x, params=(order, scaled))


def _emit(b: Any, x: Any, order: int, scaled: bool) -> Any:
    """The series by Clenshaw's recurrence, each coefficient that of the piece where x lies."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    size, least = b.abs(wide), _SMALLEST[dtype]
    two, zero = b.const(2.0, float64), b.const(0.0, float64)
    is_near = b.le(size, b.const(8.0, float64))
    twice = b.sub(b.select(is_near, b.mul(size, b.const(0.5, float64)), b.div(b.const(32.0, float64), size)), two)
    pieces = [[c for c in piece[order] if abs(c) > least] for piece in (NEAR, FAR)]
    last, before = zero, zero
    for near, far in [*zip_longest(*pieces, fillvalue=0.0)][:0:-1]:
        c = b.select(is_near, b.const(near, float64), b.const(far, float64))
        last, before = b.fma(twice, last, b.sub(c, before)), last
    c = b.select(is_near, b.const(pieces[0][0], float64), b.const(pieces[1][0], float64))
    series = b.fma(b.mul(twice, b.const(0.5, float64)), last, b.sub(c, before))
    y = b.select(is_near, b.mul(series, size) if order else series, b.div(series, b.sqrt(size)))
    y = y if scaled else b.mul(b.function("exp", size), y)
    return b.cast(b.select(b.lt(wide, zero), b.neg(y), y) if order else y, dtype)


def _reference(x: Any, order: int, scaled: bool) -> Any:
    """SciPy's, imported when it is first asked."""
    return getattr(import_module("scipy.special"), _NAMES[order, scaled])(x)


def _partials(y: Node, x: Node, order: int, scaled: bool) -> tuple[Node]:
    slope = bessel_i(1 - order, scaled, x)
    if scaled:
        slope = slope - apply("sign", x) * y
    return (slope - over(y, x, 1 / 16) if order else slope,)


bessel_i_op = elementwise("bessel_i", partials=_partials, emit=_emit, reference=_reference, cost=60)
