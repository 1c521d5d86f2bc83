"""What a kernel computes, as data: the text that is emitted, listed, hashed, cached and sent to the worker.

A ``KernelText`` names loop ranks, dtypes and each operand's inner-stride class, and nothing else: sizes, strides,
addresses and constants reach the kernel through its descriptor at run time.

The kernel ABI is ``int32 kernel(int64* desc, int64 begin, int64 end)``; it works on the items [begin, end) and returns
0, or a failure code below. The descriptor is a row of int64 words:

    sizes[rank]            kept dims, outermost first (the last is the vector dim of "map" and "column")
    sizes[reduce_rank]     reduced dims (the last is the vector dim of "row")
    extra[4]               only when reduce_rank > 0, see the forms
    then per operand       address, strides[rank + reduce_rank] in bytes

An operand of role "index" has no memory: its value is ``address + sum(index * stride)``, an int64. One of role "table"
is a contiguous 1-d array that ``take`` indexes; its first stride word holds its length. The output of a reduction has,
in its first reduced stride word, the stride from one block's partial result to the next.

Forms, and what one item is:

    map      one element (rank 1) or one row of the inner dim (rank 2 and more)
    row      one block of one output element. Reduced dims are (A..., B), B the vector dim. Element (a, b) belongs to
    lane
             b % LANES; each lane adds its elements in the order of (a, b), the lanes meet in a binary tree
             (lane i with lane i + 16, then 8, 4, 2, 1). extra = (rows of A in a block, columns of B in a block,
             segments of B in a row of A, blocks of one output): block k covers A rows from (k // segments) * rows
             and B columns from (k % segments) * columns. item = output * blocks + block.
    column   COLUMN_CHUNK outputs along the inner kept dim, over one block of reduced elements. Per output and block:
             runs of COLUMN_RUN reduced elements are added in order, each run from the identity, then the runs are
             added in order. extra = (COLUMN_RUN, COLUMN_CHUNK, chunks of the inner dim, reduced elements in a block).
             item = (block * outer kept elements + outer kept index) * chunks + chunk. Up to COLUMN_OUTPUTS outputs
             have blocks of about COLUMN_BLOCK elements, so that threads can share what has few outputs; more outputs
             have one block. The blocks' results are folded in their order, as a column of their own.

A kernel of one block an output (and any column kernel) may go on with its results, output by output: the finish. Its
values are numbered behind the statements: first the result of each reduction (of argmax and argmin the index), then
the finish statements. They read these values and operands of role "late", which have an element for each output: late
operands and what the finish stores do not move along reduced dims. A reduction's own result is written where its outs
say so, -1 is nowhere.

These orders depend on logical sizes only, so every vector width, thread count and layout gives the same bits.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

LANES: Final = 32
ROW_BLOCK: Final = 8192  # elements of a row-form block: enough work for a thread, short enough for accuracy
COLUMN_RUN: Final = 256
COLUMN_CHUNK: Final = 64
COLUMN_OUTPUTS: Final = 128  # more outputs are items enough; combining costs a kernel
COLUMN_BLOCK: Final = 1 << 16  # elements of a column-form block, over all outputs: some 20 us of work

PRODUCT_RUN: Final = 256  # products that are added up on their own before they join the sum

OK: Final = 0
DIVISION_BY_ZERO: Final = 1
INDEX_OUT_OF_RANGE: Final = 2

STRIDE_ZERO: Final = 0  # the operand does not move along the vector dim
STRIDE_ONE: Final = 1  # consecutive elements
STRIDE_OTHER: Final = 2  # anything, also negative


class Operand(NamedTuple):
    """An array a kernel reads or writes. ``role`` is "in", "out", "index", "table" or "late"."""

    dtype: str
    stride: int
    role: str


class Stmt(NamedTuple):
    """One operator on values. Value k < len(operands) is operand k as loaded; then come the statements in order."""

    op: str
    args: tuple[int, ...]
    params: tuple[Any, ...]
    dtype: str


class Reduction(NamedTuple):
    """``op`` (sum, prod, amax, amin, argmax, argmin) over values ``args`` into operands ``outs`` (-1: nowhere).

    argmax and argmin take (value, int64 index) and have outs for both.
    """

    op: str
    args: tuple[int, ...]
    outs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KernelText:
    """One kernel. ``form`` is "map", "row", "column" or the name of a library kernel."""

    form: str
    rank: int
    reduce_rank: int
    operands: tuple[Operand, ...]
    stmts: tuple[Stmt, ...] = ()
    stores: tuple[tuple[int, int], ...] = ()  # (value, operand)
    reductions: tuple[Reduction, ...] = ()
    finish: tuple[Stmt, ...] = ()
    finish_stores: tuple[tuple[int, int], ...] = ()  # (value, operand)
    _hash: int = field(default=0, init=False, repr=False, compare=False)  # texts are looked up far more than made

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self._parts()))

    def _parts(self) -> tuple[Any, ...]:
        loop = (self.form, self.rank, self.reduce_rank, self.operands, self.stmts, self.stores, self.reductions)
        return (*loop, self.finish, self.finish_stores) if self.finish or self.finish_stores else loop

    def __hash__(self) -> int:
        return self._hash

    def to_json(self) -> str:
        """A canonical text: equal kernels give equal strings."""
        return _json(self)

    @staticmethod
    def from_json(text: str) -> KernelText:
        form, rank, reduce_rank, operands, stmts, stores, reductions, *late = json.loads(text)
        finish, finish_stores = late or ((), ())
        return KernelText(
            form,
            rank,
            reduce_rank,
            tuple(Operand(*o) for o in operands),
            _stmts(stmts),
            tuple((v, o) for v, o in stores),
            tuple(Reduction(op, tuple(args), tuple(outs)) for op, args, outs in reductions),
            _stmts(finish),
            tuple((v, o) for v, o in finish_stores),
        )

    @property
    def first_result(self) -> int:
        """The number of the first reduction's result as a value of the finish."""
        return len(self.operands) + len(self.stmts)

    @property
    def late(self) -> list[int]:
        """The operands that the finish reads."""
        return [k for k, o in enumerate(self.operands) if o.role == "late"]

    @property
    def kept_operands(self) -> list[int]:
        """The operands with an element for each output: results of reductions, what the finish reads and stores."""
        outs = [out for r in self.reductions for out in r.outs if out >= 0]
        return [*outs, *self.late, *[out for _, out in self.finish_stores]]

    @property
    def symbol(self) -> str:
        """The kernel's name in object code: unique and the same in every process."""
        return "nbk_" + hashlib.sha256(self.to_json().encode()).hexdigest()[:32]


@lru_cache(maxsize=1024)  # a kernel on its way into memory is asked for it up to five times
def _json(text: KernelText) -> str:
    return json.dumps(text._parts(), separators=(",", ":"))


def _stmts(rows: Any) -> tuple[Stmt, ...]:
    return tuple(Stmt(op, tuple(args), _tuples(params), dtype) for op, args, params, dtype in rows)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
