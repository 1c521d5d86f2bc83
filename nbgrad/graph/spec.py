"""Shape, dtype and place of a value: one interned object for each.

Results are row-major; of element-by-element ones PyTorch keeps the strides of operands. One layout means one plan, one
kernel and one rule of the baseline tier for each structure, whatever was transposed before. Views have the strides they
have there, and copies those that they have there (autograd/memory_order.py): they are views of row-major memory.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar, Final

from nbgrad.errors import ShapeError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.interned import Interned

Shape = tuple[int, ...]

MAX_BYTES = 1 << 62  # sizes, strides and offsets travel as int64


HOST: Final = 0  # the place of what lies in the CPU's memory; CUDA device k is place k + 1


def place_name(place: int) -> str:
    """What users call a place: ``cpu``, ``cuda:0``."""
    return f"cuda:{place - 1}" if place else "cpu"


class Spec:
    """Shape and dtype of a value, and the place it lives at. Interned as long as somebody has it: equal specs are the
    same object, so compare with ``is``.

    Only tensors and entries of the trie have a place other than HOST: operators see shapes and dtypes, and where a node
    is computed follows from where its inputs are (ops/transfer.py). ``plain`` is the same without a place.
    """

    __slots__ = ("__weakref__", "block_bytes", "dtype", "place", "plain", "shape", "size", "size_bytes", "strides")
    _all: ClassVar[Interned[Spec]] = Interned()
    _placed: ClassVar[Interned[Spec]] = Interned()
    any_placed: ClassVar[bool] = False  # whether anything has lived elsewhere so far: most programs need never ask
    any_complex: ClassVar[bool] = False  # the same of complex numbers

    shape: Shape
    dtype: DType
    size: int
    strides: Shape  # of a row-major value, in elements
    size_bytes: int  # of its elements
    block_bytes: int  # the same, rounded up to whole cache lines
    place: int
    plain: Spec

    @staticmethod
    def of(shape: Shape, dtype: DType) -> Spec:
        """The one Spec of this shape and dtype; ShapeError for negative or overflowing sizes."""
        found = Spec._all.get((shape, dtype))
        if found is None:
            found = Spec._all.one((shape, dtype), lambda: Spec._made(shape, dtype))
        return found

    @staticmethod
    def _made(shape: Shape, dtype: DType) -> Spec:
        if any(n < 0 for n in shape):
            raise ShapeError(f"negative size in shape {list(shape)}")
        spec = object.__new__(Spec)
        spec.shape, spec.dtype, spec.size = shape, dtype, prod(shape)
        spec.place, spec.plain = HOST, spec
        spec.strides = contiguous_strides(shape)
        spec.size_bytes = spec.size * dtype.itemsize
        spec.block_bytes = (spec.size_bytes + 63) & -64
        if prod(max(n, 1) for n in shape) * dtype.itemsize > MAX_BYTES:
            raise ShapeError(
                f"shape {list(shape)} of {dtype.name} does not fit in memory: Storage size calculation overflowed"
            )
        if dtype.is_complex:
            Spec.any_complex = True
        return spec

    def on(self, place: int) -> Spec:
        """The same at ``place``."""
        if place == HOST:
            return self.plain
        found = Spec._placed.get((self.plain, place))
        if found is None:
            found = Spec._placed.one((self.plain, place), lambda: self._placed_at(place))
        return found

    def _placed_at(self, place: int) -> Spec:
        made: Spec = object.__new__(Spec)
        for name in ("block_bytes", "dtype", "plain", "shape", "size", "size_bytes", "strides"):
            setattr(made, name, getattr(self, name))
        made.place = place
        Spec.any_placed = True
        return made

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        text = f"{self.dtype.short}[{','.join(map(str, self.shape))}]"
        return f"{text}@{place_name(self.place)}" if self.place else text


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
