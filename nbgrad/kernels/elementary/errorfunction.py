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


# Remez fits, errors relative to erf: 2^-29 and 2^-29.8 in float32, 2^-56.3 and 2^-55.5 in float64. ``far`` need only
# be good where 1 - erf(x) can be seen in erf(x), so its weight falls off quickly.
ERF: Final = {
    float32: ErfTable(
        small=1.0,
        saturated=4.0,
        near=(0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.0051871645, -0.0007997885, 7.80705e-05),
        far=(-0.00034166512, -1.1270885, -0.638146, -0.103105724, 0.021837585, -0.0029475528, 0.0001863715),
    ),
    float64: ErfTable(
        small=1.25,
        saturated=6.0,
        near=(
            0.1283791670955126,
            -0.37612638903184004,
            0.11283791670963585,
            -0.026866170646253,
            0.0052239776331641456,
            -0.0008548327338446077,
            0.00012055341155734998,
            -1.492579015197451e-05,
            1.6463700955311007e-06,
            -1.637744666279741e-07,
            1.4855848941049935e-08,
            -1.234763034817529e-09,
            8.946380195990771e-11,
            -4.2440498991938105e-12,
        ),
        far=(
            -4.382114135023478e-06,
            -1.12834172221681,
            -0.6367694966250327,
            -0.10240054076520377,
            0.018485120363261276,
            0.0010296935591972715,
            -0.002493398116190652,
            0.0011892279526958627,
            -0.00037371111798976047,
            8.735301610878389e-05,
            -1.5551069182847162e-05,
            2.0889854096070403e-06,
            -2.0508402893175983e-07,
            1.385003358969211e-08,
            -5.724938522909459e-10,
            1.0847966711759643e-11,
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
