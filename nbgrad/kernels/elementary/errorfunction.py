"""erf, by a polynomial near 0 and by exp of one elsewhere."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.exponential import exp_polynomial, reduce_exp
from nbgrad.kernels.elementary.parts import LAYOUT, const_like, horner, power_of_two


class ErfTable(NamedTuple):
    """``near`` approximates erf(x) / x - 1 in x^2 up to ``small``, ``far`` log(1 - erf(x)) in x from there on."""

    small: float
    saturated: float  # erf rounds to 1 before
    near: tuple[float, ...]
    far: tuple[float, ...]


# Remez fits, errors relative to erf: 2^-29 and 2^-29.8 in float32, 2^-56 and 2^-56.2 in float64. ``far`` need only
# be good where 1 - erf(x) can be seen in erf(x), so its weight falls off quickly.
ERF: Final = {
    float32: ErfTable(
        small=1.0,
        saturated=4.0,
        near=(0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.0051871645, -0.0007997885, 7.80705e-05),
        far=(-0.00034166512, -1.1270885, -0.638146, -0.103105724, 0.021837585, -0.0029475528, 0.0001863715),
    ),
    float64: ErfTable(
        small=1.5,
        saturated=6.0,
        near=(
            0.12837916709551256,
            -0.37612638903183476,
            0.1128379167094686,
            -0.026866170644150714,
            0.0052239776193258895,
            -0.0008548326792900566,
            0.00012055327291982562,
            -1.4925553779985095e-05,
            1.646095217134514e-06,
            -1.635576030912229e-07,
            1.4743716676687157e-08,
            -1.2001969745300588e-09,
            8.490004539772952e-11,
            -4.6314757420204705e-12,
            1.4119669511670273e-13,
        ),
        far=(
            7.006015132790154e-06,
            -1.1284153525171707,
            -0.6365495753275495,
            -0.10280293411690053,
            0.018989347487767438,
            0.0005715151882305857,
            -0.0021816284530583275,
            0.0010275238673083124,
            -0.0003092828236358755,
            6.764175598015766e-05,
            -1.0960358216045195e-05,
            1.2900715284531393e-06,
            -1.045679374041417e-07,
            5.223062170178365e-09,
            -1.2110236831674526e-10,
        ),
    ),
}


def erf(b: Builder, x: Value) -> Value:
    """x + x P(x^2) for small |x|, else +-(1 - e^Q(|x|)). Keeps -0; +-1 at +-infinity.

    Error below 1 ULP in float32, 1.5 in float64.
    """
    table = ERF[b.dtype_of(x)]
    size = b.abs(x)
    near = b.fma(size, horner(b, b.mul(size, size), table.near), size)
    top = const_like(b, table.saturated, x)
    held = b.select(b.gt(size, top), top, size)  # NaN stays
    far = b.sub(const_like(b, 1.0, x), _exp_of_polynomial(b, held, table.far))
    return b.copysign(b.select(b.lt(size, const_like(b, table.small, x)), near, far), x)


def _exp_of_polynomial(b: Builder, x: Value, coefficients: tuple[float, ...]) -> Value:
    """e^Q(x), with the rounding error of the polynomial's last and largest step made good."""
    last = const_like(b, coefficients[0], x)
    rest = horner(b, x, coefficients[1:])
    q = b.fma(rest, x, last)
    error = b.fma(rest, x, b.sub(last, q))
    r, bits = reduce_exp(b, q, LAYOUT[b.dtype_of(x)].bias)
    return b.mul(exp_polynomial(b, b.add(r, error)), power_of_two(b, bits, b.dtype_of(x)))
