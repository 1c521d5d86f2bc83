"""The builder of kernels in NumPy: operators' bodies run without a compiler, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from nbgrad.errors import RunError, TensorIndexError
from nbgrad.graph.dtypes import DType, as_dtype
from nbgrad.tape.kernel import DIVISION_BY_ZERO, INDEX_OUT_OF_RANGE, NO_PROBABILITY, NO_TARGET

Value = Any

FUNCTIONS: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "sinh", "cosh")},
    **{name: getattr(np, "arc" + name[1:]) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")},
    "erf": special.erf,
    "digamma": special.psi,
    "lgamma": lambda x: np.where(x == -np.inf, np.inf, special.gammaln(x)),
    "sigmoid": special.expit,
    "pow": np.power,
}


class NumpyBuilder:
    """``Builder`` over NumPy arrays. fma is computed wider and rounded, which is exact enough for comparisons."""

    def dtype_of(self, x: Value) -> DType:
        return as_dtype(np.asarray(x).dtype)

    def repeat(self, body: str, going: Value, state: Any, fixed: Any, step: Any) -> list[Value]:
        mask, state = np.asarray(going), list(state)
        while mask.any():
            goes_on, new = step(state)
            state = [np.where(mask, b, a) for a, b in zip(state, new, strict=True)]
            mask = mask & goes_on
        return state

    def const(self, value: float | int | bool, dtype: DType) -> Value:
        return np.asarray(value).astype(dtype.numpy)

    def add(self, a: Value, b: Value) -> Value:
        return a + b

    def sub(self, a: Value, b: Value) -> Value:
        return a - b

    def mul(self, a: Value, b: Value) -> Value:
        return a * b

    def div(self, a: Value, b: Value) -> Value:
        return a / b

    def quotient(self, a: Value, b: Value) -> Value:
        self.fail_if(b == 0, DIVISION_BY_ZERO)
        return (a - np.fmod(a, b)) // b

    def remainder(self, a: Value, b: Value) -> Value:
        self.fail_if(b == 0, DIVISION_BY_ZERO)
        return np.fmod(a, b)

    def neg(self, x: Value) -> Value:
        return -x

    def abs(self, x: Value) -> Value:
        return np.abs(x)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        wide = np.float64 if np.asarray(a).dtype == np.float32 else np.longdouble
        return (np.asarray(a, wide) * np.asarray(b, wide) + np.asarray(c, wide)).astype(np.asarray(a).dtype)

    def sqrt(self, x: Value) -> Value:
        return np.sqrt(x)

    def minimum(self, a: Value, b: Value) -> Value:
        return np.minimum(a, b)

    def maximum(self, a: Value, b: Value) -> Value:
        return np.maximum(a, b)

    def floor(self, x: Value) -> Value:
        return np.floor(x)

    def ceil(self, x: Value) -> Value:
        return np.ceil(x)

    def trunc(self, x: Value) -> Value:
        return np.trunc(x)

    def round(self, x: Value) -> Value:
        return np.round(x)

    def copysign(self, x: Value, sign: Value) -> Value:
        return np.copysign(x, sign)

    def fmod(self, a: Value, b: Value) -> Value:
        return np.fmod(a, b)

    def lt(self, a: Value, b: Value) -> Value:
        return np.less(a, b)

    def le(self, a: Value, b: Value) -> Value:
        return np.less_equal(a, b)

    def gt(self, a: Value, b: Value) -> Value:
        return np.greater(a, b)

    def ge(self, a: Value, b: Value) -> Value:
        return np.greater_equal(a, b)

    def eq(self, a: Value, b: Value) -> Value:
        return np.equal(a, b)

    def ne(self, a: Value, b: Value) -> Value:
        return np.not_equal(a, b)

    def select(self, mask: Value, a: Value, b: Value) -> Value:
        assert np.asarray(a).dtype == np.asarray(b).dtype, "the branches of a select share a dtype"
        return np.where(mask, a, b)

    def bit_and(self, a: Value, b: Value) -> Value:
        return np.bitwise_and(a, b)

    def bit_or(self, a: Value, b: Value) -> Value:
        return np.bitwise_or(a, b)

    def bit_xor(self, a: Value, b: Value) -> Value:
        return np.bitwise_xor(a, b)

    def bit_not(self, x: Value) -> Value:
        return np.invert(x)

    def shl(self, x: Value, n: int | Value) -> Value:
        return np.left_shift(x, self._count(x, n))

    def lshr(self, x: Value, n: int | Value) -> Value:
        x = np.asarray(x)
        unsigned = np.dtype(f"u{x.dtype.itemsize}")
        return np.right_shift(x.view(unsigned), np.asarray(n).astype(unsigned)).view(x.dtype)

    def ashr(self, x: Value, n: int | Value) -> Value:
        return np.right_shift(x, self._count(x, n))

    def _count(self, x: Value, n: int | Value) -> Value:
        width = 8 * np.asarray(x).dtype.itemsize
        assert np.all((np.asarray(n) >= 0) & (np.asarray(n) < width)), "a shift must stay below the width"
        return np.asarray(n).astype(np.asarray(x).dtype)

    def cast(self, x: Value, dtype: DType) -> Value:
        return np.asarray(x).astype(dtype.numpy)

    def bitcast(self, x: Value, dtype: DType) -> Value:
        return np.asarray(x).view(dtype.numpy)

    def fail_if(self, mask: Value, code: int) -> None:
        if np.any(mask):
            errors = {DIVISION_BY_ZERO: RunError, INDEX_OUT_OF_RANGE: TensorIndexError}
            errors |= dict.fromkeys((NO_PROBABILITY, NO_TARGET), RunError)
            raise errors[code]("a lane failed")

    def function(self, name: str, *args: Value) -> Value:
        assert name != "pow" or np.asarray(args[0]).dtype.kind == "f", "the builder's pow is for floats"
        return FUNCTIONS[name](*args)
