"""Special functions that SciPy computes, in float64: one operator, and a table of the functions.

A kernel calls SciPy's functions by their addresses (``tape/special.py``), so they are as accurate as those are. Of what
is float32 the result is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.op import Kind, Op, Params, define
from nbgrad.graph.spec import Shape, Spec, broadcast_shapes
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.batching import leading
from nbgrad.ops.family import elementwise, same_dtype
from nbgrad.ops.tangents import symmetric
from nbgrad.ops.view import expand_to
from nbgrad.system.imports import import_module

Partials = tuple[Node | None, ...]


class Function(NamedTuple):
    """What SciPy calls it, and its derivative by each input; None for one that ``constant`` made."""

    routine: str
    partials: Callable[..., Partials]
    place: int | None = None  # of SciPy's several results


def special(name: str, *inputs: Node) -> Node:
    """The function of that name, of inputs that broadcast."""
    shape: Shape = ()
    for x in inputs:
        shape = broadcast_shapes(shape, x.spec.shape, name)
    return apply("special", *[expand_to(x, shape) for x in inputs], params=(name,))


def _number(value: float, like: Node) -> Node:
    return const(value, like.spec.dtype)


def over(y: Node, x: Node, curvature: float) -> Node:
    """y / x; for x = 0, where y(x) = x / 2 + curvature x^3, what that has there, with its first two derivatives."""
    is_zero = apply("eq", x, _number(0, x))
    at_zero = _number(0.5, x) + x * x * curvature
    return apply("where", is_zero, at_zero, y / apply("where", is_zero, _number(1, x), x))


def _density(a: Node, x: Node) -> Node:
    """x^(a - 1) e^-x / gamma(a)."""
    power = apply("where", apply("eq", a, _number(1, a)), _number(0, a), (a - 1.0) * apply("log", x))
    return apply("exp", power - x - apply("lgamma", a))


def _by_shape(a: Node, x: Node) -> Node:
    """The derivative of ``igamma(a, x)`` by ``a``, to 10 digits: a central difference of fourth order.

    The function changes with ``a`` over a distance of min(a, sqrt(a) / (1 - log(x))), of which the step is 1 / 500: the
    next term of the series and the roundings are about 1e-12 then (1e-9 in tails of 1e-9). Above ``a`` it is that of
    ``igammac``, which is small there.
    """
    is_low = apply("lt", x, a)
    low, high = apply("where", is_low, x, _number(1e-3, x)), apply("where", is_low, a * 2.0 + 50.0, x)  # both are quick
    small = apply("minimum", apply("log", x), _number(0, x))
    step = apply("minimum", a, apply("sqrt", a) / (1.0 - small)) * 2e-3

    def at(k: float) -> Node:
        shape = a + step * k
        return apply("where", is_low, special("igamma", shape, low), -special("igammac", shape, high))

    return ((at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0))) / (step * 12.0)


def _hazard(y: Node, x: Node) -> Node:
    """e^(-x^2 / 2) / sqrt(2 pi) / ndtr(x), with y = log(ndtr(x)); ``erfcx`` overflows on the right."""
    is_right = apply("gt", x, _number(1, x))
    right = apply("exp", x * x * -0.5 - y) * (1 / sqrt(2 * pi))
    left = apply("erfcx", apply("where", is_right, _number(0, x), x) * -sqrt(0.5))
    return apply("where", is_right, right, _number(sqrt(2 / pi), x) / left)


FUNCTIONS: Final = {
    "igamma": Function("gammainc", lambda y, a, x: (_by_shape(a, x), _density(a, x))),
    "igammac": Function("gammaincc", lambda y, a, x: (-_by_shape(a, x), -_density(a, x))),
    "gammaincinv": Function("gammaincinv", lambda y, a, p: (-_by_shape(a, y) / _density(a, y), 1.0 / _density(a, y))),
    "bessel_j0": Function("j0", lambda y, x: (-special("bessel_j1", x),)),
    "bessel_j1": Function("j1", lambda y, x: (special("bessel_j0", x) - over(y, x, -1 / 16),)),
    "bessel_y0": Function("y0", lambda y, x: (-special("bessel_y1", x),)),
    "bessel_y1": Function("y1", lambda y, x: (special("bessel_y0", x) - y / x,)),
    "modified_bessel_k0": Function("k0", lambda y, x: (-special("modified_bessel_k1", x),)),
    "modified_bessel_k1": Function("k1", lambda y, x: (-special("modified_bessel_k0", x) - y / x,)),
    "scaled_modified_bessel_k0": Function("k0e", lambda y, x: (y - special("scaled_modified_bessel_k1", x),)),
    "scaled_modified_bessel_k1": Function("k1e", lambda y, x: (y - y / x - special("scaled_modified_bessel_k0", x),)),
    "airy_ai": Function("airy", lambda y, x: (special("airy_ai_slope", x),), 0),
    "airy_ai_slope": Function("airy", lambda y, x: (x * special("airy_ai", x),), 1),
    "log_ndtr": Function("log_ndtr", lambda y, x: (_hazard(y, x),)),
    "ndtri": Function("ndtri", lambda y, x: (apply("exp", y * y * 0.5) * sqrt(2 * pi),)),
}


for _name in ("igamma", "igammac", "zeta"):  # x, by which there is no derivative; an error says this name
    elementwise(f"{_name}_input", emit=lambda b, x: x, reference=lambda x: np.array(x))


def constant(name: str, x: Node) -> Node:
    """``x``, by which the function of that name has no derivative: to ask for one is an error."""
    return apply(f"{name}_input", x)


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (name,) = params
    if any(spec.shape != specs[0].shape for spec in specs):
        raise ShapeError(f"{name}: inputs differ in shape: {', '.join(map(str, specs))}")
    return Spec.of(specs[0].shape, same_dtype(name, specs))


def _vjp(g: Node, y: Node, inputs: tuple[Node, ...], params: Params) -> tuple[Node | None, ...]:
    return tuple([zeros_of(g.spec) if d is None else g * d for d in FUNCTIONS[params[0]].partials(y, *inputs)])


def _reference(*given: Any) -> Any:
    """SciPy's, imported when it is first asked."""
    *arrays, name = given
    routine, _, place = FUNCTIONS[name]
    found = getattr(import_module("scipy.special"), routine)(*[np.asarray(x, np.float64) for x in arrays])
    return np.asarray(found if place is None else found[place]).astype(arrays[0].dtype)


define(  # params: (name,)
    Op("special", Kind.LIBRARY, _infer, _reference, vjp=_vjp, jvp=symmetric(_vjp), batch=leading, is_for_cpus=True)
)
