"""Shape and dtype of a value: one interned object per (shape, dtype)."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import DType

Shape = tuple[int, ...]

MAX_BYTES = 1 << 62  # sizes, strides and offsets travel as int64


class Spec:
    """Shape and dtype of a value. Interned: equal specs are the same object, so compare with ``is``."""

    __slots__ = ("block_bytes", "dtype", "shape", "size", "strides")
    _all: ClassVar[dict[tuple[Shape, DType], Spec]] = {}

    shape: Shape
    dtype: DType
    size: int
    strides: Shape  # of a row-major value, in elements
    block_bytes: int  # the bytes of its elements, rounded up to whole cache lines

    @staticmethod
    def of(shape: Shape, dtype: DType) -> Spec:
        """The one Spec of this shape and dtype; ShapeError for negative or overflowing sizes."""
        found = Spec._all.get((shape, dtype))
        if found is None:
            found = Spec._make(shape, dtype)
        return found

    @staticmethod
    def _make(shape: Shape, dtype: DType) -> Spec:
        if any(n < 0 for n in shape):
            raise ShapeError(f"negative size in shape {list(shape)}")
        spec = object.__new__(Spec)
        spec.shape, spec.dtype, spec.size = shape, dtype, prod(shape)
        spec.strides = contiguous_strides(shape)
        spec.block_bytes = (spec.size * dtype.itemsize + 63) & -64
        if prod(max(n, 1) for n in shape) * dtype.itemsize > MAX_BYTES:
            raise ShapeError(f"shape {list(shape)} of {dtype.name} does not fit in memory")
        return Spec._all.setdefault((shape, dtype), spec)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size_bytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.short}[{','.join(map(str, self.shape))}]"


def contiguous_strides(shape: Shape) -> Shape:
    """Row-major strides, in elements."""
    strides = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def broadcast_shapes(a: Shape, b: Shape, what: str = "broadcast") -> Shape:
    """The shape two operands meet in, or ShapeError naming the axis that differs."""
    if a == b:
        return a
    rank = max(len(a), len(b))
    wide_a, wide_b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    out = []
    for axis, (n, m) in enumerate(zip(wide_a, wide_b, strict=True)):
        if n != m and n != 1 and m != 1:
            raise ShapeError(
                f"{what}: inputs do not broadcast: shapes {list(a)} and {list(b)} "
                f"(axis {axis - rank}: {n} and {m}); sizes must be equal or 1"
            )
        out.append(m if n == 1 else n)
    return tuple(out)
