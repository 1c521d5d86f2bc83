"""Element types: interned objects, compared with ``is``; the promotion rule of PyTorch."""

from __future__ import annotations

from typing import Final

import numpy as np

from nbgrad.errors import DTypeError


class DType:
    """An element type. One object each: compare with ``is``.

    ``kind`` is "b" (bool), "i" (signed), "u" (unsigned), "f" (floating) or "c" (complex), as in NumPy. ``numpy`` is how
    elements lie in memory: NumPy has no bfloat16, so there it is their bits. ``is_half``: a float of two bytes, which
    is computed in float32.
    """

    __slots__ = ("is_complex", "is_half", "is_inexact", "itemsize", "kind", "name", "numpy", "rank", "short")

    def __init__(self, name: str, short: str, kind: str, rank: int) -> None:
        self.name: Final = name
        self.short: Final = short
        self.kind: Final = kind
        self.rank: Final = rank  # order within the promotion lattice
        self.numpy: Final = np.dtype("uint16" if name == "bfloat16" else name)
        self.itemsize: Final = self.numpy.itemsize
        self.is_complex: Final = kind == "c"
        self.is_inexact: Final = kind in "fc"  # what has derivatives
        self.is_half: Final = kind == "f" and self.itemsize == 2

    @property
    def is_floating_point(self) -> bool:
        return self.kind == "f"

    @property
    def is_signed(self) -> bool:
        return self.kind in "ifc"

    def to_real(self) -> DType:
        """The dtype of the parts of a complex one; itself where it is none."""
        return _REAL.get(self, self)

    def to_complex(self) -> DType:
        """The complex dtype with parts of this one; of halves, for which there is none, that of their computed values.
        TypeError for other dtypes."""
        for whole, part in _REAL.items():
            if self in (whole, part) or self.computed is part:
                return whole
        raise DTypeError(f"to_complex: there is no complex dtype with parts of {self.name}")

    @property
    def computed(self) -> DType:
        """The dtype in which elements are computed: float32 of halves, itself of the others."""
        return float32 if self.is_half else self

    @property
    def __numpy_dtype__(self) -> np.dtype[np.generic]:
        """What NumPy (2.4 and later) takes this for where it wants a dtype."""
        return self.numpy

    def __repr__(self) -> str:
        return f"nbgrad.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return by_name, (self.name,)


bool_ = DType("bool", "b8", "b", 0)
uint8 = DType("uint8", "u8", "u", 1)
int8 = DType("int8", "i8", "i", 1)
int16 = DType("int16", "i16", "i", 2)
int32 = DType("int32", "i32", "i", 3)
int64 = DType("int64", "i64", "i", 4)
float16 = DType("float16", "f16", "f", 5)
bfloat16 = DType("bfloat16", "bf16", "f", 5)
float32 = DType("float32", "f32", "f", 6)
float64 = DType("float64", "f64", "f", 7)
complex64 = DType("complex64", "c64", "c", 8)
complex128 = DType("complex128", "c128", "c", 9)

# Of numbers that kernels know.
ALL: Final = (bool_, uint8, int8, int16, int32, int64, float32, float64, float16, bfloat16)
COMPLEX: Final = (complex64, complex128)  # pairs of them
_REAL: Final = {complex64: float32, complex128: float64}
_BY_NAME: Final = {d.name: d for d in (*ALL, *COMPLEX)}
_BY_NUMPY: Final = {np.dtype(name): d for name, d in _BY_NAME.items() if name in np.sctypeDict}
_ALIASES: Final = {
    "float": float32,
    "double": float64,
    "half": float16,
    "int": int32,
    "long": int64,
    "short": int16,
    "cfloat": complex64,
    "cdouble": complex128,
}

_default: DType = float32


def get_default_dtype() -> DType:
    """The floating type that Python floats become (float32 unless set otherwise)."""
    return _default


def set_default_dtype(dtype: DType) -> None:
    """Make ``dtype``, a floating one, the type that Python floats become. TypeError for any other."""
    global _default
    if not isinstance(dtype, DType) or not dtype.is_floating_point:
        raise DTypeError(f"set_default_dtype: only floating-point types are supported as the default, not {dtype!r}")
    _default = dtype


def by_name(name: str) -> DType:
    """The dtype called ``name``, such as "float32"."""
    return _BY_NAME[name]


def as_dtype(value: object) -> DType:
    """A DType from a DType, a Python type, a NumPy dtype or a name."""
    if isinstance(value, DType):
        return value
    if value is bool:
        return bool_
    if value is int:
        return int64
    if value is float:
        return float64
    if value is complex:
        return complex128
    if isinstance(value, str):
        found = _ALIASES.get(value) or _BY_NAME.get(value)
    else:
        try:
            kind = np.dtype(value)  # type: ignore[call-overload]
            found = _BY_NUMPY.get(kind) or _BY_NAME.get(kind.name)  # NumPy makes the name anew, which takes 1.5 us
        except (TypeError, ValueError):
            found = None
    if found is None:
        raise DTypeError(f"nbgrad has no dtype {value!r}; it has {', '.join(_BY_NAME)}")
    return found


def promote(type1: DType, type2: DType) -> DType:
    """The type two operands of equal standing meet in (``torch.promote_types``). TypeError for what is no dtype.

    >>> nbgrad.promote_types(nbgrad.uint8, nbgrad.int8)
    nbgrad.int16
    """
    for x in (type1, type2):
        if not isinstance(x, (DType, type)):
            raise DTypeError(f"promote_types(): expected dtypes, got {type(x).__name__}")
    a, b = as_dtype(type1), as_dtype(type2)
    if a is b:
        return a
    if a.rank == b.rank:  # uint8 with int8, float16 with bfloat16: neither holds the other
        return float32 if a.is_half else int16
    low, high = (a, b) if a.rank < b.rank else (b, a)
    if high.kind == "c" and low.kind == "f" and low.itemsize > high.to_real().itemsize:
        return low.to_complex()
    if low.kind == "u" and high.kind == "i" and high.itemsize <= low.itemsize:
        return int16
    return high


def category(d: DType) -> int:
    """bool < integer < floating < complex."""
    return {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[d.kind]


def usual(d: DType) -> DType:
    """The dtype of a Python number of the category of ``d``."""
    default = get_default_dtype()
    return {"b": bool_, "f": default, "c": default.to_complex()}.get(d.kind, int64)


def result_type(operands: tuple[tuple[DType, int], ...]) -> DType:
    """PyTorch's ``result_type``: operands are (dtype, standing); standing 0 has dimensions, 1 is 0-d, 2 a number.

    A 0-d tensor or a number only raises the result when it is of a higher category (bool < integer < floating <
    complex) than every operand of better standing. Source: PyTorch, "Tensor Attributes", type promotion.
    """
    best: DType | None = None
    for standing in (0, 1, 2):
        here: DType | None = None
        for d, s in operands:
            if s == standing:
                here = d if here is None else promote(here, d)
        if here is None:
            continue
        if best is None:
            best = here
        elif best.kind == "f" and here.kind == "c":
            best = best.to_complex()
        elif category(here) > category(best):
            best = promote(best, here) if standing == 1 else here
    assert best is not None
    return best
