"""Comparisons, masks, bits, and choice by them."""

from __future__ import annotations

from nbgrad.calls.arithmetic import binary
from nbgrad.calls.base import (
    TensorNode,
    broadcasted,
    call,
    fitting,
    is_number,
    promoted,
    require_integral,
    require_number,
    size_of,
)
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.dtypes import bool_, float64, uint8
from nbgrad.graph.half import limits
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to


@call(method=True, inplace=True, rounds_numbers=True)
def eq(input: Node, other: Node) -> Node:
    """input == other, element by element; a bool tensor."""
    return binary("eq", input, other)


@call(aliases=("not_equal",), method=True, inplace=True, rounds_numbers=True)
def ne(input: Node, other: Node) -> Node:
    """input != other, element by element; a bool tensor. True for NaN."""
    return binary("ne", input, other)


@call(aliases=("less",), method=True, inplace=True, rounds_numbers=True)
def lt(input: Node, other: Node) -> Node:
    """input < other, element by element; a bool tensor."""
    return binary("lt", input, other)


@call(aliases=("less_equal",), method=True, inplace=True, rounds_numbers=True)
def le(input: Node, other: Node) -> Node:
    """input <= other, element by element; a bool tensor."""
    return binary("le", input, other)


@call(aliases=("greater",), method=True, inplace=True, rounds_numbers=True)
def gt(input: Node, other: Node) -> Node:
    """input > other, element by element; a bool tensor."""
    return binary("gt", input, other)


@call(aliases=("greater_equal",), method=True, inplace=True, rounds_numbers=True)
def ge(input: Node, other: Node) -> Node:
    """input >= other, element by element; a bool tensor."""
    return binary("ge", input, other)


@call(method=True)
def isclose(
    input: Node, other: TensorNode, rtol: Node | None = None, atol: Node | None = None, equal_nan: bool = False
) -> Node:
    """|input - other| <= atol + rtol * |other|, or both equal. rtol is 1e-5 and atol 1e-8 unless given."""
    if input.spec.dtype is not other.spec.dtype:
        raise DTypeError(f"isclose: dtypes differ: {input.spec.dtype.name} and {other.spec.dtype.name}")
    a, b = broadcasted("isclose", input, other)
    same = apply("eq", a, b)
    if not a.spec.dtype.is_inexact:
        a, b = [cast_to(x, float64) for x in (a, b)]
    dtype = a.spec.dtype.to_real()
    relative = const(1e-5, dtype) if rtol is None else cast_to(rtol, dtype)
    absolute = const(1e-8, dtype) if atol is None else cast_to(atol, dtype)
    distance = size_of(a - b)
    near = apply("le", distance, absolute + apply("abs", relative * size_of(b)))
    close = apply("bit_or", same, apply("bit_and", near, _finite(distance)))
    return apply("bit_or", close, apply("bit_and", _nan(a), _nan(b))) if equal_nan else close


def _nan(x: Node) -> Node:
    return apply("ne", x, x)


def _finite(x: Node) -> Node:
    size = size_of(x)
    return apply("lt", size, const(float("inf"), size.spec.dtype))


@call(method=True)
def isnan(input: Node) -> Node:
    """Which elements are NaN."""
    return _nan(input)


@call(method=True)
def isinf(input: Node) -> Node:
    """Which elements are infinite."""
    if not input.spec.dtype.is_inexact:
        return apply("ne", input, input)
    size = size_of(input)
    return apply("eq", size, const(float("inf"), size.spec.dtype))


@call(method=True, inplace=True)
def nan_to_num(input: Node, nan: Node | None = None, posinf: Node | None = None, neginf: Node | None = None) -> Node:
    """input with numbers in place of NaN (0 unless given) and of infinities (the dtype's largest and smallest). Their
    derivative is 0.

    >>> nbgrad.tensor([nbgrad.nan, 1.0, nbgrad.inf]).nan_to_num(posinf=9.0)
    tensor([0., 1., 9.])
    """
    if input.spec.dtype.is_complex:
        return apply("view_as_complex", nan_to_num(apply("view_as_real", input), nan, posinf, neginf))
    if not input.spec.dtype.is_floating_point:
        return apply("copy", input)
    dtype = input.spec.dtype
    most = limits(dtype).max
    y = input
    infinite = [(float("inf"), posinf, most), (float("-inf"), neginf, -most)]
    chosen = [(apply("eq", input, const(at, dtype)), given, usual) for at, given, usual in infinite]
    for where_, given, usual in [(_nan(input), nan, 0.0), *chosen]:
        number = const(usual, dtype) if given is None else cast_to(_plain_number("nan_to_num", given), dtype)
        y = apply("where", where_, number, y)
    return y


def _plain_number(name: str, x: Node) -> Node:
    if x.spec.shape:
        raise DTypeError(f"{name}(): expected a number, not a Tensor of shape {list(x.spec.shape)}")
    return x


@call(method=True)
def isfinite(input: Node) -> Node:
    """Which elements are neither infinite nor NaN."""
    return _finite(input) if input.spec.dtype.is_inexact else apply("eq", input, input)


def as_mask(x: Node) -> Node:
    """``x`` as bool: whatever is not 0 (NaN too) is True."""
    return cast_to(x, bool_)


@call(method=True, inplace=True)
def logical_and(input: Node, other: TensorNode) -> Node:
    """Whether both are not 0; a bool tensor."""
    return binary("bit_and", as_mask(input), as_mask(other), name="logical_and")


@call(method=True, inplace=True)
def logical_or(input: Node, other: TensorNode) -> Node:
    """Whether at least one is not 0; a bool tensor."""
    return binary("bit_or", as_mask(input), as_mask(other), name="logical_or")


@call(method=True, inplace=True)
def logical_xor(input: Node, other: TensorNode) -> Node:
    """Whether exactly one is not 0; a bool tensor."""
    return binary("bit_xor", as_mask(input), as_mask(other), name="logical_xor")


@call(method=True, inplace=True)
def logical_not(input: Node) -> Node:
    """Whether input is 0; a bool tensor."""
    return apply("bit_not", as_mask(input))


def _bits(op: str, name: str, a: Node, b: Node) -> Node:
    require_integral(name, a, b)
    return binary(op, a, b, name=name)


@call(method=True, inplace=True, number_first=True)
def bitwise_and(input: Node, other: Node) -> Node:
    """input & other; integers and bool."""
    return _bits("bit_and", "bitwise_and", input, other)


@call(method=True, inplace=True, number_first=True)
def bitwise_or(input: Node, other: Node) -> Node:
    """input | other; integers and bool."""
    return _bits("bit_or", "bitwise_or", input, other)


@call(method=True, inplace=True, number_first=True)
def bitwise_xor(input: Node, other: Node) -> Node:
    """input ^ other; integers and bool."""
    return _bits("bit_xor", "bitwise_xor", input, other)


@call(method=True, inplace=True)
def bitwise_not(input: Node) -> Node:
    """~input; integers and bool."""
    require_integral("bitwise_not", input)
    return apply("bit_not", input)


@call(method=True, inplace=True, number_first=True)
def bitwise_left_shift(input: Node, other: Node) -> Node:
    """input << other; integers. 0 where other is negative or not below the width."""
    return _shifted("shift_left", "bitwise_left_shift", input, other)


@call(method=True, inplace=True, number_first=True)
def bitwise_right_shift(input: Node, other: Node) -> Node:
    """input >> other; integers. The sign alone where other is negative or not below the width."""
    return _shifted("shift_right", "bitwise_right_shift", input, other)


def _shifted(op: str, name: str, a: Node, b: Node) -> Node:
    a, b = broadcasted(name, *promoted(a, b))
    require_integral(name, a)
    require_number(name, a)
    return apply(op, a, b)


@call(method=True, rounds_numbers=True)
def maximum(input: Node, other: TensorNode) -> Node:
    """The larger of two, NaN where either is; equal elements share the derivative in halves."""
    return binary("maximum", input, other)


@call(method=True, rounds_numbers=True)
def minimum(input: Node, other: TensorNode) -> Node:
    """The smaller of two, NaN where either is; equal elements share the derivative in halves."""
    return binary("minimum", input, other)


@call(aliases=("clip",), method=True, inplace=True, fits=("min", "max"))
def clamp(input: Node, min: Node | None = None, max: Node | None = None) -> Node:
    """input kept within [min, max]; max where min > max. The derivative goes to input on the bounds too."""
    if min is None and max is None:
        raise ArgumentError("clamp: at least one of 'min' or 'max' must not be None")
    return _clamped("clamp", input, min, max)


def _clamped(name: str, input: Node, min: Node | None, max: Node | None) -> Node:
    given = [x for x in (input, min, max) if x is not None]
    nodes = broadcasted(name, *promoted(*given))
    if name == "clamp" or is_number(given[1]):  # PyTorch's others have a kernel for bool tensors
        require_number(name, nodes[0])
    y = nodes[0]
    if min is not None:
        y = _choose_within("ge", y, nodes[1])
    if max is not None:
        y = _choose_within("le", y, nodes[-1])
    if all(bound is None or is_number(bound) for bound in (min, max)) or not y.spec.dtype.is_floating_point:
        return y
    low, high = None if min is None else nodes[1], None if max is None else nodes[-1]
    return apply("rebase_history", _taken(nodes[0], low, high), apply("detach", y))


def _taken(x: Node, low: Node | None, high: Node | None) -> Node:
    """What the derivative of x between its bounds goes to: x on them too, a bound that x is beyond, as PyTorch's
    formula tests it; of two that leave nothing between them ``high``, of equal ones and of NaN none."""
    y = x
    for test, bound in (("ge", low), ("le", high)):
        if bound is not None:
            y = apply("where", apply(test, x, bound), y, const(0, x.spec.dtype))
    if low is not None:
        below = apply("lt", x, low)
        y = apply("where", below if high is None else apply("bit_and", below, apply("lt", low, high)), low, y)
    if high is not None:
        above = apply("gt", x, high)
        y = apply("where", above if low is None else apply("bit_or", above, apply("lt", high, low)), high, y)
    return y


@call(method=True, inplace=True, fits=("min",))
def clamp_min(input: Node, min: Node) -> Node:
    """input, but not below min."""
    return _clamped("clamp_min", input, min, None)


@call(method=True, inplace=True, fits=("max",))
def clamp_max(input: Node, max: Node) -> Node:
    """input, but not above max."""
    return _clamped("clamp_max", input, None, max)


def _choose_within(test: str, x: Node, bound: Node) -> Node:
    """x where it passes the test; otherwise the bound, NaN bounds too. NaN stays NaN, with derivative 0 (PyTorch)."""
    outside = bound
    if x.spec.dtype.is_floating_point:
        outside = apply("where", _nan(x), apply("detach", x), bound)
    return apply("where", apply(test, x, bound), x, outside)


@call(fits=("input", "other"), wide=True)
def where(condition: Node, input: Node, other: Node) -> Node:
    """input where condition, of bools or bytes, is true, otherwise other; with broadcasting and type promotion.

    The derivative reaches only the branch that was taken.
    """
    if condition.spec.dtype not in (bool_, uint8):
        raise DTypeError(f"where: expected condition to be a bool tensor, got {condition.spec.dtype.name}")
    return apply("where", *broadcasted("where", cast_to(condition, bool_), *promoted(input, other)))


@call("where_self", function=False, method="where", shown="where", fits=("other",), wide=True)
def where_self(input: Node, condition: TensorNode, other: Node) -> Node:
    """``Tensor.where``: input where condition is true, otherwise other."""
    return where(condition, input, other)


@call(method=True, inplace=True, fits=("value",))
def masked_fill(input: Node, mask: TensorNode, value: Node) -> Node:
    """input with ``value`` (a number or a 0-d tensor) where the bool ``mask`` is true; keeps input's dtype."""
    if mask.spec.dtype is not bool_:
        raise DTypeError(f"masked_fill: expected a bool mask, got {mask.spec.dtype.name}")
    if value.spec.shape:
        raise ShapeError(f"masked_fill: value must be a number or a 0-d tensor, got {value.spec}")
    m, x = broadcasted("masked_fill", mask, input)
    return apply("where", m, fitting(value, input.spec.dtype), x)
