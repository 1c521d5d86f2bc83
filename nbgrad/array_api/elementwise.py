"""Functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nbgrad.array_api.promotion import together
from nbgrad.calls.base import CALLS
from nbgrad.errors import GradError
from nbgrad.functions import pow as power
from nbgrad.functions import zeros_like
from nbgrad.functions.complex_numbers import view_as_complex, view_as_real
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import found_at, function_of
from nbgrad.trace import from_values, record, tensor_of, values

# The standard's names and those of the calls, where they are others.
_UNARY = {
    **{
        name: name
        for name in (
            *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1"),
            *("floor", "isfinite", "isinf", "isnan", "log", "log1p", "log2", "log10", "logical_not", "reciprocal"),
            *("signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
        )
    },
    "bitwise_invert": "bitwise_not",
    "negative": "neg",
}
_BINARY = {
    **{
        name: name
        for name in (
            *("add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift"),
            *("bitwise_xor", "copysign", "floor_divide", "hypot", "logaddexp", "logical_and", "logical_or"),
            *("logical_xor", "maximum", "minimum", "remainder"),
        )
    },
    "divide": "div",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "not_equal": "ne",
    "subtract": "sub",
}


def _unary(name: str, call: str) -> Callable[..., Any]:
    function = function_of(CALLS[call])

    def applied(x: Tensor, /) -> Any:
        return function(x)

    applied.__doc__ = function.__doc__
    return found_at(applied, "nbgrad.array_api", name)


def _binary(name: str, call: str) -> Callable[..., Any]:
    function = function_of(CALLS[call])

    def applied(x1: Any, x2: Any, /) -> Any:
        return function(*together(x1, x2))

    applied.__doc__ = function.__doc__
    return found_at(applied, "nbgrad.array_api", name)


DECLARED: Final = {
    **{name: _unary(name, call) for name, call in _UNARY.items()},
    **{name: _binary(name, call) for name, call in _BINARY.items()},
}


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Any:
    """``x`` within bounds, which broadcast, in its dtype."""
    low, high = (bound.to(x.dtype) if isinstance(bound, Tensor) else bound for bound in (min, max))
    return +x if low is high is None else x.clamp(low, high)


def conj(x: Tensor, /) -> Tensor:
    """The complex conjugate."""
    return tensor_of("conj", "x", x).conj()  # type: ignore[no-any-return]


def imag(x: Tensor, /) -> Tensor:
    """The imaginary part; 0 of real numbers."""
    return x.imag if tensor_of("imag", "x", x).is_complex() else zeros_like(x)


def nextafter(x1: Any, x2: Any, /) -> Any:
    """The next number behind ``x1`` towards ``x2``; looks at values. RuntimeError where one requires grad."""
    a, b = together(x1, x2)
    if a.requires_grad or b.requires_grad:
        raise GradError("nextafter(): it has no derivative; use x.detach()")
    return from_values(np.asarray(np.nextafter(values(a), values(b))), a.dtype, place=a._spec.place)


def positive(x: Tensor, /) -> Tensor:
    """``x``."""
    return +x


def pow(x1: Any, x2: Any, /) -> Any:
    """x1 ** x2. A Python number as exponent stays one."""
    if isinstance(x1, Tensor) and not isinstance(x2, Tensor) and (x1.dtype.is_floating_point or isinstance(x2, int)):
        return power(x1, x2)
    return power(*together(x1, x2))


def real(x: Tensor, /) -> Tensor:
    """The real part."""
    return tensor_of("real", "x", x).real  # type: ignore[no-any-return]


def round(x: Tensor, /) -> Any:
    """The nearest integer, of two the even one; of both parts of complex numbers."""
    found = tensor_of("round", "x", x)
    if not found.is_complex():
        return found.round()
    return view_as_complex(view_as_real(found).round())


def sign(x: Tensor, /) -> Any:
    """-1, 0 or 1; NaN of NaN; x / abs(x) of complex numbers."""
    found = tensor_of("sign", "x", x).sgn()
    return record(CALLS["where"], (x == x, found, x)) if x.is_floating_point() else found
