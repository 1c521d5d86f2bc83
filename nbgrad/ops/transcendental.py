"""Elementary functions; their vector bodies are in kernels/elementary."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgrad.graph.dtypes import float32, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Params
from nbgrad.ops.family import elementwise
from nbgrad.system.imports import import_module

TWO_OVER_SQRT_PI = 2.0 / math.sqrt(math.pi)


def from_scipy(name: str) -> Callable[[Any], Any]:
    """SciPy's function, imported when it is first asked."""
    return lambda x: getattr(import_module("nbgrad.ops.scipy_reference"), name)(x)


exp = elementwise("exp", partials=lambda y, x: (y,), emit="exp", reference=np.exp, cost=12)
expm1 = elementwise("expm1", partials=lambda y, x: (y + 1.0,), emit="expm1", reference=np.expm1, cost=16)
log = elementwise("log", vjp=lambda g, y, i, p: (g / i[0],), emit="log", reference=np.log, cost=12)


def _logit_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g / (x (1 - x)), infinite at 0 and 1; NaN beyond, as the value is."""
    (x,) = inputs
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    outside = apply("bit_or", apply("lt", x, zero), apply("gt", x, one))
    return (apply("where", outside, const(math.nan, x.spec.dtype), g / apply("abs", x * (one - x))),)


logit = elementwise(
    "logit",
    vjp=_logit_vjp,
    emit=lambda b, x: b.function("log", b.div(x, b.sub(b.const(1.0, b.dtype_of(x)), x))),
    reference=lambda x: np.log(x / (1 - x)),
    cost=16,
)
log1p = elementwise("log1p", vjp=lambda g, y, i, p: (g / (i[0] + 1.0),), emit="log1p", reference=np.log1p, cost=16)
sin = elementwise("sin", partials=lambda y, x: (apply("cos", x),), emit="sin", reference=np.sin, cost=16)
cos = elementwise("cos", partials=lambda y, x: (-apply("sin", x),), emit="cos", reference=np.cos, cost=16)
tanh = elementwise(
    "tanh",
    partials=lambda y, x: (1.0 - y * y,),  # reads the output, so the input need not be kept
    emit="tanh",
    reference=np.tanh,
    cost=16,
)
sigmoid = elementwise(
    "sigmoid",
    partials=lambda y, x: (y * (1.0 - y),),
    emit="sigmoid",
    reference=from_scipy("expit"),
    cost=16,
)
erf = elementwise(
    "erf",
    partials=lambda y, x: (apply("exp", -(x * x)) * TWO_OVER_SQRT_PI,),
    emit="erf",
    reference=from_scipy("erf"),
    cost=12,
)


def _pow_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """b a^(b-1), 0 where b is 0; a^b log a, 0 where a is 0 and b is not negative (PyTorch's conventions)."""
    a, b = inputs
    zero = const(0, y.spec.dtype)
    by_base = apply("where", apply("eq", b, zero), zero, g * (b * apply("pow", a, b - 1.0)))
    size = apply("real", b) if b.spec.dtype.is_complex else b
    flat = apply("bit_and", apply("eq", a, zero), apply("ge", size, const(0, size.spec.dtype)))
    by_exponent = apply("where", flat, zero, g * (y * apply("log", a)))
    return by_base, by_exponent


def _pow(b: Any, x: Any, y: Any) -> Any:
    return b.function("pow", x, y) if b.dtype_of(x).is_floating_point else _pow_integer(b, x, y)


def _pow_integer(b: Any, x: Any, y: Any) -> Any:
    """x^y by squaring, wrapping; negative y gives 1, -1 or 0, as the exact quotient does where it is whole."""
    dtype = b.dtype_of(x)
    zero, one = b.const(0, dtype), b.const(1, dtype)
    result, square = one, x
    for bit in range(8 * dtype.itemsize - dtype.is_signed):
        is_set = b.ne(b.bit_and(b.lshr(y, bit), one), zero)
        result = b.select(is_set, b.mul(result, square), result)
        square = b.mul(square, square)
    if not dtype.is_signed:
        return result
    odd = b.ne(b.bit_and(y, one), zero)
    sign = b.select(odd, x, one)
    unit = b.bit_or(b.eq(x, one), b.eq(x, b.neg(one)))
    return b.select(b.lt(y, zero), b.select(unit, sign, zero), result)


def _pow_reference(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return np.power(x, y)
    unit = np.where(x == 1, 1, np.where(x == -1, 1 - 2 * (y & 1), 0)) if x.dtype.kind == "i" else x
    return np.where(y < 0, unit, np.power(x, np.maximum(y, 0))).astype(x.dtype)


pow_ = elementwise("pow", vjp=_pow_vjp, emit=_pow, reference=_pow_reference, cost=60)


def _logaddexp(b: Any, x: Any, y: Any) -> Any:
    """The larger one + log1p(e^-distance); equal infinities have no distance."""
    zero = b.const(0.0, b.dtype_of(x))
    distance = b.select(b.eq(x, y), zero, b.abs(b.sub(x, y)))
    return b.add(b.maximum(x, y), b.function("log1p", b.function("exp", b.neg(distance))))


logaddexp = elementwise(
    "logaddexp",
    partials=lambda y, a, b: (apply("sigmoid", a - b), apply("sigmoid", b - a)),
    emit=_logaddexp,
    reference=np.logaddexp,
    cost=30,
)

LOG2_E = 1.4426950408889634
LOG2_E_REST = 2.0355273740931033e-17  # what LOG2_E lacks
LOG10_E = 0.4342944819032518
LOG10_E_REST = 1.098319650216765e-17
# Of the stored exponent: (bits of the fraction, bias, power of two that makes subnormals normal).
LAYOUT = {"float32": (23, 127, 25), "float64": (52, 1023, 54)}


def _log2(b: Any, x: Any) -> Any:
    """e + log(m) / log(2) with x = m 2^e and m in [sqrt(1/2), sqrt(2)), so powers of two are exact."""
    dtype = b.dtype_of(x)
    fraction, bias, lift = LAYOUT[dtype.name]
    integer = int32 if dtype is float32 else int64
    small = b.lt(x, b.const(2.0 ** (1 - bias), dtype))
    lifted = b.select(small, b.mul(x, b.const(2.0**lift, dtype)), x)
    shift = b.select(small, b.const(float(-lift), dtype), b.const(0.0, dtype))
    # Adding the distance from sqrt(1/2) to 1 carries into the exponent where m is above sqrt(2).
    bits = b.bitcast(lifted, integer)
    one = b.bitcast(b.const(1.0, dtype), integer)
    half_root = b.bitcast(b.const(math.sqrt(0.5), dtype), integer)
    exponent = b.sub(b.ashr(b.add(bits, b.sub(one, half_root)), fraction), b.const(bias, integer))
    m = b.bitcast(b.sub(bits, b.shl(exponent, fraction)), dtype)
    whole = b.add(b.cast(exponent, dtype), shift)
    y = b.add(whole, _times(b, b.function("log", m), LOG2_E, LOG2_E_REST))
    finite = b.bit_and(b.gt(x, b.const(0.0, dtype)), b.lt(x, b.const(float("inf"), dtype)))
    return b.select(finite, y, b.function("log", x))


def _times(b: Any, x: Any, high: float, low: float) -> Any:
    """x * (high + low) with one rounding of the large product."""
    dtype = b.dtype_of(x)
    near = float(np.float32(high)) if dtype is float32 else high
    rest = (high - near) + low
    return b.fma(x, b.const(near, dtype), b.mul(x, b.const(rest, dtype)))


def _log10(b: Any, x: Any) -> Any:
    y = b.function("log", x)
    finite = b.lt(b.abs(y), b.const(float("inf"), b.dtype_of(x)))
    return b.select(finite, _times(b, y, LOG10_E, LOG10_E_REST), y)


log2 = elementwise("log2", vjp=lambda g, y, i, p: (g / (i[0] * math.log(2.0)),), emit=_log2, reference=np.log2, cost=16)
log10 = elementwise(
    "log10",
    vjp=lambda g, y, i, p: (g / (i[0] * math.log(10.0)),),
    emit=_log10,
    reference=np.log10,
    cost=14,
)
