"""Runs one elementary function through a compiled kernel and measures its error in ULP.

The oracle of float32 is float64 (NumPy, SciPy), whose own error is 2^-29 ULP there; that of float64 is mpmath.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np
from scipy import special

from nbgrad.kernels.target import Target, host
from nbgrad.tape.kernel import KernelText, Operand, Stmt
from tests.kernels.harness import call

Array = Any

WIDE: Final[dict[str, Callable[..., Array]]] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": special.erf,
    "erfc": special.erfc,
    "erfcx": special.erfcx,
    "ndtr": special.ndtr,
    "erfinv": special.erfinv,
    "digamma": special.psi,
    "lgamma": lambda x: np.where(x == -np.inf, np.inf, special.gammaln(x)),
    "sigmoid": special.expit,
    "pow": np.power,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}

EXACT: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(mpmath, name) for name in ("exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "erf")},
    "erfc": mpmath.erfc,
    "ndtr": mpmath.ncdf,
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "erfinv": mpmath.erfinv,
    "digamma": mpmath.digamma,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "pow": mpmath.power,
    **{
        name: getattr(mpmath, name)
        for name in ("asin", "acos", "atan", "atan2", "sinh", "cosh", "asinh", "acosh", "atanh")
    },
}

NAMES: Final = tuple(
    [name for name in WIDE if name not in ("erfc", "erfcx", "erfinv", "ndtr")]
)  # functions of a builder
MAX_ULP: Final = {"float32": 1.0, "float64": 2.0}
FRACTION: Final = {"float32": 23, "float64": 52}
MIN_EXPONENT: Final = {"float32": -126, "float64": -1022}
OVERFLOWS: Final = mpmath.ldexp(2**54 - 1, 1024 - 54)  # what is nearer to 2^1024 than to any float64
INTEGER: Final = {"float32": np.uint32, "float64": np.uint64}

SPECIAL: Final = (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"))


def evaluate(name: str, *inputs: Array, target: Target | None = None) -> Array:
    """``name`` of arrays of one floating dtype, by a compiled kernel."""
    dtype = str(inputs[0].dtype)
    count = len(inputs)
    operands = (*[Operand(dtype, 1, "in")] * count, Operand(dtype, 1, "out"))
    stmt = Stmt(name, tuple(range(count)), (), dtype)
    out = np.empty(inputs[0].size, dtype)
    arrays = [np.ascontiguousarray(x) for x in inputs]
    text = KernelText("map", 1, 0, operands, (stmt,), ((count + 1, count),))
    assert call(text, [*arrays, out], [out.size], target=target) == 0
    return out


def at_width(level: str) -> Target:
    """The host, with vectors of another instruction set's width."""
    return dataclasses.replace(host(), level=level)


def every_exponent(dtype: str, count: int, seed: int = 0) -> Array:
    """``count`` floats with uniformly drawn bits: every exponent, both signs, subnormals, infinities, NaN."""
    rng = np.random.default_rng(seed)
    top = 2 ** (8 * np.dtype(dtype).itemsize)
    bits = rng.integers(0, top, count, dtype=np.uint64).astype(INTEGER[dtype])
    edges = np.array([*SPECIAL, np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max], dtype)
    return np.concatenate([bits.view(dtype), edges, -edges])


def around(values: Array, dtype: str, steps: int = 8) -> Array:
    """``values`` rounded to dtype, and the ``steps`` floats to both sides of each."""
    centre = np.asarray(values, np.float64).astype(dtype).view(INTEGER[dtype])
    offsets = np.arange(-steps, steps + 1).astype(INTEGER[dtype])
    return (centre[:, None] + offsets[None, :]).ravel().view(dtype)


def assert_within(name: str, *inputs: Array, ulps: float = 0.0) -> None:
    """Every result is within ``ulps`` (unless given, what nbgrad promises) of the exact one, with its sign."""
    dtype = str(inputs[0].dtype)
    ulps = ulps or MAX_ULP[dtype]
    y = evaluate(name, *inputs)
    errors = _errors_float32(name, y, inputs) if dtype == "float32" else _errors_float64(name, y, inputs)
    worst = int(np.argmax(errors))
    at = ", ".join(repr(x[worst]) for x in inputs)
    assert errors[worst] <= ulps, f"{name}({at}) = {y[worst]!r} is {errors[worst]:.3f} ULP off"


def _errors_float32(name: str, y: Array, inputs: tuple[Array, ...]) -> Array:
    with np.errstate(all="ignore"):
        exact = WIDE[name](*[x.astype(np.float64) for x in inputs])
        exponent = np.maximum(np.frexp(exact)[1] - 1, MIN_EXPONENT["float32"])
        errors = np.abs(y - exact) / np.ldexp(1.0, exponent - FRACTION["float32"])
        same = (y == exact.astype(np.float32)) | (np.isnan(y) & np.isnan(exact))
    wrong_sign = (np.signbit(y) != np.signbit(exact)) & ~np.isnan(exact)
    errors = np.where(same, np.minimum(errors, 0.5), errors)  # an infinity that is right, or both NaN
    return np.where(wrong_sign | np.isnan(errors) & ~same, np.inf, np.where(np.isnan(errors), 0.0, errors))


def _errors_float64(name: str, y: Array, inputs: tuple[Array, ...]) -> Array:
    with mpmath.workprec(140):
        return np.array([_error(name, float(v), [float(x) for x in row]) for v, *row in zip(y, *inputs, strict=True)])


def _error(name: str, y: float, row: list[float]) -> float:
    """Of finite inputs; those that are not, and poles, are in the tests of special values."""
    exact = EXACT[name](*[mpmath.mpf(x) for x in row])
    if abs(exact) >= OVERFLOWS:
        return 0.0 if y == mpmath.sign(exact) * float("inf") else float("inf")
    if exact == 0:
        return 0.0 if y == 0.0 else float("inf")
    exponent = max(mpmath.frexp(exact)[1] - 1, MIN_EXPONENT["float64"])
    if (np.signbit(y) == 1) != (exact < 0) or not np.isfinite(y):
        return float("inf")
    return float(mpmath.ldexp(abs(mpmath.mpf(y) - exact), FRACTION["float64"] - exponent))


def same_bits(a: Array, b: Array) -> bool:
    """Equal bit for bit; any two NaN count as equal."""
    bits = INTEGER[str(a.dtype)]
    return bool(np.all((a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))))
