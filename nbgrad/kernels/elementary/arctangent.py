"""atan and atan2, by a polynomial around five points."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.kernels.elementary.parts import const_like, horner, in_float64


class Around(NamedTuple):
    """Up to ``below``, atan(x) is ``high + low`` = atan(c) and the atan of (x - c) / (1 + c x), that is of
    (n0 + n1 x) / (d0 + d1 x)."""

    below: float
    high: float
    low: float
    n: tuple[float, float]
    d: tuple[float, float]


# Source of the points and of the polynomial: fdlibm's s_atan.c. Error 2^-57.6 relative to atan, for |x| <= 7/16.
POINTS: Final = (
    Around(7 / 16, 0.0, 0.0, (0.0, 1.0), (1.0, 0.0)),
    Around(11 / 16, 0.4636476090008061, 2.2698777452961687e-17, (-1.0, 2.0), (2.0, 1.0)),
    Around(19 / 16, 0.7853981633974483, 3.061616997868383e-17, (-1.0, 1.0), (1.0, 1.0)),
    Around(39 / 16, 0.982793723247329, 1.3903311031230998e-17, (-1.5, 1.0), (1.0, 1.5)),
    Around(float("inf"), 1.5707963267948966, 6.123233995736766e-17, (-1.0, 0.0), (0.0, 1.0)),
)
ATAN_P: Final = (
    0.3333333333333293,
    -0.19999999999876483,
    0.14285714272503466,
    -0.11111110405462356,
    0.09090887133436507,
    -0.0769187620504483,
    0.06661073137387531,
    -0.058335701337905735,
    0.049768779946159324,
    -0.036531572744216916,
    0.016285820115365782,
)
PI: Final = (3.141592653589793, 1.2246467991473532e-16)


@in_float64
def atan(b: Builder, x: Value) -> Value:
    """The angle between -pi/2 and pi/2 whose tangent is x. Keeps -0. Error below 1 ULP in float64."""
    high, low = _atan_parts(b, b.abs(x))
    return b.copysign(b.add(high, low), x)


@in_float64
def atan2(b: Builder, y: Value, x: Value) -> Value:
    """The angle of the point (x, y), between -pi and pi; of 0 and of infinities as in C99 (annex F.10.1.4).

    The smaller coordinate is divided by the larger one, so that nothing overflows. Error below 1.5 ULP in float64.
    """
    zero, one = const_like(b, 0.0, x), const_like(b, 1.0, x)
    width, height = b.abs(x), b.abs(y)
    large, small = b.maximum(width, height), b.minimum(width, height)
    ratio = b.div(small, b.select(b.eq(large, zero), one, large))
    ratio = b.select(b.eq(small, const_like(b, float("inf"), x)), one, ratio)
    high, low = _atan_parts(b, ratio)
    steep = b.gt(height, width)
    high, low = _turned(b, steep, (PI[0] / 2, PI[1] / 2), high, low)
    backward = b.lt(b.copysign(one, x), zero)
    high, low = _turned(b, backward, PI, high, low)
    return b.copysign(b.add(high, low), y)


def _turned(b: Builder, where: Value, angle: tuple[float, float], high: Value, low: Value) -> tuple[Value, Value]:
    """angle - (high + low) where ``where`` is set; the rest of the subtraction is kept."""
    whole, rest = (const_like(b, part, high) for part in angle)
    total = b.sub(whole, high)
    error = b.sub(b.sub(whole, total), high)
    return b.select(where, total, high), b.select(where, b.add(b.sub(rest, low), error), low)


def _atan_parts(b: Builder, size: Value) -> tuple[Value, Value]:
    """atan of ``size`` >= 0 as a sum of two floats."""
    last = POINTS[-1]
    chosen = [
        _linear(b, size, last.n),
        _linear(b, size, last.d),
        *(const_like(b, c, size) for c in (last.high, last.low)),
    ]
    for point in POINTS[-2::-1]:
        here = b.lt(size, const_like(b, point.below, size))
        parts = (_linear(b, size, point.n), _linear(b, size, point.d))
        values = (*parts, *(const_like(b, c, size) for c in (point.high, point.low)))
        chosen = [b.select(here, value, other) for value, other in zip(values, chosen, strict=True)]
    above, below, high, low = chosen
    t = b.div(above, below)
    z = b.mul(t, t)
    rest = b.sub(low, b.mul(t, b.mul(z, horner(b, z, ATAN_P))))
    near = b.lt(size, const_like(b, POINTS[0].below, size))
    return b.select(near, t, high), b.select(near, rest, b.add(t, rest))


def _linear(b: Builder, x: Value, c: tuple[float, float]) -> Value:
    """c0 + c1 x, the terms that are there."""
    if c[1] == 0.0:
        return const_like(b, c[0], x)
    scaled = x if c[1] == 1.0 else b.mul(x, const_like(b, c[1], x))
    return scaled if c[0] == 0.0 else b.add(scaled, const_like(b, c[0], x))
