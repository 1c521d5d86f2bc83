"""tanh, by a polynomial near 0 and by exp elsewhere."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.exponential import exp_factors
from nbgrad.kernels.elementary.parts import const_like, horner


class TanhTable(NamedTuple):
    """``p`` approximates (tanh(x) / x - 1) / x^2 in x^2 for |x| <= ``small``; tanh rounds to 1 before ``saturated``."""

    small: float
    saturated: float
    p: tuple[float, ...]


# Remez, relative error 2^-27.5 and 2^-56.4. ``small`` balances the polynomial's length against the error of
# 1 - 2 / (e^2x + 1), which grows towards 0.
TANH: Final = {
    float32: TanhTable(
        small=1.0,
        saturated=10.0,
        p=(-0.33333296, 0.13332346, -0.053879835, 0.021486599, -0.007945822, 0.0023010245, -0.00035831894),
    ),
    float64: TanhTable(
        small=0.625,
        saturated=20.0,
        p=(
            -0.33333333333332854,
            0.13333333333261937,
            -0.05396825393119738,
            0.021869487574578166,
            -0.008863220984348497,
            0.003591989039326762,
            -0.0014549582496342069,
            0.0005863146652728679,
            -0.00022856074682029852,
            7.714075442869639e-05,
            -1.6070943916570127e-05,
        ),
    ),
}


def tanh(b: Builder, x: Value) -> Value:
    """x + x^3 P(x^2) for small |x|, else +-(1 - 2 / (e^(2|x|) + 1)).

    Keeps -0; +-1 at +-infinity. Error below 1 ULP in float32, 1.5 in float64.
    """
    table = TANH[b.dtype_of(x)]
    size = b.abs(x)
    z = b.mul(size, size)
    near = b.fma(b.mul(size, z), horner(b, z, table.p), size)
    far = _tanh_by_exp(b, size, table.saturated)
    return b.copysign(b.select(b.lt(size, const_like(b, table.small, x)), near, far), x)


def _tanh_by_exp(b: Builder, size: Value, saturated: float) -> Value:
    """1 - 2 / (e^(2 size) + 1) for size >= 0; no scaling in two steps, as size is held below ``saturated``."""
    one, two, top = (const_like(b, c, size) for c in (1.0, 2.0, 2.0 * saturated))
    doubled = b.add(size, size)
    doubled = b.select(b.gt(doubled, top), top, doubled)  # NaN stays
    e_r, power = exp_factors(b, doubled)
    return b.sub(one, b.div(two, b.fma(e_r, power, one)))
