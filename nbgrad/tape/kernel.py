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
is a contiguous 1-d array that ``take`` indexes; its first stride word holds its length. One of role "guarded" is read
by ``guard`` alone, where its mask says so: there may be no memory elsewhere. The output of a reduction has, in its
first reduced stride word, the stride from one block's partial result to the next.

Forms, and what one item is:

    map      one element (rank 1) or one row of the inner dim (rank 2 and more)
    row      one block of one output element. Reduced dims are (A..., B), B the vector dim. Element (a, b) belongs to
             lane b % LANES; each lane adds its elements in the order of (a, b), in runs: after each ROW_RUN elements
             of B that another one of the same row and block follows, what lanes hold is put aside, and they begin with
             the identity again. A lane's runs are added in order, from the identity, then the lanes meet in a binary
             tree (lane i with lane i + 16, then 8, 4, 2, 1). extra = (rows of A in a block, columns of B in a block,
             segments of B in a row of A, blocks of one output): block k covers A rows from (k // segments) * rows
             and B columns from (k % segments) * columns. item = output * blocks + block.
    short_row  the same for rows of one block with one dim, of up to SHORT_ROW elements, where kept dims are (C..., D):
             D is the vector dim, an item is an index of C, or where there is no C, SHORT_ROWS outputs. An operand of
             role "held" is the same for all items.
    column   COLUMN_CHUNK outputs along the inner kept dim, over one block of reduced elements. Per output and block:
             runs of COLUMN_RUN reduced elements are added in order, each run from the identity, then the runs are
             added in order. extra = (COLUMN_RUN, COLUMN_CHUNK, chunks of the inner dim, reduced elements in a block).
             On a GPU a block may be one run, so that more warps share the work: then the runs' results are a column
             of their own, in which a run, the first of extra, is as many as belong to a block of the CPU's.
             item = (block * outer kept elements + outer kept index) * chunks + chunk. Up to COLUMN_OUTPUTS outputs
             have blocks of about COLUMN_BLOCK elements, so that threads can share what has few outputs; more outputs
             have one block. The blocks' results are folded in their order, as a column of their own.

A row kernel of one block an output may go on with its results, output by output: the finish. Its values are numbered
behind the statements: first the result of each reduction (of argmax and argmin the index), then the finish statements.
They read these values and operands of role "late", which have an element for each output: late operands and what the
finish stores do not move along reduced dims. A reduction's own result is written where its outs say so, -1 is nowhere.

A row kernel of one block an output may then go over its elements again: ``then`` holds further stages, each with
statements, stores, reductions and a finish of its own. Values are numbered on from stage to stage. A stage may use the
values of earlier finishes, which are the same along the row, but of the statements only its own. What an earlier stage
stored for each element it loads as an operand: an output, or one of role "scratch", which lies in SCRATCH_BYTES on the
kernel's stack (its address word says where).

Reductions "across" the rows of a row kernel of one block fold its elements column by column, in the order of the column
form. Then an item is several outputs, and extra = (rows of A, columns of B, outputs of an item, outputs). Runs of
COLUMN_RUN outputs are folded in the first operand of the reduction's outs, which is scratch, and the runs of an item in
the second: its first stride word leads from one item's results to the next ones'.

These orders depend on logical sizes only, so every vector width, thread count and layout gives the same bits.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

LANES: Final = 32
COLUMN_CHUNK: Final = 64
EXTRA_WORDS: Final = 4  # of a descriptor with reduced dims

OK: Final = 0
DIVISION_BY_ZERO: Final = 1
INDEX_OUT_OF_RANGE: Final = 2  # those up to 5 are why LAPACK refused a matrix, see nbgrad/ops/linear_system.py
RAISED: Final = 6  # a function of the user's own ended in an exception
NO_PROBABILITY: Final = 7  # a number outside 0 to 1, or NaN, in a loss's input
NO_TARGET: Final = 8  # the same in its target

SHORT_ROW: Final = 20  # elements of a row that is short
SHORT_ROWS: Final = 64  # such rows that are an item, where there is one kept dim
LOOPS: Final = ("map", "row", "short_row", "column")  # forms that are made of statements
SCANS: Final = ("cumsum", "cumprod", "cummax", "recurrence")  # forms in which each element needs the one before it
SCATTERS: Final = (  # what writes one element at an index
    "scatter_add",
    "scatter_product",
    "scatter_put",
    "scatter_max",
    "scatter_min",
    "scatter_recurrence",
)
SPECIALS: Final = ("special_1", "special_2", "special_one_of_four")  # forms that call SciPy's functions

# Traits of an instruction: its indices fit 32 bits; it writes nothing that is its input; it may add in any order.
NARROW: Final = "narrow"
APART: Final = "apart"
UNORDERED: Final = "unordered"
# What a draft on a CPU may.
SMALL: Final = "small"  # it has so little to do that its code need not be quick
# What a map on a CPU may.
ROOMY: Final = "roomy"  # its rows have room for several registers side by side

LIBRARY_PRODUCT: Final = "library_product"  # the form of what a device's library does, see library_product.py
LAUNCHED: Final = "launched"  # the form of a GPU's kernel that is the user's own, see native.py

STRIDE_ZERO: Final = 0  # the operand does not move along the vector dim
STRIDE_ONE: Final = 1  # consecutive elements
STRIDE_OTHER: Final = 2  # anything, also negative
STRIDE_BACK: Final = 3  # consecutive elements from the last to the first, read and not written


class Operand(NamedTuple):
    """An array a kernel reads or writes. ``role`` is "in", "out", "index", "table", "guarded", "late" or "scratch"."""

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

    argmax and argmin take (value, int64 index) and have outs for both. One ``across`` the rows has outs for the running
    values of a run and of an item.
    """

    op: str
    args: tuple[int, ...]
    outs: tuple[int, ...]
    across: bool = False


class Stage(NamedTuple):
    """What a kernel does on one way over its elements, and with the results; stores are (value, operand)."""

    stmts: tuple[Stmt, ...]
    stores: tuple[tuple[int, int], ...]
    reductions: tuple[Reduction, ...]
    finish: tuple[Stmt, ...]
    finish_stores: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class KernelText:
    """One kernel. ``form`` is "map", "row", "column" or the name of a library kernel.

    ``is_draft``: code made in less than half the time that takes up to three times as long to run, with the same bits.
    What was never seen waits for such kernels, and runs on them until better ones are there.
    """

    form: str
    rank: int
    reduce_rank: int
    operands: tuple[Operand, ...]
    stmts: tuple[Stmt, ...] = ()
    stores: tuple[tuple[int, int], ...] = ()  # (value, operand)
    reductions: tuple[Reduction, ...] = ()
    finish: tuple[Stmt, ...] = ()
    finish_stores: tuple[tuple[int, int], ...] = ()  # (value, operand)
    then: tuple[Stage, ...] = ()
    is_draft: bool = False
    traits: tuple[str, ...] = ()  # what it may take for granted, on a GPU see nbgrad/kernels/traits.py
    _hash: int = field(default=0, init=False, repr=False, compare=False)  # texts are looked up far more than made

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self._parts()))

    def _parts(self) -> tuple[Any, ...]:
        loop = (self.form, self.rank, self.reduce_rank, self.operands, self.stmts, self.stores, self.reductions)
        return (*loop, self.finish, self.finish_stores, self.then, self.is_draft, self.traits)

    def __hash__(self) -> int:
        return self._hash

    def to_json(self) -> str:
        """A canonical text: equal kernels give equal strings."""
        return _json(self)

    @staticmethod
    def from_json(text: str) -> KernelText:
        form, rank, reduce_rank, operands, *first, then, is_draft, traits = json.loads(text)
        own, whole = tuple(Operand(*o) for o in operands), tuple(_stage(*stage) for stage in then)
        return KernelText(form, rank, reduce_rank, own, *_stage(*first), whole, is_draft, tuple(traits))

    @property
    def stages(self) -> list[tuple[int, Stage]]:
        """The ways over the elements, each with the number of its first statement's value."""
        found = []
        number = len(self.operands)
        first = Stage(self.stmts, self.stores, self.reductions, self.finish, self.finish_stores)
        for stage in (first, *self.then):
            found.append((number, stage))
            number += len(stage.stmts) + len(stage.reductions) + len(stage.finish)
        return found

    @property
    def draft(self) -> KernelText:
        """The same as a draft, where it is a loop: other forms have none for a fused program, or need none."""
        traits = tuple([trait for trait in self.traits if trait != ROOMY])
        return replace(self, is_draft=True, traits=traits) if self.form in LOOPS else self

    @property
    def dims(self) -> int:
        """How many dims a loop's descriptor has, and so each operand strides."""
        return self.rank + self.reduce_rank

    @property
    def addresses(self) -> range:
        """The words of a loop's descriptor with the operands' addresses, or where an index starts; strides follow."""
        first, step = self.dims + (EXTRA_WORDS if self.reduce_rank else 0), 1 + self.dims
        return range(first, first + step * len(self.operands), step)

    @property
    def numbers(self) -> list[int]:
        """The other words: sizes, how reductions are cut, strides."""
        addresses = self.addresses
        return [word for word in range(addresses.stop) if word not in addresses]

    @property
    def dtypes(self) -> list[str]:
        """The dtype of every value, by its number."""
        names = [o.dtype for o in self.operands]
        for _, stage in self.stages:
            names += [stmt.dtype for stmt in stage.stmts]
            names += ["int64" if len(r.args) > 1 else names[r.args[0]] for r in stage.reductions]
            names += [stmt.dtype for stmt in stage.finish]
        return names

    @property
    def has_code(self) -> bool:
        """Whether it is a kernel of ours, and not a call of a device's library or the user's own."""
        return self.form not in (LIBRARY_PRODUCT, LAUNCHED)

    @property
    def has_places(self) -> bool:
        """Whether something in it happens to some places only."""
        return any(stmt.op == "within" for stmt in self.stmts)

    @property
    def late(self) -> list[int]:
        """The operands that a finish reads."""
        return [k for k, o in enumerate(self.operands) if o.role == "late"]

    @property
    def kept_operands(self) -> list[int]:
        """The operands with an element for each output: results of reductions, what a finish reads and stores."""
        stages = [stage for _, stage in self.stages]
        outs = [out for stage in stages for r in stage.reductions if not r.across for out in r.outs if out >= 0]
        return [*outs, *self.late, *[out for stage in stages for _, out in stage.finish_stores]]

    @property
    def symbol(self) -> str:
        """The kernel's name in object code: unique and the same in every process."""
        return "nbk_" + hashlib.sha256(self.to_json().encode()).hexdigest()[:32]


_MOST_TEXTS: Final = 1 << 16  # programs that keep making new structures must not pile up texts for ever
_texts: dict[KernelText, KernelText] = {}


def intern(text: KernelText) -> KernelText:
    """The object that stands for all texts equal to ``text``: look-ups by text are look-ups by identity."""
    if len(_texts) >= _MOST_TEXTS:
        _texts.clear()
    return _texts.setdefault(text, text)


def _loop_text(*parts: Any) -> KernelText:
    *loop, is_draft = parts
    make: Any = KernelText
    return intern(make(*loop, is_draft=is_draft))


# Most loops without a finish have a text that is known: finding it takes a tenth of the time of making it.
loop_text: Final = lru_cache(maxsize=_MOST_TEXTS)(_loop_text)


@lru_cache(maxsize=1024)  # a kernel on its way into memory is asked for it up to five times
def _json(text: KernelText) -> str:
    return json.dumps(text._parts(), separators=(",", ":"))


def _stage(stmts: Any, stores: Any, reductions: Any, finish: Any, finish_stores: Any) -> Stage:
    """A stage out of a kernel's text."""
    folds = tuple(Reduction(op, tuple(args), tuple(outs), across) for op, args, outs, across in reductions)
    return Stage(_stmts(stmts), _tuples(stores), folds, _stmts(finish), _tuples(finish_stores))


def _stmts(rows: Any) -> tuple[Stmt, ...]:
    return tuple(Stmt(op, tuple(args), _tuples(params), dtype) for op, args, params, dtype in rows)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
