"""What the arithmetic instructions of PTX do to 32 lanes, in NumPy. Floats are rounded to nearest, as all of ours are.

Source: NVIDIA, "Parallel Thread Execution ISA", segment 9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.kernels.ptx.memory import fma

Array = Any

KINDS = {f"{c}{n}": np.dtype(f"{c if c in 'uf' else 'i'}{n // 8}") for c in "us" for n in (8, 16, 32, 64)}
KINDS |= {f"b{n}": np.dtype(f"u{n // 8}") for n in (8, 16, 32, 64)} | {"f32": np.dtype("f4"), "f64": np.dtype("f8")}
KINDS["pred"] = np.dtype(bool)


def ordered(choose: Callable[[Array, Array], Array], low: bool) -> Callable[[Array, Array], Array]:
    """The smaller or larger of two, -0 below 0."""

    def chosen(a: Array, b: Array) -> Array:
        found = choose(a, b)
        if a.dtype.kind != "f":
            return found
        first = np.signbit(a) if low else ~np.signbit(a)
        return np.where((a == 0) & (b == 0), np.where(first, a, b), found)

    return chosen


def shifted(how: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """A shift by any amount: all bits are gone, or the sign fills them, from the width on."""

    def result(x: Array, n: Array) -> Array:
        width = 8 * x.itemsize
        held = np.minimum(n.astype(np.uint64), width - 1).astype(x.dtype)
        moved = how(x, held)
        return moved if x.dtype.kind == "i" else np.where(n.astype(np.uint64) >= width, x.dtype.type(0), moved)

    return result


def divided(a: Array, b: Array) -> Array:
    """Integers towards zero; anything by 0 in lanes that nobody asks."""
    if a.dtype.kind == "f":
        return a / b
    safe = np.where(b == 0, b.dtype.type(1), b)
    quotient = np.abs(a.astype(object)) // np.abs(safe.astype(object)) * np.sign(a) * np.sign(safe)
    return np.array([int(q) & ((1 << 8 * a.itemsize) - 1) for q in quotient], f"u{a.itemsize}").view(a.dtype)


def remainder(a: Array, b: Array) -> Array:
    return a - b * divided(a, b)


def copysign(sign: Array, x: Array) -> Array:
    return np.copysign(x, sign)


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divided,
    "rem": remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": shifted(np.left_shift),
    "shr": shifted(np.right_shift),
    "min": ordered(np.fmin, low=True),
    "max": ordered(np.fmax, low=False),
    "min.NaN": ordered(np.minimum, low=True),
    "max.NaN": ordered(np.maximum, low=False),
    "copysign": copysign,
}
UNARY: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "not": np.invert,
    "sqrt": np.sqrt,
    "rcp": lambda x: x.dtype.type(1) / x,
    "popc": lambda x: np.array([int(v).bit_count() for v in x], "u4"),
}
TERNARY: dict[str, Callable[[Array, Array, Array], Array]] = {
    "fma": fma,
    "mad": lambda a, b, c: a * b + c,
    "bfe": lambda x, at, n: (x >> at) & ((x.dtype.type(1) << n) - x.dtype.type(1)),
}
QUATERNARY: dict[str, Callable[[Array, Array, Array, Array], Array]] = {
    "bfi": lambda a, b, at, n: (b & ~(((b.dtype.type(1) << n) - b.dtype.type(1)) << at)) | (a << at),
}
COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": lambda a, b: (a != b) & (a == a) & (b == b),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "nan": lambda a, b: (a != a) | (b != b),
    "num": lambda a, b: (a == a) & (b == b),
}
UNORDERED = {f"{name}u": (lambda a, b, f=f: f(a, b) | (a != a) | (b != b)) for name, f in list(COMPARE.items())[:6]}
ROUND = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}


def compare(how: str, a: Array, b: Array) -> Array:
    return (COMPARE.get(how) or UNORDERED[how])(a, b)


def convert(rounding: str | None, to: np.dtype[Any], x: Array) -> Array:
    """``x`` as another type: whole numbers from floats are held in range, NaN gives 0."""
    if x.dtype.kind != "f" or to.kind == "f":
        return (ROUND[rounding](x) if rounding in ROUND else x).astype(to)
    assert rounding in ROUND
    limits = np.iinfo(to)
    whole = ROUND[rounding](np.where(np.isnan(x), 0, x))
    return np.array([max(limits.min, min(limits.max, int(v))) if np.isfinite(v) else
                     (limits.max if v > 0 else limits.min) for v in whole], to)  # fmt: skip
