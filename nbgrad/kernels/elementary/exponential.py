"""exp, by 2^k times a polynomial."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.parts import LAYOUT, clamp, const_like, horner, nearest_multiple, scale_by_power

LOG2_E: Final = 1.4426950408889634


class ExpTable(NamedTuple):
    """What exp needs to know of a dtype. ``q`` approximates (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2."""

    lowest: float  # e^lowest rounds to 0
    highest: float  # e^highest overflows
    ln2: tuple[float, float]  # rounded, and what rounding left over
    q: tuple[float, ...]


# Remez fits, weighted for the relative error of e^r, each coefficient rounded before the higher ones were refitted.
# Error of the polynomial: 2^-28.2 and 2^-57.9.
EXP: Final = {
    float32: ExpTable(
        lowest=-104.0,
        highest=89.0,
        ln2=(0.6931472, -1.9046542e-09),
        q=(0.49999994, 0.16666517, 0.041668102, 0.008369197, 0.0013838971),
    ),
    float64: ExpTable(
        lowest=-746.0,
        highest=710.0,
        ln2=(0.6931471805599453, 2.3190468138462996e-17),
        q=(
            0.5000000000000011,
            0.16666666666666435,
            0.04166666666652573,
            0.008333333333475622,
            0.001388888894489273,
            0.00019841269556308637,
            2.4801491700761584e-05,
            2.7557534135763333e-06,
            2.7630776021023563e-07,
            2.501901936250993e-08,
        ),
    ),
}


def reduce_exp(b: Builder, x: Value) -> tuple[Value, Value]:
    """(r, bits) with x = k ln 2 + r, |r| <= ln(2) / 2; the low bits of ``bits`` are k + 2 * bias.

    The first fma is exact (the difference is a multiple of x's last bit, and small); the second rounds r once.
    """
    dtype = b.dtype_of(x)
    high, low = EXP[dtype].ln2
    k, bits = nearest_multiple(b, x, LOG2_E, offset=2 * LAYOUT[dtype].bias)
    r = b.fma(k, const_like(b, -high, x), x)
    return b.fma(k, const_like(b, -low, x), r), bits


def exp_polynomial(b: Builder, r: Value) -> Value:
    """e^r for |r| <= ln(2) / 2."""
    return horner(b, r, (1.0, 1.0, *EXP[b.dtype_of(r)].q))


def exp(b: Builder, x: Value) -> Value:
    """e^x = 2^k e^r with k = round(x / ln 2) and r = x - k ln 2.

    x is first held in a range beyond which the result is 0 or infinity, and there scaling gives just that; subnormal
    results are rounded once. Error below 0.9 ULP in float32 and float64.
    """
    table = EXP[b.dtype_of(x)]
    r, bits = reduce_exp(b, clamp(b, x, table.lowest, table.highest))
    return scale_by_power(b, exp_polynomial(b, r), bits)
