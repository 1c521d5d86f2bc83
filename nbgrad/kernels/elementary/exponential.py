"""exp and expm1, by 2^k times a polynomial."""

from __future__ import annotations

from typing import Final, NamedTuple

from nbgrad.graph.builder import Builder, Value
from nbgrad.graph.dtypes import float32, float64
from nbgrad.kernels.elementary.parts import (
    LAYOUT,
    clamp,
    const_like,
    horner,
    nearest_multiple,
    power_of_two,
    scale_by_power,
)

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


def reduce_exp(b: Builder, x: Value, offset: int) -> tuple[Value, Value]:
    """(r, bits) with x = k ln 2 + r, |r| <= ln(2) / 2; the low bits of ``bits`` are k + offset.

    The first fma is exact (the difference is a multiple of x's last bit, and small); the second rounds r once.
    """
    high, low = EXP[b.dtype_of(x)].ln2
    k, bits = nearest_multiple(b, x, LOG2_E, offset)
    r = b.fma(k, const_like(b, -high, x), x)
    return b.fma(k, const_like(b, -low, x), r), bits


def reduce_exp_exactly(b: Builder, x: Value, offset: int) -> tuple[Value, Value, Value]:
    """(r, error, bits): as ``reduce_exp``, with the rounding error of r."""
    high, low = (const_like(b, -c, x) for c in EXP[b.dtype_of(x)].ln2)
    k, bits = nearest_multiple(b, x, LOG2_E, offset)
    r_high = b.fma(k, high, x)
    r = b.fma(k, low, r_high)
    return r, b.fma(k, low, b.sub(r_high, r)), bits


def exp_polynomial(b: Builder, r: Value) -> Value:
    """e^r for |r| <= ln(2) / 2."""
    return horner(b, r, (1.0, 1.0, *EXP[b.dtype_of(r)].q))


def exp_factors(b: Builder, x: Value) -> tuple[Value, Value]:
    """(e^r, 2^k), the factors of e^x, where e^x is a normal number: a cheaper part of other functions."""
    dtype = b.dtype_of(x)
    r, bits = reduce_exp(b, x, LAYOUT[dtype].bias)
    return exp_polynomial(b, r), power_of_two(b, bits, dtype)


def exp(b: Builder, x: Value) -> Value:
    """e^x = 2^k e^r with k = round(x / ln 2) and r = x - k ln 2.

    x is first held below a number beyond which scaling gives infinity; subnormal results are rounded once. Where the
    result is 0 it is chosen: scaling down to it takes a processor ten times as long, and -infinity is what masks put
    into a softmax. Error below 0.9 ULP in float32 and float64.
    """
    dtype = b.dtype_of(x)
    zero, highest = const_like(b, 0.0, x), const_like(b, EXP[dtype].highest, x)
    gone = b.lt(x, const_like(b, EXP[dtype].lowest, x))
    held = b.select(gone, zero, b.select(b.gt(x, highest), highest, x))  # NaN stays
    r, bits = reduce_exp(b, held, 2 * LAYOUT[dtype].bias)
    return b.select(gone, zero, scale_by_power(b, exp_polynomial(b, r), bits))


def expm1(b: Builder, x: Value) -> Value:
    """e^x - 1 without cancellation: keeps -0, -1 at -infinity.

    float32 is computed in float64, rounded once: below 0.85 ULP. Below 1.5 ULP in float64.
    """
    dtype = b.dtype_of(x)
    offset = LAYOUT[float64].bias - 1
    if dtype is float64:
        r, tail, bits = reduce_exp_exactly(b, clamp(b, x, -45.0, EXP[dtype].highest), offset)
    else:
        r, bits = reduce_exp(b, b.cast(clamp(b, x, -20.0, EXP[dtype].highest), float64), offset)
        tail = const_like(b, 0.0, r)
    tail = b.fma(b.mul(r, r), horner(b, r, EXP[dtype].q), tail)
    y = b.cast(_scaled_expm1(b, r, tail, bits), dtype)
    # Halves of the smallest subnormals don't exist, nor would -0 be kept.
    return b.select(b.lt(b.abs(x), const_like(b, 2.0**-60, x)), x, y)


def _scaled_expm1(b: Builder, r: Value, tail: Value, bits: Value) -> Value:
    """2^k (1 + r + tail) - 1, the low bits of ``bits`` being those of k - 1, biased: 2^k itself may overflow.

    The largest terms, 2^k r and 2^k - 1, are added first; where they cancel their sum is exact.
    """
    half_power = power_of_two(b, bits, b.dtype_of(r))
    large = b.fma(half_power, r, b.sub(half_power, const_like(b, 0.5, r)))
    half = b.fma(half_power, tail, large)
    return b.add(half, half)
