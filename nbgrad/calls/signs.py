"""Signs, steps, and the larger or smaller of two where NaN counts as missing."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, broadcasted, call, promoted
from nbgrad.errors import DTypeError
from nbgrad.graph.dtypes import bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to


@call(method=True)
def signbit(input: Node) -> Node:
    """Which elements have a minus sign, -0 and such NaN among them; a bool tensor.

    >>> nbgrad.signbit(nbgrad.tensor([-2.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    dtype = input.spec.dtype
    if dtype.is_floating_point:
        return apply("signbit", input)
    return apply("ne", input, input) if dtype is bool_ else apply("lt", input, const(0, dtype))


@call(method=True, inplace=True, rounds_numbers=True)
def copysign(input: Node, other: Node) -> Node:
    """|input| with the sign of other, with broadcasting; integers are computed in the default float.

    The derivative by input is 1 or -1, 0 where input is 0, and NaN where it is infinite; that by other is 0.

    >>> nbgrad.copysign(nbgrad.tensor([1.0, -2.0]), nbgrad.tensor([-0.0, 3.0]))
    tensor([-1.,  2.])
    """
    return apply("copysign", *broadcasted("copysign", *promoted(input, other, floating=True)))


@call(method=True, inplace=True)
def heaviside(input: Node, values: TensorNode) -> Node:
    """0 below 0, 1 above, ``values`` at 0, with broadcasting; of NaN 0. Both have one dtype.

    >>> nbgrad.heaviside(nbgrad.tensor([-1.5, 0.0, 2.0]), nbgrad.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    dtype = input.spec.dtype
    if dtype is not values.spec.dtype:
        raise DTypeError(f"heaviside: expected one dtype, got {dtype.name} and {values.spec.dtype.name}")
    x, at_zero = broadcasted("heaviside", input, values)
    zero = const(0, dtype)
    step = apply("tie", cast_to(apply("ne", x, zero) if dtype is bool_ else apply("gt", x, zero), dtype), x)
    return apply("where", apply("eq", x, zero), at_zero, step)


def _unless_missing(name: str, test: str, input: Node, other: Node) -> Node:
    """``input`` where it passes the test against ``other`` or that is NaN, else ``other``: one of them takes the
    derivative, ``input`` that of equals."""
    x, y = broadcasted(name, *promoted(input, other))
    if x.spec.dtype is bool_:
        return apply("bit_or" if test == "ge" else "bit_and", x, y)
    chosen = apply(test, x, y)
    if x.spec.dtype.is_floating_point:
        chosen = apply("bit_or", chosen, apply("ne", y, y))
    return apply("where", chosen, x, y)


@call(method=True)
def fmax(input: Node, other: TensorNode) -> Node:
    """The larger of two; where one is NaN the other. Of equal elements input takes the derivative.

    >>> nbgrad.fmax(nbgrad.tensor([1.0, nbgrad.nan]), nbgrad.tensor([2.0, 3.0]))
    tensor([2., 3.])
    """
    return _unless_missing("fmax", "ge", input, other)


@call(method=True)
def fmin(input: Node, other: TensorNode) -> Node:
    """The smaller of two; where one is NaN the other. Of equal elements input takes the derivative.

    >>> nbgrad.fmin(nbgrad.tensor([1.0, nbgrad.nan]), nbgrad.tensor([2.0, 3.0]))
    tensor([1., 3.])
    """
    return _unless_missing("fmin", "le", input, other)
