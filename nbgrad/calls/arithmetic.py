"""add, sub, mul, div and their relatives: the four operations, remainders, powers, combined forms."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, broadcasted, call, common_dtype, is_number, promoted, require_number, size_of
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph import dtypes
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to

# Exponents the recorder passes as static values: x ** 2 is a multiplication.
STATIC_EXPONENTS = (0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0)


def binary(op: str, a: Node, b: Node, *, floating: bool = False, name: str = "") -> Node:
    """``op`` of two operands after promotion and broadcasting; errors speak of ``name``."""
    return apply(op, *broadcasted(name or op, *promoted(a, b, floating=floating)))


@call(method=True, inplace=True, number_first=True, fits=("alpha",), rounds_numbers=True)
def add(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """input + alpha * other, with broadcasting and type promotion. On bool, + is or.

    >>> nbgrad.add(nbgrad.tensor([1.0, 2.0]), 10, alpha=2)
    tensor([21., 22.])
    """
    return binary("add", input, other if alpha is None else _scaled("add", input, other, alpha))


@call(aliases=("subtract",), method=True, inplace=True, number_first=True, fits=("alpha",), rounds_numbers=True)
def sub(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """input - alpha * other, with broadcasting and type promotion. DTypeError where an operand is bool."""
    if dtypes.bool_ in (input.spec.dtype, other.spec.dtype):
        raise DTypeError("sub: the - operator is not supported for bool; use ^, logical_xor() or ~")
    return binary("sub", input, other if alpha is None else _scaled("sub", input, other, alpha))


def _scaled(name: str, input: Node, x: Node, alpha: Node) -> Node:
    """alpha * x, multiplied in the dtype of the result."""
    a, b = promoted(input, x)
    if alpha.spec.dtype.is_inexact and not a.spec.dtype.is_inexact:
        raise DTypeError(f"{name}: for integral inputs, argument alpha must not be a floating point number")
    if alpha.spec.dtype is dtypes.bool_ and a.spec.dtype is not dtypes.bool_:
        raise DTypeError(f"{name}: alpha may be a bool for bool tensors only, not for {a.spec.dtype.name}")
    return apply("mul", b, cast_to(alpha, a.spec.dtype))


@call(aliases=("multiply",), method=True, inplace=True, number_first=True)
def mul(input: Node, other: Node) -> Node:
    """input * other, with broadcasting and type promotion. On bool, * is and."""
    return binary("mul", input, other)


@call(aliases=("divide",), method=True, inplace=True, number_first=True)
def div(input: Node, other: Node, *, rounding_mode: str | None = None) -> Node:
    """input / other; integers are divided as floating point numbers.

    ``rounding_mode``: None, "trunc" (towards zero) or "floor"; with a mode integers stay integers.
    """
    if rounding_mode is None:
        return binary("div", input, other, floating=True)
    if rounding_mode not in ("trunc", "floor"):
        raise ArgumentError(f"div: rounding_mode must be None, 'trunc' or 'floor', not {rounding_mode!r}")
    if rounding_mode == "floor":
        return floor_divide(input, other)
    a, b = broadcasted("div", *promoted(input, other))
    require_number("div", a)
    return apply("trunc_divide", a, b)


@call(method=True, inplace=True, number_first=True, grad_fn="Div")
def true_divide(input: Node, other: Node) -> Node:
    """input / other; integers are divided as floating point numbers."""
    return binary("div", input, other, floating=True, name="true_divide")


@call(method=True, inplace=True, number_first=True)
def floor_divide(input: Node, other: Node) -> Node:
    """floor(input / other), elementwise. Integers stay integers; dividing them by 0 raises RuntimeError at run time."""
    return _modular("floor_divide", input, other)


@call(method=True, inplace=True, number_first=True, rounds_numbers=True)
def remainder(input: Node, other: Node) -> Node:
    """input - other * floor(input / other), as Python's %: the sign is the divisor's."""
    return _modular("remainder", input, other)


@call(method=True, inplace=True, rounds_numbers=True)
def fmod(input: Node, other: Node) -> Node:
    """input - other * trunc(input / other), as C's fmod: the sign is the dividend's."""
    return _modular("fmod", input, other)


def _modular(op: str, a: Node, b: Node) -> Node:
    a, b = broadcasted(op, *promoted(a, b))
    require_number(op, a)
    return apply(op, a, b)


@call(method=True, inplace=True)
def ldexp(input: Node, other: TensorNode) -> Node:
    """input * 2^other, with broadcasting; integers are computed in the default float.

    >>> nbgrad.ldexp(nbgrad.tensor([1.0, 3.0]), nbgrad.tensor([4, -1]))
    tensor([16.0000,  1.5000])
    """
    usual = input.spec.dtype.to_real() if input.spec.dtype.is_inexact else dtypes.get_default_dtype()
    exponent = other if other.spec.dtype.is_inexact else cast_to(other, usual)
    power = apply("pow", const(2, exponent.spec.dtype), exponent)
    return binary("mul", input, power, name="ldexp")


@call(aliases=("negative",), method=True, inplace=True)
def neg(input: Node) -> Node:
    """-input, element by element."""
    if input.spec.dtype is dtypes.bool_:
        raise DTypeError("neg: the - operator is not supported for bool; use ~ or logical_not() to invert a mask")
    return apply("neg", input)


@call(aliases=("absolute",), method=True, inplace=True)
def abs(input: Node) -> Node:
    """|input|, which is real. The subgradient at 0 is 0."""
    require_number("abs", input)
    return size_of(input)


@call(method=True, inplace=True, grad_fn="Pow")
def square(input: Node) -> Node:
    """input * input."""
    x = cast_to(input, dtypes.int64) if input.spec.dtype is dtypes.bool_ else input
    return x * x


@call(method=True, inplace=True, number_first=True, rounds_numbers=True)
def pow(input: Node, exponent: Node) -> Node:
    """input to the power of exponent, with broadcasting and type promotion.

    Integers wrap; integers to negative powers of a tensor give 0, 1 or -1.
    """
    a, b = broadcasted("pow", *promoted(input, exponent))
    require_number("pow", a)
    return apply("pow", a, b)


@call(function=False, shown="pow")
def pow_static(input: Node, *, exponent: float, floating: bool = False) -> Node:
    """input to one of the powers in STATIC_EXPONENTS: a product, a root or a quotient instead of a power.

    ``floating`` says that the user wrote a float (2.0, not 2): then integers are promoted.
    """
    if exponent not in STATIC_EXPONENTS:
        raise ArgumentError(f"pow: {exponent} is no static exponent; those are {STATIC_EXPONENTS}")
    x = _as_base(input, floating)
    if not x.spec.dtype.is_inexact and exponent < 0:
        raise DTypeError("pow: integers to negative integer powers are not allowed; convert to a floating dtype first")
    one = const(1, x.spec.dtype)
    if exponent == 0:
        return apply("tie", apply("expand", one, params=(x.spec.shape,)), x)
    if exponent in (0.5, -0.5):
        root = apply("sqrt", x)
        return root if exponent > 0 else one / root
    if exponent == -1:
        return one / x
    return {1: lambda: apply("copy", apply("flat", x)), 2: lambda: x * x, 3: lambda: x * x * x}[int(exponent)]()


def _as_base(x: Node, floating: bool) -> Node:
    if floating and not x.spec.dtype.is_inexact:
        return cast_to(x, dtypes.get_default_dtype())
    return cast_to(x, dtypes.int64) if x.spec.dtype is dtypes.bool_ else x


@call(method=True, inplace=True, number_first=True, grad_fn="Pow:1")
def float_power(input: Node, exponent: Node) -> Node:
    """input to the power of exponent, computed in float64, or complex128."""
    is_complex = input.spec.dtype.is_complex or exponent.spec.dtype.is_complex
    a, b = [cast_to(x, dtypes.complex128 if is_complex else dtypes.float64) for x in (input, exponent)]
    return apply("pow", *broadcasted("float_power", a, b))


@call(method=True, inplace=True, fits=("weight",), wide=True)
def lerp(input: Node, end: TensorNode, weight: Node) -> Node:
    """input + weight * (end - input), written from the nearer end so that weight 1 gives ``end`` exactly.

    Source: PyTorch's lerp. DTypeError unless the tensors share one floating dtype; a 0-d weight is
    taken as a number is, so it may have another one.
    """
    _same_floating("lerp", input, end)
    dtype = input.spec.dtype
    if weight.spec.shape or not (is_number(weight) or common_dtype(input, end, weight) is dtype):
        _same_floating("lerp", input, weight)
    a, b, w = broadcasted("lerp", input, end, cast_to(weight, dtype))
    one, distance = const(1, dtype), b - a
    near = apply("lt", size_of(w), const(0.5, dtype.to_real()))
    return apply("where", near, a + w * distance, b - distance * (one - w))


def _same_floating(name: str, x: Node, other: Node) -> None:
    if not x.spec.dtype.is_inexact or other.spec.dtype is not x.spec.dtype:
        raise DTypeError(
            f"{name}: expected floating point tensors of one dtype, got {x.spec.dtype.name} and {other.spec.dtype.name}"
        )


@call(method=True, inplace=True, fits=("value",), wide=True)
def addcmul(input: Node, tensor1: TensorNode, tensor2: TensorNode, *, value: Node | None = None) -> Node:
    """input + value * tensor1 * tensor2."""
    x, a, b = promoted(input, tensor1, tensor2)
    return _combined("addcmul", "mul", x, a, b, value)


@call(method=True, inplace=True, fits=("value",), wide=True)
def addcdiv(input: Node, tensor1: TensorNode, tensor2: TensorNode, *, value: Node | None = None) -> Node:
    """input + value * (tensor1 / tensor2). DTypeError where both divisor and dividend are integers."""
    if not (tensor1.spec.dtype.is_inexact or tensor2.spec.dtype.is_inexact):
        raise DTypeError("addcdiv: integer division is not supported; convert to a floating dtype first")
    x, a, b = promoted(input, tensor1, tensor2)
    return _combined("addcdiv", "div", x, a, b, value)


def _combined(name: str, op: str, x: Node, a: Node, b: Node, value: Node | None) -> Node:
    dtype = x.spec.dtype
    if value is not None:
        a = apply("mul", a, cast_to(value, dtype))
    x, a, b = broadcasted(name, x, a, b)
    return x + apply(op, a, b)


@call(method=True, inplace=True, rounds_numbers=True)
def hypot(input: Node, other: TensorNode) -> Node:
    """sqrt(input^2 + other^2) without overflow of the squares. Floating point only."""
    a, b = broadcasted("hypot", *promoted(input, other))
    if not a.spec.dtype.is_floating_point:
        raise DTypeError(f"hypot: expected floating point inputs, got {a.spec.dtype.name}")
    return apply("hypot", a, b)
