"""sigmoid, by exp of a negative number."""

from __future__ import annotations

from nbgrad.graph.builder import Builder, Value
from nbgrad.kernels.elementary.exponential import EXP, reduce_exp_exactly
from nbgrad.kernels.elementary.parts import LAYOUT, const_like, fast_two_sum, horner, power_of_two


def sigmoid(b: Builder, x: Value) -> Value:
    """1 / (1 + e^-|x|) for x >= 0, e^-|x| / (1 + e^-|x|) for x < 0: nothing cancels, nothing overflows.

    With e^-|x| = 2^k p the second is p / (1 + e^-|x|), scaled last, so that subnormal results are rounded once. Error
    below 1 ULP.
    """
    layout = LAYOUT[b.dtype_of(x)]
    one, low = const_like(b, 1.0, x), const_like(b, EXP[b.dtype_of(x)].lowest, x)
    size = b.neg(b.abs(x))
    size = b.select(b.lt(size, low), low, size)  # NaN stays
    # 2^k in two factors, the second fixed, which keeps the first one normal.
    shift = layout.fraction + 2
    r, r_error, bits = reduce_exp_exactly(b, size, layout.bias + shift)
    power, down = power_of_two(b, bits, b.dtype_of(x)), const_like(b, 2.0**-shift, x)
    tail = b.fma(b.mul(r, r), horner(b, r, EXP[b.dtype_of(x)].q), r_error)
    p, p_error = fast_two_sum(b, one, b.add(r, tail))
    total, error = fast_two_sum(b, one, b.mul(b.mul(p, power), down))
    negative = b.lt(x, const_like(b, 0.0, x))
    above = b.select(negative, p, one)
    above_error = b.select(negative, p_error, const_like(b, 0.0, x))
    ratio = _exact_ratio(b, above, above_error, total, b.fma(b.mul(p_error, power), down, error))
    return b.select(negative, b.mul(b.mul(ratio, power), down), ratio)


def _exact_ratio(b: Builder, x: Value, x_error: Value, y: Value, y_error: Value) -> Value:
    """(x + x_error) / (y + y_error), rounded once, nearly: a division and the quotient's first-order correction."""
    inverse = b.div(const_like(b, 1.0, y), y)
    ratio = b.mul(x, inverse)
    rest = b.add(b.fma(b.neg(ratio), y, x), b.fma(b.neg(ratio), y_error, x_error))
    return b.fma(rest, inverse, ratio)
