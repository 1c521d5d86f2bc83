"""Elementary functions of one number: exp, log, sin, roots, rounding. Integers are computed in the default float."""

from __future__ import annotations

import builtins
import math

from nbgrad.calls.base import TensorNode, broadcasted, call, floating, promoted, require_number
from nbgrad.errors import ArgumentError, DTypeNotImplementedError
from nbgrad.graph.node import Node, apply, const


@call(method=True, inplace=True)
def exp(input: Node) -> Node:
    """e to the power of input."""
    return apply("exp", floating("exp", input))


@call(method=True, inplace=True)
def expm1(input: Node) -> Node:
    """exp(input) - 1, accurate near 0."""
    return apply("expm1", floating("expm1", input))


@call(method=True, inplace=True)
def exp2(input: Node) -> Node:
    """2 to the power of input."""
    x = floating("exp2", input)
    if x.spec.dtype.is_complex:
        return apply("exp", x * math.log(2))
    return apply("pow", const(2, x.spec.dtype), x)


@call(method=True, inplace=True)
def log(input: Node) -> Node:
    """Natural logarithm."""
    return apply("log", floating("log", input))


@call(method=True, inplace=True, grad_fn="Log1P")
def log1p(input: Node) -> Node:
    """log(1 + input), accurate near 0."""
    return apply("log1p", floating("log1p", input))


@call(method=True, inplace=True)
def log2(input: Node) -> Node:
    """Logarithm to base 2, exact for powers of two."""
    return apply("log2", floating("log2", input))


@call(method=True, inplace=True)
def log10(input: Node) -> Node:
    """Logarithm to base 10."""
    return apply("log10", floating("log10", input))


@call(method=True, rounds_numbers=True)
def logaddexp(input: Node, other: TensorNode) -> Node:
    """log(exp(input) + exp(other)), computed without overflow. Floating point or complex only.

    >>> nbgrad.logaddexp(nbgrad.tensor([0.0, 1000.0]), nbgrad.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03])
    """
    a, b = broadcasted("logaddexp", *promoted(input, other))
    if not a.spec.dtype.is_inexact:
        raise DTypeNotImplementedError(f"logaddexp: not implemented for {a.spec.dtype.name}")
    return logarithm_of_sum(a, b)


def logarithm_of_sum(a: Node, b: Node) -> Node:
    """The same of two nodes of one shape and dtype; of complex numbers that with the larger real part is outside, but
    for two infinite ones, whose difference is no number."""
    if not a.spec.dtype.is_complex:
        return apply("logaddexp", a, b)
    x, y, zero = apply("real", a), apply("real", b), const(0, a.spec.dtype)
    is_larger, is_far = apply("ge", x, y), apply("eq", apply("abs", x), const(math.inf, x.spec.dtype))
    both = apply("bit_and", is_far, apply("eq", x, y))
    large, small = (apply("where", both, zero, apply("where", is_larger, *pair)) for pair in ((a, b), (b, a)))
    near = large + apply("log1p", apply("exp", small - large))
    far = [apply("exp", apply("where", both, z, zero)) for z in (a, b)]
    ends = apply("where", apply("lt", x, const(0, x.spec.dtype)), b, apply("log", far[0] + far[1]))
    found = apply("where", both, ends, near)
    is_none = apply("bit_or", apply("ne", a, a), apply("ne", b, b))
    nan = const(math.nan, x.spec.dtype)
    return apply("where", is_none, apply("complex", nan, nan), found)


@call(method=True)
def logaddexp2(input: Node, other: TensorNode) -> Node:
    """log2(2^input + 2^other), computed without overflow. Floating point only.

    >>> nbgrad.logaddexp2(nbgrad.tensor([0.0, 1000.0]), nbgrad.tensor([0.0, 1000.0]))
    tensor([1.0000e+00, 1.0010e+03])
    """
    a, b = broadcasted("logaddexp2", *promoted(input, other))
    dtype = a.spec.dtype
    if not dtype.is_floating_point:
        raise DTypeNotImplementedError(f"logaddexp2: not implemented for {dtype.name}")
    log_two = const(math.log(2), dtype)
    return apply("logaddexp", a * log_two, b * log_two) / log_two


@call(number_first=True, method=True, inplace=True)
def xlogy(input: Node, other: Node) -> Node:
    """input * log(other), and 0 where input is 0 (NaN where other is NaN). Integers are computed in the default float.

    The derivative by an input of 0 is log(other), or 0 where other is not above 0.

    >>> nbgrad.xlogy(nbgrad.tensor([0.0, 0.0, 2.0]), nbgrad.tensor([0.0, 1.0, 1.0]))
    tensor([0., 0., 0.])
    """
    x, y = broadcasted("xlogy", *promoted(input, other, floating=True))
    zero = const(0, x.spec.dtype)
    # Where the product would be 0 times infinity; its derivative there would be infinity, or NaN.
    beyond = apply("bit_or", apply("le", y, zero), apply("eq", y, const(math.inf, x.spec.dtype)))
    is_nothing = apply("bit_and", apply("eq", x, zero), beyond)
    return apply("where", is_nothing, zero, x * apply("log", apply("where", is_nothing, const(1, x.spec.dtype), y)))


@call(method=True, inplace=True)
def sin(input: Node) -> Node:
    """Sine of an angle in radians."""
    return apply("sin", floating("sin", input))


@call(method=True, inplace=True)
def cos(input: Node) -> Node:
    """Cosine of an angle in radians."""
    return apply("cos", floating("cos", input))


@call(method=True, inplace=True)
def tan(input: Node) -> Node:
    """Tangent of an angle in radians: sin / cos."""
    x = floating("tan", input)
    if x.spec.dtype.is_complex:
        return apply("tan", x)
    return apply("sin", x) / apply("cos", x)


@call(method=True, inplace=True, functional=True)
def tanh(input: Node) -> Node:
    """Hyperbolic tangent."""
    return apply("tanh", floating("tanh", input))


@call(method=True, inplace=True)
def erf(input: Node) -> Node:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to input."""
    return apply("erf", floating("erf", input))


@call(method=True, inplace=True)
def erfc(input: Node) -> Node:
    """1 - erf(input), accurate where that is small, too.

    >>> nbgrad.erfc(nbgrad.tensor([0.0, 5.0]))
    tensor([1.0000e+00, 1.5375e-12])
    """
    return apply("erfc", floating("erfc", input))


@call(method=True, inplace=True)
def erfinv(input: Node) -> Node:
    """The number whose error function is input; infinite at +-1, NaN beyond.

    >>> nbgrad.erfinv(nbgrad.tensor([0.0, 0.5, -1.0]))
    tensor([0.0000, 0.4769,   -inf])
    """
    return apply("erfinv", floating("erfinv", input))


@call(method=True, inplace=True)
def logit(input: Node, eps: float | None = None) -> Node:
    """log(input / (1 - input)), the inverse of ``sigmoid``; NaN outside [0, 1], where ``eps`` does not keep the input
    within [eps, 1 - eps], with derivative 0 beyond.

    >>> nbgrad.logit(nbgrad.tensor([0.5, 0.75]))
    tensor([0.0000, 1.0986])
    """
    x = floating("logit", input)
    dtype = x.spec.dtype
    if eps is not None and eps >= 0:
        low, high = const(eps, dtype), const(1 - eps, dtype)
        x = apply("where", apply("lt", x, low), low, apply("where", apply("gt", x, high), high, x))
    return apply("logit", x)


@call(method=True, inplace=True)
def sinc(input: Node) -> Node:
    """sin(pi input) / (pi input), and 1 at 0.

    >>> nbgrad.sinc(nbgrad.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """
    x = floating("sinc", input)
    dtype = x.spec.dtype
    zero, one, turned = const(0, dtype), const(1, dtype), x * const(math.pi, dtype)
    is_zero = apply("eq", x, zero)
    angle, none = apply("where", is_zero, one, turned), apply("where", is_zero, turned, zero)
    at_zero = one - none * none / const(6, dtype)  # which has the first three derivatives there
    return apply("where", is_zero, at_zero, apply("sin", angle) / angle)


@call(method=True, inplace=True)
def sqrt(input: Node) -> Node:
    """Square root; NaN for negative numbers."""
    return apply("sqrt", floating("sqrt", input))


@call(method=True, inplace=True)
def rsqrt(input: Node) -> Node:
    """1 / sqrt(input)."""
    x = floating("rsqrt", input)
    return const(1, x.spec.dtype) / apply("sqrt", x)


@call(method=True, inplace=True)
def reciprocal(input: Node) -> Node:
    """1 / input, element by element."""
    x = floating("reciprocal", input)
    return const(1, x.spec.dtype) / x


def _require_fraction(name: str, x: Node) -> None:
    if not x.spec.dtype.is_floating_point:
        raise DTypeNotImplementedError(f"{name}: not implemented for {x.spec.dtype.name}; give it x.float()")


def _whole(op: str, x: Node) -> Node:
    """Rounding: integers are whole already."""
    require_number(op, x)
    return apply(op if x.spec.dtype.is_inexact else "copy", x)


@call(method=True, inplace=True)
def floor(input: Node) -> Node:
    """The largest whole number not above input."""
    return _whole("floor", input)


@call(method=True, inplace=True)
def ceil(input: Node) -> Node:
    """The smallest whole number not below input."""
    return _whole("ceil", input)


@call(aliases=("fix",), method=True, inplace=True)
def trunc(input: Node) -> Node:
    """input without its fraction."""
    return _whole("trunc", input)


@call(method=True, inplace=True)
def round(input: Node, *, decimals: int = 0) -> Node:
    """The nearest whole number, halves to even; with ``decimals`` the nearest multiple of 10^-decimals."""
    if decimals == 0:
        return _whole("round", input)
    _require_fraction("round", input)
    if builtins.abs(decimals) > 308:
        raise ArgumentError(f"round: decimals must lie between -308 and 308, got {decimals}")
    scale = const(10.0 ** builtins.abs(decimals), input.spec.dtype)
    if decimals > 0:
        return apply("round", input * scale) / scale
    return apply("round", input / scale) * scale


@call(method=True, inplace=True)
def frac(input: Node) -> Node:
    """input - trunc(input). NotImplementedError for integers, which have nothing behind the point."""
    _require_fraction("frac", input)
    return input - _whole("trunc", input)


@call(method=True, inplace=True)
def sign(input: Node) -> Node:
    """-1, 0 or 1; 0 for NaN. RuntimeError for complex numbers, which have ``sgn``."""
    return apply("sign", input)
