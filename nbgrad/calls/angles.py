"""Inverse trigonometric functions, hyperbolic ones and their inverses. Integers are computed in the default float."""

from __future__ import annotations

import math

from nbgrad.calls.base import TensorNode, broadcasted, call, floating, promoted
from nbgrad.errors import DTypeError
from nbgrad.graph.node import Node, apply, const


def _real(name: str, x: Node) -> Node:
    if x.spec.dtype.is_complex:
        raise DTypeError(f"{name} is not supported for complex tensors: give it an angle, x.angle()")
    return floating(name, x)


@call(method=True, inplace=True, grad_fn="Deg2Rad")
def deg2rad(input: Node) -> Node:
    """Degrees as radians.

    >>> nbgrad.deg2rad(nbgrad.tensor([0.0, 180.0]))
    tensor([0.0000, 3.1416])
    """
    x = _real("deg2rad", input)
    return x * const(math.pi / 180, x.spec.dtype)


@call(method=True, inplace=True, grad_fn="Rad2Deg")
def rad2deg(input: Node) -> Node:
    """Radians as degrees.

    >>> nbgrad.rad2deg(nbgrad.tensor([0.0, nbgrad.pi]))
    tensor([  0., 180.])
    """
    x = _real("rad2deg", input)
    return x * const(180 / math.pi, x.spec.dtype)


@call(aliases=("arcsin",), method=True, inplace=True)
def asin(input: Node) -> Node:
    """The angle between -pi/2 and pi/2 whose sine is input; NaN beyond 1.

    >>> nbgrad.asin(nbgrad.tensor(0.5))
    tensor(0.5236)
    """
    return apply("asin", floating("asin", input))


@call(aliases=("arccos",), method=True, inplace=True)
def acos(input: Node) -> Node:
    """The angle between 0 and pi whose cosine is input; NaN beyond 1.

    >>> nbgrad.acos(nbgrad.tensor(0.5))
    tensor(1.0472)
    """
    return apply("acos", floating("acos", input))


@call(aliases=("arctan",), method=True, inplace=True)
def atan(input: Node) -> Node:
    """The angle between -pi/2 and pi/2 whose tangent is input.

    >>> nbgrad.atan(nbgrad.tensor(1.0))
    tensor(0.7854)
    """
    return apply("atan", floating("atan", input))


@call(method=True, inplace=True)
def sinh(input: Node) -> Node:
    """Hyperbolic sine, (exp(input) - exp(-input)) / 2.

    >>> nbgrad.sinh(nbgrad.tensor(1.0))
    tensor(1.1752)
    """
    return apply("sinh", floating("sinh", input))


@call(method=True, inplace=True)
def cosh(input: Node) -> Node:
    """Hyperbolic cosine, (exp(input) + exp(-input)) / 2.

    >>> nbgrad.cosh(nbgrad.tensor(1.0))
    tensor(1.5431)
    """
    return apply("cosh", floating("cosh", input))


@call(aliases=("arcsinh",), method=True, inplace=True)
def asinh(input: Node) -> Node:
    """The number whose hyperbolic sine is input.

    >>> nbgrad.asinh(nbgrad.tensor(1.0))
    tensor(0.8814)
    """
    return apply("asinh", floating("asinh", input))


@call(aliases=("arccosh",), method=True, inplace=True)
def acosh(input: Node) -> Node:
    """The number above 0 whose hyperbolic cosine is input; NaN below 1.

    >>> nbgrad.acosh(nbgrad.tensor(2.0))
    tensor(1.3170)
    """
    return apply("acosh", floating("acosh", input))


@call(aliases=("arctanh",), method=True, inplace=True)
def atanh(input: Node) -> Node:
    """The number whose hyperbolic tangent is input; infinity at 1, NaN beyond.

    >>> nbgrad.atanh(nbgrad.tensor(0.5))
    tensor(0.5493)
    """
    return apply("atanh", floating("atanh", input))


@call(aliases=("arctan2",), method=True, inplace=True, rounds_numbers=True)
def atan2(input: Node, other: TensorNode) -> Node:
    """The angle of the point (other, input) with the first axis, between -pi and pi.

    >>> nbgrad.atan2(nbgrad.tensor([1.0, -1.0]), nbgrad.tensor([-1.0, -1.0]))
    tensor([ 2.3562, -2.3562])
    """
    return apply("atan2", *broadcasted("atan2", *promoted(input, other, floating=True)))
