"""Matrix products by a device's library: what it is asked, and an instruction as calls of it.

A library is told addresses when it is called. What a call computes depends on its ``Product`` alone: which algorithm
that means is asked once, for whole matrices.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import product
from math import gcd
from typing import Final, NamedTuple, Protocol

from nbgrad.graph.dtypes import by_name
from nbgrad.runtime.cuda.precision import matmul_precision
from nbgrad.tape.library_product import LIBRARY_WORDS, alignment_of
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import Instruction

_MATRICES: Final = 3


class Matrices(NamedTuple):
    """Row-major matrices as they lie; ``row`` and ``step`` are the elements to the next row and to the next matrix."""

    rows: int
    columns: int
    row: int
    step: int
    alignment: int  # bytes that the first one's address is divisible by

    @property
    def whole(self) -> Matrices:
        """As many with nothing between their rows and between them."""
        return self._replace(row=self.columns, step=self.rows * self.columns)


class Product(NamedTuple):
    """``batch`` products c = a @ b of ``dtype``. ``flips``: a is given as (k, m), b as (n, k)."""

    dtype: str
    tf32: bool
    batch: int
    k: int
    flips: tuple[bool, bool]
    a: Matrices
    b: Matrices
    c: Matrices


class Library(Protocol):
    """What multiplies matrices on one device, which is the one that this thread has activated."""

    def prepare(self, product: Product) -> Prepared:
        """The way to do ``product``. The algorithm is the one for ``whole`` matrices: rows further apart do not change
        a bit."""

    def multiply(self, prepared: Prepared, addresses: tuple[int, ...], workspace: int, stream: int) -> None:
        """Enqueue it, for a, b and c at ``addresses``; ``workspace`` has as many bytes as ``prepared`` asks for."""


class Prepared(Protocol):
    """A product that a library is ready for."""

    @property
    def workspace_bytes(self) -> int: ...


Bound = tuple[Prepared, tuple[int, ...]]  # a call as a run makes it: what, and the addresses of a, b and c


class LibraryCalls:
    """One instruction as a library's calls: one for each index along all batch dims but the longest."""

    def __init__(self, instruction: Instruction, words: Sequence[int]) -> None:
        rank, at = instruction.text.rank, instruction.at
        m, n, k, *flips = words[at : at + len(LIBRARY_WORDS)]
        first = at + len(LIBRARY_WORDS)
        sizes = words[first : first + rank]
        first += rank
        self._words = [first + i * (2 + rank) + 1 for i in range(_MATRICES)]  # with the addresses
        strides = [words[i + 1 : i + 1 + rank] for i in self._words]
        rows = [words[i - 1] for i in self._words]
        longest = max(range(rank), key=sizes.__getitem__, default=0)
        batch = sizes[longest] if rank else 1
        others = [range(size) if d != longest else range(1) for d, size in enumerate(sizes)]
        self._offsets = [
            tuple([sum([i * s for i, s in zip(index, stride, strict=True)]) for stride in strides])
            for index in product(*others)
        ]
        dtype = instruction.text.operands[0].dtype
        size = by_name(dtype).itemsize
        steps = [stride[longest] if rank else 0 for stride in strides]
        shapes = [(k, m) if flips[0] else (m, k), (n, k) if flips[1] else (k, n), (m, n)]
        matrices = [
            Matrices(*shape, row // size, step // size, alignment_of(shape[1], size))
            for shape, row, step in zip(shapes, rows, steps, strict=True)
        ]
        self._product = Product(dtype, False, batch, k, (bool(flips[0]), bool(flips[1])), *matrices)
        self._prepared: dict[tuple[bool, tuple[int, ...]], Prepared] = {}

    def bound(self, library: Library, words: int) -> list[Bound]:
        """What a run calls, and the addresses: its descriptor's words are those at ``words`` in the host's memory."""
        starts = [ctypes.c_int64.from_address(words + WORD * at).value for at in self._words]
        calls = []
        for offsets in self._offsets:
            addresses = tuple([start + offset for start, offset in zip(starts, offsets, strict=True)])
            calls.append((self._ready(library, addresses), addresses))
        return calls

    def _ready(self, library: Library, addresses: tuple[int, ...]) -> Prepared:
        """What is called for matrices there. Memory that is not ours may begin anywhere."""
        whole = self._product
        tf32 = matmul_precision.allow_tf32 and whole.dtype == "float32"
        known = (whole.a.alignment, whole.b.alignment, whole.c.alignment)
        alignments = tuple([gcd(address, least) for address, least in zip(addresses, known, strict=True)])
        prepared = self._prepared.get((tf32, alignments))
        if prepared is None:
            matrices = zip((whole.a, whole.b, whole.c), alignments, strict=True)
            a, b, c = [x._replace(alignment=alignment) for x, alignment in matrices]
            wanted = whole._replace(tf32=tf32, a=a, b=b, c=c)
            prepared = self._prepared[tf32, alignments] = library.prepare(wanted)
        return prepared
