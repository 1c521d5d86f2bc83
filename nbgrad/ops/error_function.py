"""The complement of the error function, also times e^(x^2) and as a share, and its inverse, over a builder.

All are computed in float64 and rounded once for float32. Coefficients: interpolation at Chebyshev nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, pi, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import DType, float64
from nbgrad.graph.node import apply
from nbgrad.ops.chebyshev import powers
from nbgrad.ops.family import elementwise
from nbgrad.ops.transcendental import from_scipy


class Stretch(NamedTuple):
    """A polynomial in (x - middle) / half, lowest power first."""

    middle: float
    half: float
    coefficients: tuple[float, ...]


# e^(x^2) erfc(x) (1 + x) in t = 1 - 2 CENTRE / (x + CENTRE), for x from 0 on. Error 2^-57.
TAIL: Final = (
    0.7537126744747984,
    -0.2241538079990932,
    0.03331141869936043,
    0.004729202203160197,
    -0.004667584028574755,
    0.001505458991859158,
    -0.00026627940185075776,
    1.4873372028813446e-05,
    4.608056130651457e-06,
    -9.676802292406137e-07,
    -4.580496022125077e-08,
    3.403835840664566e-08,
    -2.5183402321363754e-10,
    -1.1966477481246857e-09,
    3.164433134105992e-11,
    4.632116431522466e-11,
    -8.079023772841502e-13,
    -1.962398338112284e-12,
    -3.400898553104142e-14,
    8.654949127746541e-14,
    6.547147159229033e-15,
    -3.6838636129200996e-15,
    -6.061318726312009e-16,
    1.3273121984901985e-16,
    4.3939552352609764e-17,
)
TAIL_FROM, TAIL_TO, CENTRE = 0.5, 28.0, 3.0
SHARE_TO = 40.0  # beyond this the share of a normal distribution is 0
SCALED_FROM = -26.64  # below e^(x^2) erfc(x) is infinite

# erfinv(y) / y by w = -log(1 - y^2): in w up to 5, then in sqrt(w) up to 16 and up to 38. Error 2^-53.
NEAR: Final = Stretch(
    2.5,
    2.5,
    (
        1.501409351110792,
        0.6166006918604175,
        -0.02610823577739765,
        -0.019573561059547377,
        0.008525400950939892,
        -0.0004878983983252155,
        -0.0008341356436926482,
        0.0002921906851342163,
        2.0472417839420812e-05,
        -4.1432071450377935e-05,
        8.652721877484876e-06,
        2.851652817060834e-06,
        -1.853870554105327e-06,
        1.3583392473566449e-07,
        1.9953933232996815e-07,
        -7.08985061397636e-08,
        -6.70810932648382e-09,
        1.1040417909061025e-08,
        -1.9880707100189075e-09,
        -9.760204713196851e-10,
        4.4650677608736676e-10,
        3.867417238765463e-11,
        -3.9169363297916484e-11,
    ),
)
MIDDLE: Final = Stretch(
    3.118033988749895,
    0.8819660112501051,
    (
        2.951328578343118,
        0.8851584844828514,
        0.005569334211996139,
        -0.0037101358035823923,
        0.00234956246117422,
        -0.0013730404077942884,
        0.0006008359551524632,
        -0.00013425953171484394,
        -3.5957654407630666e-05,
        4.5273557517321316e-05,
        -1.6797763717184527e-05,
        3.031110723825265e-07,
        2.6532632775694265e-06,
        -1.2413508031470964e-06,
        1.3908452912126949e-07,
        1.228433275671599e-07,
        -7.364378631319223e-08,
        1.5510600081672575e-08,
        3.905951571737519e-09,
        -4.447633728319447e-09,
        1.1461269062275555e-09,
        3.08021419313097e-10,
        -1.6972295162916496e-10,
    ),
)
FAR: Final = Stretch(
    5.0822070014844885,
    1.0822070014844882,
    (
        4.932959119696899,
        1.0933250144607833,
        -0.00022108814392239544,
        -0.0002424912820359738,
        9.374579342720927e-05,
        -2.6100988457151478e-05,
        6.417787414235514e-06,
        -1.4900617802778982e-06,
        3.5116316806560326e-07,
        -9.879069722332872e-08,
        4.0202375556099274e-08,
        -2.175453842786643e-08,
        1.228667368839811e-08,
        -6.30426497983154e-09,
        2.7519168875327268e-09,
        -9.619831899141045e-10,
        2.3664524310231193e-10,
        -1.0667505581319932e-11,
        -3.2344355229754735e-11,
        1.9954176203200223e-11,
        -4.386396194994124e-12,
    ),
)
MIDDLE_FROM, FAR_FROM = 5.0, 16.0


def _polynomial(b: Any, x: Any, stretch: Stretch) -> Any:
    def number(value: float) -> Any:
        return b.const(value, float64)

    u = b.mul(b.sub(x, number(stretch.middle)), number(1 / stretch.half))
    return _horner(b, u, stretch.coefficients)


def _horner(b: Any, u: Any, coefficients: Sequence[float]) -> Any:
    total = b.const(coefficients[-1], float64)
    for c in reversed(coefficients[:-1]):
        total = b.fma(total, u, b.const(c, float64))
    return total


def _in_double(formula: Any) -> Any:
    """``formula`` computed in float64, whatever dtype the input has."""

    def emit(b: Any, x: Any) -> Any:
        dtype = b.dtype_of(x)
        return formula(b, x) if dtype is float64 else b.cast(formula(b, b.cast(x, float64)), dtype)

    return emit


def _scaled(b: Any, x: Any, dtype: DType) -> Any:
    """e^(x^2) erfc(x) for x from 0 on, in float64, good enough for ``dtype``."""
    one, centre, twice = b.const(1.0, float64), b.const(CENTRE, float64), b.const(2 * CENTRE, float64)
    t = b.sub(one, b.div(twice, b.add(x, centre)))
    return b.div(_horner(b, t, powers(TAIL, dtype)), b.add(x, one))


def _square(b: Any, x: Any) -> tuple[Any, Any]:
    """x^2, and what rounding took from it, which counts in an exponent."""
    square = b.mul(x, x)
    return square, b.fma(x, x, b.neg(square))


def _erfc(b: Any, x: Any) -> Any:
    """1 - erf(x) up to 1/2; beyond e^(-x^2) times the scaled one."""
    one, top = b.const(1.0, float64), b.const(TAIL_TO, float64)
    held = b.select(b.gt(x, top), top, x)  # NaN stays
    square, rest = _square(b, held)
    bell, share = b.function("exp", b.neg(square)), _scaled(b, held, float64)
    far = b.mul(b.fma(share, b.neg(rest), share), bell)
    return b.select(b.lt(x, b.const(TAIL_FROM, float64)), b.sub(one, b.function("erf", x)), far)


def _erfcx(b: Any, x: Any) -> Any:
    """The scaled one, of a negative x taken from 2 e^(x^2)."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    bottom, zero = b.const(SCALED_FROM, float64), b.const(0.0, float64)
    is_left = b.lt(wide, zero)
    square, rest = _square(b, b.select(is_left, b.select(b.lt(wide, bottom), bottom, wide), zero))
    bell, share = b.function("exp", square), _scaled(b, b.abs(wide), dtype)
    half = b.fma(bell, rest, b.fma(share, b.const(-0.5, float64), bell))
    return b.cast(b.select(is_left, b.add(half, half), share), dtype)


def _ndtr(b: Any, x: Any) -> Any:
    """e^(-x^2 / 2) times half the scaled one of |x| / sqrt(2) is what lies beyond |x|."""
    dtype = b.dtype_of(x)
    wide = b.cast(x, float64)
    size, top, half = b.abs(wide), b.const(SHARE_TO, float64), b.const(0.5, float64)
    held = b.select(b.gt(size, top), top, size)  # NaN stays
    square, rest = _square(b, held)
    bell = b.function("exp", b.mul(square, b.neg(half)))
    share = b.mul(_scaled(b, b.mul(held, b.const(sqrt(0.5), float64)), dtype), half)
    beyond = b.mul(b.fma(b.mul(share, b.neg(half)), rest, share), bell)
    is_left = b.lt(wide, b.const(0.0, float64))
    return b.cast(b.select(is_left, beyond, b.sub(b.const(1.0, float64), beyond)), dtype)


def _erfinv(b: Any, y: Any) -> Any:
    """y P(w), w = -log((1 - y) (1 + y)), by three stretches of w; +-infinity at +-1, NaN beyond.

    Source of the argument: Giles 2010, "Approximating the erfinv function".
    """
    one = b.const(1.0, float64)
    w = b.neg(b.function("log", b.mul(b.sub(one, y), b.add(one, y))))
    root = b.sqrt(w)
    far = b.select(b.lt(w, b.const(FAR_FROM, float64)), _polynomial(b, root, MIDDLE), _polynomial(b, root, FAR))
    found = b.mul(y, b.select(b.lt(w, b.const(MIDDLE_FROM, float64)), _polynomial(b, w, NEAR), far))
    return b.select(b.eq(b.abs(y), one), b.copysign(b.const(inf, float64), y), found)


def _erfc_reference(x: Any) -> Any:
    """The C library's, within 2 ULP; SciPy's is up to 16 off."""
    return np.asarray(np.vectorize(math.erfc, otypes=[np.float64])(x)).astype(x.dtype)


def _erfinv_reference(y: Any) -> Any:
    """SciPy's, in float64 as here; it forgets the sign of -0."""
    return np.copysign(np.asarray(from_scipy("erfinv")(np.asarray(y, np.float64))).astype(y.dtype), y)


erfc = elementwise(
    "erfc",  # within 3.5 ULP in float64, 0.51 in float32
    partials=lambda y, x: (apply("exp", -(x * x)) * (-2 / sqrt(pi)),),
    emit=_in_double(_erfc),
    reference=_erfc_reference,
    cost=40,
)
erfcx = elementwise(
    "erfcx",  # within 2.3 ULP in float64, 0.51 in float32
    partials=lambda y, x: (x * y * 2.0 - 2 / sqrt(pi),),
    emit=_erfcx,
    reference=from_scipy("erfcx"),
    cost=50,
)
ndtr = elementwise(
    "ndtr",  # within 3.5 ULP in float64, 0.51 in float32
    partials=lambda y, x: (apply("exp", x * x * -0.5) * (1 / sqrt(2 * pi)),),
    emit=_ndtr,
    reference=from_scipy("ndtr"),
    cost=50,
)
erfinv = elementwise(
    "erfinv",  # within 2.5 ULP in float64, 0.51 in float32
    partials=lambda y, x: (apply("exp", y * y) * (sqrt(pi) / 2),),
    emit=_in_double(_erfinv),
    reference=_erfinv_reference,
    cost=50,
)
