"""The derivatives: of each function of numbers, its partial derivatives by its operands and its result.

They are Python functions, compiled where they are needed; of complex numbers too, where the function is holomorphic. By
complex numbers' own derivatives (``SECOND``, see layout.py) they are differentiated themselves.

Conventions, which are PyTorch's: ``abs`` has derivative 0 at 0; ``np.maximum`` and ``np.minimum`` share it equally at
ties; ``x ** 0`` has derivative 0, also at 0; ``0 ** y`` has derivative 0 by ``y >= 0``; of functions that are constant
between jumps it is 0. The built-in ``max`` and ``min`` choose one of their arguments, and so does their derivative.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np

Partial = Callable[..., Any]

LN2: Final = math.log(2.0)
LN10: Final = math.log(10.0)
DEGREE: Final = math.pi / 180.0
TWO_BY_ROOT_PI: Final = 2.0 / math.sqrt(math.pi)


# Those that need no code of their own.
def one(*operands: Any) -> Any:
    return 1.0


def minus_one(*operands: Any) -> Any:
    return -1.0


def zero(*operands: Any) -> Any:
    return 0.0


def left(a: Any, b: Any, y: Any) -> Any:
    return a


def right(a: Any, b: Any, y: Any) -> Any:
    return b


def result(x: Any, y: Any) -> Any:
    return y


CONSTANT: Final = {one: 1.0, minus_one: -1.0, zero: 0.0}
GIVEN: Final = {left: 0, right: 1, result: 1}  # by their place among operands and result


def minus_quotient(a: Any, b: Any, y: Any) -> Any:
    """Of a remainder: y = a - quotient * b, where a / b may round up to a whole number that the quotient is not."""
    return -np.rint((a - y) / b)


def slope_of_power(x: Any, n: Any, y: Any) -> Any:
    return n * x ** (n - 1) if n != 0 else 0.0


def slope_of_exponent(x: Any, n: Any, y: Any) -> Any:
    return 0.0 if x == 0.0 and n >= 0.0 else y * np.log(x)


def complex_slope_of_power(x: Any, n: Any, y: Any) -> Any:
    return n * x ** (n - 1) if n != 0 else 0.0j


def complex_slope_of_exponent(x: Any, n: Any, y: Any) -> Any:
    return 0.0j if x == 0.0 else y * np.log(x)


def digamma(x: Any, y: Any) -> Any:
    """The derivative of ``lgamma``: recurrence to x >= 10, then Bernardo 1976, AS 103; by reflection below 0."""
    below = 0.0
    if x < 0.0:
        below = -math.pi / math.tan(math.pi * x)
        x = 1.0 - x
    while x < 10.0:
        below -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return below + math.log(x) - 0.5 / x - series


_compiled_digamma: Final = numba.njit(digamma)


def slope_of_gamma(x: Any, y: Any) -> Any:
    return y * _compiled_digamma(x, y)


# Operands, then the result.
_UNARY: Final[dict[Partial, tuple[Any, ...]]] = {
    minus_one: (operator.neg, np.negative),
    one: (operator.pos, np.positive, np.conjugate),
    lambda x, y: 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0): (abs, math.fabs, np.absolute, np.fabs),
    lambda x, y: 0.5 / y: (math.sqrt, np.sqrt, cmath.sqrt),
    lambda x, y: 1.0 / (3.0 * y * y): (np.cbrt, *([math.cbrt] if hasattr(math, "cbrt") else [])),
    lambda x, y: 2.0 * x: (np.square,),
    lambda x, y: -y * y: (np.reciprocal,),
    result: (math.exp, np.exp, cmath.exp),
    lambda x, y: y + 1.0: (math.expm1, np.expm1),
    lambda x, y: y * LN2: (np.exp2, *([math.exp2] if hasattr(math, "exp2") else [])),
    lambda x, y: 1.0 / x: (math.log, np.log, cmath.log),
    lambda x, y: 1.0 / (1.0 + x): (math.log1p, np.log1p),
    lambda x, y: 1.0 / (x * LN2): (math.log2, np.log2),
    lambda x, y: 1.0 / (x * LN10): (math.log10, np.log10, cmath.log10),
    lambda x, y: np.cos(x): (math.sin, np.sin, cmath.sin),
    lambda x, y: -np.sin(x): (math.cos, np.cos, cmath.cos),
    lambda x, y: 1.0 + y * y: (math.tan, np.tan, cmath.tan),
    lambda x, y: 1.0 / np.sqrt(1.0 - x * x): (math.asin, np.arcsin),
    lambda x, y: -1.0 / np.sqrt(1.0 - x * x): (math.acos, np.arccos),
    lambda x, y: 1.0 / (1.0 + x * x): (math.atan, np.arctan),
    lambda x, y: np.cosh(x): (math.sinh, np.sinh, cmath.sinh),
    lambda x, y: np.sinh(x): (math.cosh, np.cosh, cmath.cosh),
    lambda x, y: 1.0 - y * y: (math.tanh, np.tanh, cmath.tanh),
    lambda x, y: 1.0 / np.sqrt(x * x + 1.0): (math.asinh, np.arcsinh),
    lambda x, y: 1.0 / np.sqrt(x * x - 1.0): (math.acosh, np.arccosh),
    lambda x, y: 1.0 / (1.0 - x * x): (math.atanh, np.arctanh),
    lambda x, y: TWO_BY_ROOT_PI * math.exp(-x * x): (math.erf,),
    lambda x, y: -TWO_BY_ROOT_PI * math.exp(-x * x): (math.erfc,),
    slope_of_gamma: (math.gamma,),
    digamma: (math.lgamma,),
    lambda x, y: DEGREE: (math.radians, np.radians, np.deg2rad),
    lambda x, y: 1.0 / DEGREE: (math.degrees, np.degrees, np.rad2deg),
    zero: (np.sign, np.floor, np.ceil, np.trunc, np.rint),
}
_POWER: Final = (slope_of_power, slope_of_exponent)
_BINARY: Final[dict[tuple[Partial, Partial], tuple[Any, ...]]] = {
    (one, one): (operator.add, operator.iadd, np.add),
    (one, minus_one): (operator.sub, operator.isub, np.subtract),
    (right, left): (operator.mul, operator.imul, np.multiply),
    (lambda a, b, y: 1.0 / b, lambda a, b, y: -y / b): (operator.truediv, operator.itruediv, np.divide),
    (one, minus_quotient): (operator.mod, operator.imod, np.remainder, math.fmod, np.fmod),
    (zero, zero): (operator.floordiv, operator.ifloordiv, np.floor_divide),
    _POWER: (operator.pow, operator.ipow, pow, math.pow, np.power, np.float_power),
    (lambda a, b, y: b / (a * a + b * b), lambda a, b, y: -a / (a * a + b * b)): (math.atan2, np.arctan2),
    (lambda a, b, y: a / y if y != 0.0 else 0.0, lambda a, b, y: b / y if y != 0.0 else 0.0): (math.hypot, np.hypot),
    (
        lambda a, b, y: 0.0 if a == 0.0 else (1.0 if (y > 0.0) == (a > 0.0) else -1.0),
        zero,
    ): (math.copysign, np.copysign),
    (
        lambda a, b, y: 0.5 if a == b else (1.0 if y == a or a != a else 0.0),
        lambda a, b, y: 0.5 if a == b else (0.0 if y == a or a != a else 1.0),
    ): (np.maximum, np.minimum),
    (
        lambda a, b, y: 0.5 if a == b else (1.0 if y == a else 0.0),
        lambda a, b, y: 0.5 if a == b else (0.0 if y == a else 1.0),
    ): (np.fmax, np.fmin),
    (lambda a, b, y: np.exp(a - y), lambda a, b, y: np.exp(b - y)): (np.logaddexp,),
    (lambda a, b, y: np.exp2(a - y), lambda a, b, y: np.exp2(b - y)): (np.logaddexp2,),
    (lambda a, n, y: 2.0**n, zero): (math.ldexp, np.ldexp),
}

RULES: Final[dict[Any, tuple[Partial, ...]]] = {
    **{function: (partial,) for partial, functions in _UNARY.items() for function in functions},
    **{function: partials for partials, functions in _BINARY.items() for function in functions},
}

_COMPLEX_POWER: Final = (complex_slope_of_power, complex_slope_of_exponent)
# Of complex numbers, where they are holomorphic; the rest is in operations.py.
HOLOMORPHIC: Final[dict[Any, tuple[Partial, ...]]] = {
    function: RULES[function]
    for group in (
        (operator.neg, operator.pos, operator.add, operator.iadd, operator.sub, operator.isub, operator.mul),
        (operator.imul, operator.truediv, operator.itruediv, np.negative, np.positive, np.add, np.subtract),
        (np.multiply, np.divide, np.sqrt, np.square, np.reciprocal, np.exp, np.log, np.sin, np.cos, np.tan),
        (np.sinh, np.cosh, np.tanh, np.log10, np.log2, np.exp2, np.expm1, np.log1p),
        (cmath.exp, cmath.log, cmath.log10, cmath.sqrt, cmath.sin, cmath.cos, cmath.tan),
        (cmath.sinh, cmath.cosh, cmath.tanh),
    )
    for function in group
} | dict.fromkeys((operator.pow, operator.ipow, pow, np.power), _COMPLEX_POWER)

# What gives no derivative: numbers to decide or to count by, and what is constant between jumps.
PASSIVE: Final = frozenset(
    {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.not_, operator.truth}
    | {bool, int, math.floor, math.ceil, math.trunc, round, math.isnan, math.isinf, math.isfinite}
    | {cmath.isnan, cmath.isinf, cmath.isfinite, hash}
    | {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
    | {np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_and, np.logical_or, np.logical_not, np.logical_xor}
)
