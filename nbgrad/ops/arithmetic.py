"""Arithmetic on elements: the four operations, integer division, roots, rounding, bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import ON_INTEGERS, Params
from nbgrad.ops.family import elementwise, exact
from nbgrad.ops.tangents import gathered

# On bool, + is or and * is and, as in NumPy and PyTorch.
add = exact("add", partials=lambda y, a, b: (1.0, 1.0), emit=lambda b, x, y: _add(b, x, y), reference=np.add)
sub = exact(
    "sub",
    partials=lambda y, a, b: (1.0, -1.0),
    jvp=lambda y, inputs, tangents: _difference(y, *tangents),
    emit=lambda b, x, y: b.sub(x, y),
    reference=np.subtract,
)
mul = exact("mul", partials=lambda y, a, b: (b, a), emit=lambda b, x, y: _mul(b, x, y), reference=np.multiply)
div = exact(
    "div",
    vjp=lambda g, y, inputs, params: _div_vjp(g / inputs[1], y),
    emit=lambda b, x, y: b.div(x, y),
    reference=np.divide,
)
neg = exact("neg", partials=lambda y, x: (-1.0,), emit=lambda b, x: b.neg(x), reference=np.negative)


def _difference(y: Node, a: Node | None, b: Node | None) -> Node | None:
    return gathered(y, [a if b is None else -b if a is None else a - b])


def _div_vjp(quotient: Node, y: Node) -> tuple[Node, Node]:
    return quotient, -quotient * y


def _add(b: Any, x: Any, y: Any) -> Any:
    return b.bit_or(x, y) if b.dtype_of(x).kind == "b" else b.add(x, y)


def _mul(b: Any, x: Any, y: Any) -> Any:
    return b.bit_and(x, y) if b.dtype_of(x).kind == "b" else b.mul(x, y)


def _quotient_reference(a: Any, b: Any) -> Any:
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)


def _floor_quotient(b: Any, x: Any, y: Any) -> Any:
    """Floor of x / y. Integers: one less than the quotient where signs differ and it is not exact."""
    dtype = b.dtype_of(x)
    zero = b.const(0, dtype)
    if dtype.is_floating_point:
        return _floor_quotient_float(b, x, y)
    q = b.quotient(x, y)
    r = b.remainder(x, y)
    down = b.bit_and(b.ne(r, zero), b.ne(b.lt(r, zero), b.lt(y, zero)) if dtype.is_signed else b.ne(r, r))
    return b.select(down, b.sub(q, b.const(1, dtype)), q)


def _floor_quotient_float(b: Any, x: Any, y: Any) -> Any:
    """floor(x / y) from the exact remainder: the nearest integer to (x - mod) / y, as NumPy and PyTorch define it."""
    dtype = b.dtype_of(x)
    zero = b.const(0.0, dtype)
    mod = b.fmod(x, y)
    q = b.div(b.sub(x, mod), y)
    differ = b.bit_and(b.ne(mod, zero), b.ne(b.lt(y, zero), b.lt(mod, zero)))
    q = b.select(differ, b.sub(q, b.const(1.0, dtype)), q)
    low = b.floor(q)
    near = b.select(b.gt(b.sub(q, low), b.const(0.5, dtype)), b.add(low, b.const(1.0, dtype)), low)
    whole = b.select(b.eq(q, zero), b.copysign(zero, b.div(x, y)), near)
    return b.select(b.eq(y, zero), b.div(x, y), whole)


def _remainder(b: Any, x: Any, y: Any) -> Any:
    """Remainder with the sign of the divisor."""
    dtype = b.dtype_of(x)
    zero = b.const(0, dtype)
    r = b.fmod(x, y) if dtype.is_floating_point else b.remainder(x, y)
    if dtype.kind == "u":
        return r
    differ = b.bit_and(b.ne(r, zero), b.ne(b.lt(r, zero), b.lt(y, zero)))
    return b.select(differ, b.add(r, y), r)


def _remainder_reference(a: Any, b: Any) -> Any:
    """np.mod with the zeros of fmod: their sign is that of ``a``, as in PyTorch."""
    r = np.fmod(a, b)
    return np.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)


def _remainder_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """remainder(a, b) = a - b * floor(a / b), the floor being flat."""
    return g, -(g * apply("floor_divide", *inputs))


floor_divide = elementwise(
    "floor_divide",
    emit=_floor_quotient,
    reference=np.floor_divide,
    partials=lambda y, a, b: (0.0, 0.0),
    cost=8,
    can_fail=ON_INTEGERS,
)
trunc_divide = elementwise(
    "trunc_divide",
    emit=lambda b, x, y: b.trunc(b.div(x, y)) if b.dtype_of(x).is_floating_point else b.quotient(x, y),
    reference=_quotient_reference,
    partials=lambda y, a, b: (0.0, 0.0),
    cost=8,
    can_fail=ON_INTEGERS,
)
remainder = elementwise(
    "remainder", emit=_remainder, reference=_remainder_reference, vjp=_remainder_vjp, cost=8, can_fail=ON_INTEGERS
)
fmod = elementwise(
    "fmod",
    emit=lambda b, x, y: b.fmod(x, y) if b.dtype_of(x).is_floating_point else b.remainder(x, y),
    reference=np.fmod,
    vjp=lambda g, y, i, p: (g, -(g * apply("trunc", i[0] / i[1]))),
    cost=8,
    can_fail=ON_INTEGERS,
)

sqrt = exact("sqrt", vjp=lambda g, y, i, p: (g / (y * 2.0),), emit=lambda b, x: b.sqrt(x), reference=np.sqrt)


def _sign(b: Any, x: Any) -> Any:
    """-1, 0 or 1; NaN gives 0, as in PyTorch."""
    dtype = b.dtype_of(x)
    if dtype.kind == "b":
        return x
    zero, one = b.const(0, dtype), b.const(1, dtype)
    up = b.select(b.gt(x, zero), one, zero)
    return up if dtype.kind == "u" else b.select(b.lt(x, zero), b.neg(one), up)


def _sign_reference(x: Any) -> Any:
    return (x > 0).astype(x.dtype) if x.dtype.kind in "bu" else (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


sign = elementwise("sign", partials=lambda y, x: (0.0,), emit=_sign, reference=_sign_reference)
# The subgradient of |x| at 0 is 0, as in PyTorch.
abs_ = exact("abs", vjp=lambda g, y, i, p: (g * apply("sign", i[0]),), emit=lambda b, x: b.abs(x), reference=np.abs)
floor = elementwise("floor", partials=lambda y, x: (0.0,), emit=lambda b, x: b.floor(x), reference=np.floor)
ceil = elementwise("ceil", partials=lambda y, x: (0.0,), emit=lambda b, x: b.ceil(x), reference=np.ceil)
trunc = elementwise("trunc", partials=lambda y, x: (0.0,), emit=lambda b, x: b.trunc(x), reference=np.trunc)
round_ = elementwise("round", partials=lambda y, x: (0.0,), emit=lambda b, x: b.round(x), reference=np.round)

bit_and = exact("bit_and", emit=lambda b, x, y: b.bit_and(x, y), reference=np.bitwise_and)
bit_or = exact("bit_or", emit=lambda b, x, y: b.bit_or(x, y), reference=np.bitwise_or)
bit_xor = exact("bit_xor", emit=lambda b, x, y: b.bit_xor(x, y), reference=np.bitwise_xor)
bit_not = exact("bit_not", emit=lambda b, x: b.bit_not(x), reference=np.invert)


def _shift_left(b: Any, x: Any, n: Any) -> Any:
    """x * 2^n; 0 where n is negative or not below the width, as in PyTorch."""
    dtype = b.dtype_of(x)
    zero, width = b.const(0, dtype), b.const(8 * dtype.itemsize, dtype)
    inside = b.bit_and(b.ge(n, zero), b.lt(n, width))
    return b.select(inside, b.shl(x, b.select(inside, n, zero)), zero)


def _shift_left_reference(x: Any, n: Any) -> Any:
    inside = (n >= 0) & (n < 8 * x.dtype.itemsize)
    return np.where(inside, np.left_shift(x, np.where(inside, n, 0)), 0).astype(x.dtype)


def _shift_right(b: Any, x: Any, n: Any) -> Any:
    """floor(x / 2^n); shifts by a negative or too large n leave the sign only, as in PyTorch."""
    dtype = b.dtype_of(x)
    zero, last = b.const(0, dtype), b.const(8 * dtype.itemsize - 1, dtype)
    inside = b.bit_and(b.ge(n, zero), b.le(n, last))
    if dtype.is_signed:
        return b.ashr(x, b.select(inside, n, last))
    return b.select(inside, b.lshr(x, b.select(inside, n, zero)), zero)


def _shift_right_reference(x: Any, n: Any) -> Any:
    last = 8 * x.dtype.itemsize - 1
    inside = (n >= 0) & (n <= last)
    shifted = np.right_shift(x, np.where(inside, n, last).astype(x.dtype))
    return shifted if x.dtype.kind == "i" else np.where(inside, shifted, 0).astype(x.dtype)


shift_left = elementwise("shift_left", emit=_shift_left, reference=_shift_left_reference)
shift_right = elementwise("shift_right", emit=_shift_right, reference=_shift_right_reference)

# The same value as a value of its own: what makes the result of flip or repeat no view of the input.
copy = elementwise("copy", partials=lambda y, x: (1.0,), emit=lambda b, x: x, reference=np.array, moves=True)


def _hypot(b: Any, x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2) as large * sqrt(1 + (small / large)^2), so that squares do not overflow; infinity beats NaN."""
    dtype = b.dtype_of(x)
    zero, one, infinity = b.const(0.0, dtype), b.const(1.0, dtype), b.const(float("inf"), dtype)
    a, c = b.abs(x), b.abs(y)
    large, small = b.maximum(a, c), b.minimum(a, c)
    ratio = b.div(small, large)
    scaled = b.mul(large, b.sqrt(b.add(one, b.mul(ratio, ratio))))
    whole = b.select(b.eq(large, zero), zero, scaled)
    return b.select(b.bit_or(b.eq(a, infinity), b.eq(c, infinity)), infinity, whole)


def _hypot_vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    """g a / y and g b / y; PyTorch's NaN at the origin is kept: the function has no derivative there."""
    return g * (inputs[0] / y), g * (inputs[1] / y)


hypot = elementwise("hypot", vjp=_hypot_vjp, emit=_hypot, reference=np.hypot, cost=8)


def zeros_of(spec: Any) -> Node:
    """Zeros of ``spec``: a constant that every element reads."""
    return apply("expand", const(0, spec.dtype), params=(spec.shape,))
