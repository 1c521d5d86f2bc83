"""One kernel being put together: what it reads, computes, folds and writes. Its dims come later, see ``append.py``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.node import Node
from nbgrad.graph.spec import Shape, Spec, contiguous_strides
from nbgrad.tape.block import Ref

ARG_REDUCTIONS: Final = ("argmax", "argmin")
Statement = tuple[str, tuple[int, ...], tuple[Any, ...], str]
strides_of = lru_cache(maxsize=128)(contiguous_strides)


@lru_cache(maxsize=128)  # it keeps each Spec that it knows
def row_major(spec: Spec) -> Shape:
    """Byte strides of a value in memory of its own."""
    size = spec.dtype.itemsize
    return tuple([s * size for s in spec.strides])


@lru_cache(maxsize=128)
def packed(shape: Shape, dtype: DType) -> Shape:
    """Byte strides of a row-major array."""
    return tuple([s * dtype.itemsize for s in strides_of(shape)])


class Access(NamedTuple):
    """An operand: ``ref`` has a stride for each dim of the loop's shape (a table: its length)."""

    dtype: DType
    role: str
    ref: Ref


class Fold(NamedTuple):
    """A reduction of the loop: ``node`` made of the values ``codes``, ``stored`` where somebody needs it."""

    node: Node
    codes: list[int]
    stored: bool


class Loop:
    """Maps and reductions over ``shape``, of which ``dims`` are reduced.

    A code names a value: operands that are read count up from 0, statements count down from -1.
    """

    __slots__ = ("_known", "codes", "dims", "folds", "nodes", "reads", "shape", "stmts", "writes")

    def __init__(self, shape: Shape, dims: Shape, nodes: tuple[Node, ...]) -> None:
        self.shape = shape
        self.dims = dims
        self.nodes = nodes
        self.codes: dict[Node, int] = {}
        self.reads: list[Access] = []
        self.writes: list[tuple[int, Access]] = []
        self.stmts: list[Statement] = []
        self.folds: list[Fold] = []
        self._known: dict[Access, int] = {}

    @property
    def form(self) -> str:
        """The kernel's form, by logical sizes: a reduction is a row where no kept dim lies inside the reduced ones."""
        if not self.folds:
            return "map"
        return "column" if any(n > 1 for n in self.shape[self.dims[-1] + 1 :]) else "row"

    def read(self, access: Access) -> int:
        """The code of what is read there; equal reads are one operand."""
        code = self._known.get(access)
        if code is None:
            code = self._known[access] = len(self.reads)
            self.reads.append(access)
        return code

    def compute(self, node: Node, args: list[int]) -> int:
        self.stmts.append((node.op.name, tuple(args), node.params, node.spec.dtype.name))
        code = self.codes[node] = -len(self.stmts)
        return code

    def add(self, a: int, b: int, dtype: DType) -> int:
        """The code of the sum of two values of ``dtype``."""
        self.stmts.append(("add", (a, b), (), dtype.name))
        return -len(self.stmts)

    def write(self, code: int, dtype: DType, ref: Ref) -> None:
        self.writes.append((code, Access(dtype, "out", ref)))

    def fold(self, node: Node, codes: list[int], stored: bool) -> None:
        if node.op.name in ARG_REDUCTIONS:
            codes.append(self.read(Access(int64, "index", Ref(None, 0, (), flat_index(self.shape, self.dims)))))
        self.folds.append(Fold(node, codes, stored))


def flat_index(shape: Shape, dims: Shape) -> Shape:
    """Strides of the flattened index into the reduced ``dims`` of ``shape``."""
    inner = dict(zip(dims, strides_of(tuple([shape[d] for d in dims])), strict=True))
    return tuple([inner.get(d, 0) for d in range(len(shape))])
