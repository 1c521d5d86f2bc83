"""What functions of numbers are as calls on nodes: those of ``math``, of NumPy, of Python itself."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

BINARY: Final[dict[Callable[..., Any], str]] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "div",
    operator.floordiv: "floor_divide",
    operator.mod: "remainder",
    operator.and_: "bit_and",
    operator.or_: "bit_or",
    operator.xor: "bit_xor",
    operator.lshift: "shift_left",
    operator.rshift: "shift_right",
}
COMPARISONS: Final[dict[Callable[..., Any], str]] = {
    operator.lt: "lt",
    operator.le: "le",
    operator.gt: "gt",
    operator.ge: "ge",
    operator.eq: "eq",
    operator.ne: "ne",
}
_UNARY: Final = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "asin", "acos", "atan"),
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "floor", "ceil", "trunc"),
)
_INVERSE: Final = ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")  # NumPy says arcsin
_BOTH: Final = {"copysign": "copysign", "hypot": "hypot", "fmod": "fmod", "isnan": "isnan", "isinf": "isinf"}
_ANGLES: Final = {"degrees": "rad2deg", "radians": "deg2rad", "isfinite": "isfinite", "atan2": "atan2"}

# The call of a function whose arguments are floating: name in CALLS and number of arguments.
FLOATING: Final[dict[Any, tuple[str, int]]] = {
    math.erf: ("erf", 1),
    math.erfc: ("erfc", 1),
    math.fabs: ("abs", 1),
    np.fabs: ("abs", 1),
    np.rint: ("round", 1),
    np.exp2: ("exp2", 1),
    np.rad2deg: ("rad2deg", 1),
    np.deg2rad: ("deg2rad", 1),
    np.logaddexp: ("logaddexp", 2),
}
# Those whose arguments have the type of the result.
SAME: Final[dict[Any, tuple[str, int]]] = {
    abs: ("abs", 1),
    np.abs: ("abs", 1),
    np.sign: ("sign", 1),
    np.maximum: ("maximum", 2),
    np.minimum: ("minimum", 2),
    np.fmax: ("fmax", 2),
    np.fmin: ("fmin", 2),
    np.mod: ("remainder", 2),
}
for _name in (*_UNARY, *_BOTH, *_ANGLES):
    _call = _BOTH.get(_name) or _ANGLES.get(_name) or _name
    _count = 2 if _name in ("copysign", "hypot", "fmod", "atan2") else 1
    FLOATING[getattr(math, _name)] = _call, _count
    FLOATING[getattr(np, f"arc{_name[1:]}" if _name in _INVERSE else _name)] = _call, _count
if hasattr(math, "exp2"):
    FLOATING[math.exp2] = "exp2", 1
POWERS: Final = (operator.pow, math.pow, np.power, pow)
CONVERSIONS: Final = (float, int, round, *[getattr(np, f"{k}{n}") for k, n in (("float", 32), ("float", 64))])
INTEGERS: Final = tuple([getattr(np, name) for name in ("int8", "int16", "int32", "int64", "uint8", "intp")])
EXTREMES: Final = {max: "gt", min: "lt"}

# Where lanes are not live, these keep the derivative of those that are from NaN, whatever they are given.
LINEAR: Final = frozenset(
    (
        *("add", "sub", "neg", "where", "cast", "sign", "floor", "ceil", "trunc", "round"),
        *(*COMPARISONS.values(), "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right"),
    )
)
