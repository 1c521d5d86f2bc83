"""Divisors of whole numbers, and the parts of floats: gcd, lcm, nextafter, frexp.

Nobody imports this file but ``functions/number_parts.py``, which is read when one of them is asked for.
"""

from __future__ import annotations

import functools
from math import inf

import nbgrad.ops.number_parts  # noqa: F401  defines what is used here
from nbgrad.calls.base import TensorNode, broadcasted, call, promoted
from nbgrad.errors import DTypeNotImplementedError
from nbgrad.graph.dtypes import DType, bool_, float32, int32
from nbgrad.graph.half import limits
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.loop import unknown, written


@call(method=True, inplace=True)
def gcd(input: Node, other: TensorNode) -> Node:
    """The greatest common divisor of whole numbers, which is not negative; that of 0 and 0 is 0. They broadcast and
    promote. NotImplementedError, a RuntimeError, for floats and bools.

    >>> nbgrad.gcd(nbgrad.tensor([12, -9, 0]), nbgrad.tensor([18, 6, 5]))
    tensor([6, 3, 5])
    """
    return _divisor(*_whole("gcd", input, other))


@call(method=True, inplace=True)
def lcm(input: Node, other: TensorNode) -> Node:
    """The least common multiple of whole numbers, which is not negative; 0 where one of them is 0. They broadcast and
    promote. NotImplementedError, a RuntimeError, for floats and bools.

    >>> nbgrad.lcm(nbgrad.tensor([4, -6, 0]), nbgrad.tensor([6, 4, 5]))
    tensor([12, 12,  0])
    """
    a, b = _whole("lcm", input, other)
    divisor = _divisor(a, b)
    zero, one = const(0, a.spec.dtype), const(1, a.spec.dtype)
    is_zero = apply("eq", divisor, zero)
    return apply("abs", apply("floor_divide", a, apply("where", is_zero, one, divisor)) * b)


def _whole(name: str, *operands: Node) -> list[Node]:
    """The operands in one shape and dtype."""
    given = promoted(*broadcasted(name, *operands))
    kind = given[0].spec.dtype
    if kind.is_floating_point or kind is bool_:
        raise DTypeNotImplementedError(f"{name}: not implemented for {kind.name}: expected integers")
    return given


def _divisor(a: Node, b: Node) -> Node:
    """Euclid's algorithm."""
    kind = a.spec.dtype
    zero = const(0, kind)
    text, fixed = _euclid(kind)
    larger, smaller = apply("abs", a), apply("abs", b)
    return apply("loop", apply("ne", smaller, zero), larger, smaller, *fixed, params=(text, 0))


@functools.cache
def _euclid(kind: DType) -> tuple[str, list[Node]]:
    """(a, b) becomes (b, a mod b) until that is 0: the loop's text, and the numbers in it. An element that has ended
    computes on beside the others, so none may divide by 0."""
    a, b = unknown(kind), unknown(kind)
    zero, one = const(0, kind), const(1, kind)
    rest = apply("abs", apply("remainder", a, apply("where", apply("eq", b, zero), one, b)))
    return written([a, b], apply("ne", rest, zero), [b, rest])


@call(method=True, inplace=True)
def nextafter(input: Node, other: TensorNode) -> Node:
    """The float that comes next after ``input`` on the way to ``other``, which where both are equal is ``other``. They
    broadcast and promote. The derivative of the first is 1, halves have none. NotImplementedError, a RuntimeError, for
    integers.

    >>> nbgrad.nextafter(nbgrad.tensor([1.0]), nbgrad.tensor([2.0])) - 1 == nbgrad.finfo(nbgrad.float32).eps
    tensor([True])
    """
    given = promoted(*broadcasted("nextafter", input, other))
    kind = given[0].spec.dtype
    if not kind.is_floating_point:
        raise DTypeNotImplementedError(f"nextafter: not implemented for {kind.name}: expected floats")
    if kind.is_half:
        return _next_half(kind, *broadcasted("nextafter", *[cast_to(x, float32) for x in (input, other)]))
    return apply("nextafter", *given)


def _next_half(kind: DType, x: Node, y: Node) -> Node:
    """``x`` moved by more than half and less than one and a half of the distance to its neighbour, and rounded to it.

    Source: Rump, Zimmermann, Boldo and Melquiond 2009, "Computing predecessor and successor in rounding to nearest".
    """
    found = limits(kind)
    unit, least = found.eps / 2, found.tiny * found.eps
    size = apply("abs", x)
    step = apply("maximum", size * (unit * (1 + 2 * unit)), const(least, float32))
    moved = apply("where", apply("lt", x, y), x + step, x - step)
    moved = apply("where", apply("eq", size, const(inf, float32)), const(found.max, float32), moved)
    moved = apply("copysign", moved, apply("where", apply("eq", size, const(0, float32)), y, x))
    is_none = apply("bit_or", apply("ne", x, x), apply("ne", y, y))
    moved = apply("where", apply("eq", x, y), y, apply("where", is_none, x + y, moved))
    return apply("detach", cast_to(moved, kind))


@call(function=False, shown="frexp")
def frexp_exponent(input: Node) -> Node:
    """The int32 exponents of floats."""
    return apply("exponent", _float(input))


@call(function=False, shown="frexp")
def frexp_mantissa(input: Node) -> Node:
    """Floats over 2 to the power of their exponents: in two steps, as the power alone may be too large."""
    x = _float(input)
    exponent, two = apply("exponent", x), const(2.0, x.spec.dtype)
    half = apply("floor_divide", exponent, const(2, int32))
    first, second = [apply("pow", two, cast_to(-e, x.spec.dtype)) for e in (half, exponent - half)]
    return x * first * second


def _float(x: Node) -> Node:
    if not x.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"frexp: not implemented for {x.spec.dtype.name}: expected floats")
    return x
