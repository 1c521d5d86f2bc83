"""Functions of complex numbers, each a formula of real and imaginary parts.

Source, where nothing else is said: Kahan 1987, "Branch cuts for complex elementary functions".
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, pi
from typing import Final

from nbgrad.graph.half import limits
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.tangents import is_zeros

Pair = tuple[Node, Node]


def zero_like(x: Node) -> Node:
    """0 of the dtype of ``x``."""
    return const(0, x.spec.dtype)


# Arithmetic


def is_zero_part(x: Node) -> bool:
    return is_zeros(x) or (x.op.name == "const" and x.params[0] == 0)


def _mul(z: Pair, w: Pair) -> Pair:
    """A factor without imaginary part scales: an infinity stays one, where PyTorch adds 0 times infinity."""
    (a, b), (c, d) = z, w
    if is_zero_part(d):
        return a * c, b * c
    if is_zero_part(b):
        return a * c, a * d
    return a * c - b * d, a * d + b * c


def _div(z: Pair, w: Pair) -> Pair:
    """By the ratio of the divisor's smaller part to its larger one, so that no square overflows. By 0: both parts.

    Source: Smith 1962, "Algorithm 116: complex division".
    """
    (a, b), (c, d) = z, w
    if is_zero_part(d):
        return a / c, b / c
    wide = apply("ge", apply("abs", c), apply("abs", d))
    large, small = _either(wide, c, d), _either(wide, d, c)
    first, second = _either(wide, a, b), _either(wide, b, a)
    is_zero = apply("eq", large, zero_like(large))
    ratio = apply("where", is_zero, zero_like(large), small / large)
    scale = large + small * ratio
    turned = _either(wide, second - first * ratio, first * ratio - second)
    return (first + second * ratio) / scale, turned / scale


def _either(test: Node, x: Node, y: Node) -> Node:
    return apply("where", test, x, y)


def _number(value: float, like: Node) -> Node:
    return const(value, like.spec.dtype)


def _apply(name: str, *inputs: Node) -> Node:
    return apply(name, *inputs)


# Roots, exponentials, logarithms


def _sqrt(z: Pair) -> Pair:
    """t = sqrt((|a| + |z|) / 2) is the larger part of the root, b / (2 t) the other."""
    a, b = z
    zero = zero_like(a)
    size = _apply("sqrt", _apply("abs", a) * 0.5 + _apply("hypot", a, b) * 0.5)
    is_zero = _apply("eq", size, zero)
    other = _apply("abs", b) / (_either(is_zero, _number(1, a), size) * 2.0)
    is_endless = _is_endless(b)  # whatever a
    size, other = [_either(is_endless, _apply("abs", b), x) for x in (size, other)]
    right = _apply("bit_not", _apply("lt", a, zero))
    return _either(right, size, other), _apply("copysign", _either(right, other, size), b)


def _exp(z: Pair) -> Pair:
    a, b = z
    size, no_number = _apply("exp", a), _apply("ne", b - b, zero_like(b))
    is_end = _apply("bit_and", no_number, _apply("eq", _apply("abs", a), _number(inf, a)))
    angle = _either(is_end, zero_like(b), b)  # at infinite a the size is 0 or infinite, whatever b
    return size * _apply("cos", angle), _either(_apply("eq", b, zero_like(b)), b, size * _apply("sin", angle))


def _expm1(z: Pair) -> Pair:
    """e^a cos(b) - 1 = (e^a - 1) cos(b) - 2 sin(b / 2)^2."""
    a, b = z
    half = _apply("sin", b * 0.5)
    return _apply("expm1", a) * _apply("cos", b) - half * half * 2.0, _exp(z)[1]


def _log(z: Pair) -> Pair:
    """log |z|; near 1 by |z|^2 - 1, which is exact to more digits there."""
    a, b = z
    size = _apply("hypot", a, b)
    large, small = (_apply(name, _apply("abs", a), _apply("abs", b)) for name in ("maximum", "minimum"))
    one = _number(1, a)
    is_near = _apply("bit_and", _apply("gt", size, _number(0.5, a)), _apply("lt", size, _number(2, a)))
    excess = (large - one) * (large + one) + small * small
    near = _apply("log1p", _either(is_near, excess, zero_like(a))) * 0.5
    return _either(is_near, near, _apply("log", size)), _apply("atan2", b, a)


def _based(base: float) -> Callable[[Pair], Pair]:
    def formula(z: Pair) -> Pair:
        re, im = _log(z)
        return re / _number(log(base), re), im / _number(log(base), im)

    return formula


def _log1p(z: Pair) -> Pair:
    a, b = z
    excess = a * (a + 2.0) + b * b
    is_near = _apply("lt", _apply("abs", excess), _number(0.5, a))
    near = _apply("log1p", _either(is_near, excess, zero_like(a))) * 0.5
    return _either(is_near, near, _log((a + 1.0, b))[0]), _apply("atan2", b, a + 1.0)


def _pow(z: Pair, w: Pair) -> Pair:
    """exp(w log z); 0 to the power of 0 is 1, to one with positive real part 0."""
    (a, b), (c, d) = z, w
    is_zero = _apply("bit_and", _apply("eq", a, zero_like(a)), _apply("eq", b, zero_like(b)))
    one = _number(1, a)
    found = _exp(_mul(_log((_either(is_zero, one, a), b)), w))
    is_one = _apply("bit_and", _apply("eq", c, zero_like(c)), _apply("eq", d, zero_like(d)))
    positive = _apply("gt", c, zero_like(c))
    at_zero = _either(is_one, one, _either(positive, zero_like(c), _number(float("nan"), c)))
    rest = _either(_apply("bit_or", is_one, positive), zero_like(c), _number(float("nan"), c))
    return _either(is_zero, at_zero, found[0]), _either(is_zero, rest, found[1])


def _sigmoid(z: Pair) -> Pair:
    """1 / (1 + e^-z), to the left e^z / (1 + e^z): no exponential overflows."""
    a, b = z
    right = _apply("ge", a, zero_like(a))
    power = _exp((-_apply("abs", a), _either(right, -b, b)))
    one = _number(1, a)
    found = _div((one, zero_like(a)), (power[0] + one, power[1]))
    left = _mul(power, found)
    return _either(right, found[0], left[0]), _either(right, found[1], left[1])


# Angles


def _on_axis(product: Node, *parts: Node) -> Node:
    """``product``, but 0 where it is that of 0 and infinity: one of ``parts`` is 0."""
    no_number = _apply("ne", product, product)
    for part in parts:
        is_lost = _apply("bit_and", no_number, _apply("eq", part, zero_like(part)))
        product = _either(is_lost, part, product)
    return product


def _is_endless(*parts: Node) -> Node:
    found = [_apply("eq", _apply("abs", x), _number(inf, x)) for x in parts]
    return found[0] if len(found) == 1 else _apply("bit_or", *found)


def _turned(function: Callable[[Pair], Pair]) -> Callable[[Pair], Pair]:
    """-i f(i z), which is tan for tanh, asinh for asin."""

    def formula(z: Pair) -> Pair:
        re, im = function((-z[1], z[0]))
        return im, -re

    return formula


def _sized(size: Node, angle: Node, a: Node) -> Node:
    """``size`` times the cosine of ``angle``; at infinite ``a`` infinite, as C has it, where the angle is no number."""
    turn = _apply("cos", angle)
    return _either(_apply("bit_and", _is_endless(a), _apply("ne", turn, turn)), size, size * turn)


def _sinh(z: Pair) -> Pair:
    a, b = z
    return _on_axis(_sized(_apply("sinh", a), b, a), a), _on_axis(_apply("cosh", a) * _apply("sin", b), b)


def _cosh(z: Pair) -> Pair:
    a, b = z
    im = _apply("sinh", a) * _apply("sin", b)
    at_a, at_b = (_apply("eq", x, zero_like(x)) for x in z)  # 0 with the product of both signs, be the other infinite
    zero = _either(at_b, b * _apply("copysign", _number(1, a), a), a * _apply("copysign", _number(1, b), b))
    is_lost = _apply("bit_and", _apply("ne", im, im), _apply("bit_or", at_a, at_b))
    return _sized(_apply("cosh", a), b, a), _either(is_lost, zero, im)


def _cos(z: Pair) -> Pair:
    return _cosh((-z[1], z[0]))


def _tanh(z: Pair) -> Pair:
    """(sinh(a) cosh(a) + i sin(b) cos(b)) / (sinh(a)^2 + cos(b)^2), where nothing cancels; far out it is 1 or -1."""
    a, b = z
    far = 20.0  # 1 - tanh is below 2^-53 from here on
    is_far, zero = _apply("gt", _apply("abs", a), _number(far, a)), zero_like(a)
    near = _either(is_far, _number(1, a), a)
    sinh, sin, cos = _apply("sinh", near), _apply("sin", b), _apply("cos", b)
    scale = sinh * sinh + cos * cos
    rest = _apply("exp", _apply("abs", a) * -2.0) * 4.0
    end = _apply("sign", a) + _either(_is_endless(a), zero, b - b)  # NaN, where b is not finite and a is
    re = _either(is_far, end, _on_axis(sinh * _apply("cosh", near) / scale, a))
    turn = sin * cos
    im = turn * _either(is_far, rest, _number(1, a) / scale)
    return re, _either(_is_endless(a), _apply("copysign", zero, turn), _on_axis(im, b))


def _roots(z: Pair) -> tuple[Pair, Pair]:
    """sqrt(1 - z) and sqrt(1 + z)."""
    a, b = z
    return _sqrt((1.0 - a, -b)), _sqrt((a + 1.0, b))


def _asin(z: Pair) -> Pair:
    (p, q), (r, s) = _roots(z)
    far = _apply("atan2", z[0], _apply("abs", z[1]))
    angle = _on_axis(_either(_is_endless(*z), far, _apply("atan2", z[0], p * r - q * s)), z[0])
    return angle, _far(z, _apply("asinh", p * s - q * r), z[1])


def _far(z: Pair, height: Node, sign: Node) -> Node:
    """``height``, but infinite where a part of z is, be the other NaN."""
    return _either(_is_endless(*z), _apply("copysign", _number(inf, height), sign), height)


def _quarter(z: Pair, angle: Node, sign: Node) -> Node:
    """``angle``, a quarter turn where the real part of z is 0, be the other NaN."""
    return _either(_apply("eq", z[0], zero_like(z[0])), _apply("copysign", _number(pi / 2, angle), sign), angle)


def _acos(z: Pair) -> Pair:
    (p, q), (r, s) = _roots(z)
    far = _apply("atan2", _apply("abs", z[1]), z[0])
    angle = _either(_is_endless(*z), far, _apply("atan2", p, r) * 2.0)
    return _quarter(z, angle, _number(1, angle)), _far(z, _apply("asinh", r * q - s * p), -z[1])


def _acosh(z: Pair) -> Pair:
    a, b = z
    (p, q), (r, s) = _sqrt((a - 1.0, b)), _sqrt((a + 1.0, b))
    angle = _either(_is_endless(*z), _apply("atan2", b, a), _apply("atan2", q, r) * 2.0)
    return _far(z, _apply("asinh", p * r + q * s), _number(1, a)), _quarter(z, angle, b)


def _atanh(z: Pair) -> Pair:
    """Far away +-0 and a quarter turn: infinite parts count as the largest number, and NaN beside one as 0."""
    largest = limits(z[0].spec.dtype).max
    a, b = [_apply("minimum", _apply("maximum", x, _number(-largest, x)), _number(largest, x)) for x in z]
    height = _either(_apply("bit_and", _is_endless(z[0]), _apply("ne", b, b)), zero_like(b), b)
    a = _either(_apply("bit_and", _is_endless(z[1]), _apply("ne", a, a)), zero_like(a), a)
    size = _apply("abs", a)
    rest = 1.0 - size
    re = _apply("log1p", 4.0 / (rest * rest + height * height) * size) * 0.25
    return _on_axis(_apply("copysign", re, a), a), _apply("atan2", b, (rest * (size + 1.0) - b * b) * 0.5) * 0.5


# Products


def _matmul(z: Pair, w: Pair) -> Pair:
    (a, b), (c, d) = z, w
    product = "matmul"
    if is_zero_part(d):
        return _apply(product, a, c), _apply(product, b, c)
    if is_zero_part(b):
        return _apply(product, a, c), _apply(product, a, d)
    re = _apply(product, a, c) - _apply(product, b, d)
    return re, _apply(product, a, d) + _apply(product, b, c)


tan: Final = _turned(_tanh)

FORMULAS: Final[dict[str, Callable[..., Pair]]] = {  # what gives a Pair of Pairs, by operator
    "mul": _mul,
    "div": _div,
    "sqrt": _sqrt,
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log2": _based(2.0),
    "log10": _based(10.0),
    "log1p": _log1p,
    "pow": _pow,
    "sigmoid": _sigmoid,
    "sin": _turned(_sinh),
    "cos": _cos,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asin": _asin,
    "acos": _acos,
    "acosh": _acosh,
    "atanh": _atanh,
    "asinh": _turned(_asin),
    "atan": _turned(_atanh),
    "matmul": _matmul,
}
