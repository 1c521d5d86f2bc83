"""Rows of a few elements on a CPU, probabilities of few classes for one: kernels whose lanes lie along outputs.

Which instructions are such is known by their sizes and strides, which no kernel's text names; so it is decided when the
tape is there. Their descriptors stay as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from functools import lru_cache
from math import prod
from typing import Final

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.op import lookup
from nbgrad.tape.kernel import SHORT_ROW, SHORT_ROWS, STRIDE_ONE, STRIDE_OTHER, STRIDE_ZERO, KernelText, Operand
from nbgrad.tape.tape import Instruction, Tape
from nbgrad.tape.work import COSTLY, SPLIT, pieces_of

LEAST_OUTPUTS: Final = 16  # of an item: fewer would leave most lanes of the last vector idle
LEAST_ITEMS: Final = 64  # to put elements far apart side by side has to be worth the while
FEW: Final = 10  # elements far apart that are put side by side sooner than lanes of a row meet in a sum
ROLES: Final = frozenset(["in", "out", "late", "index", "scratch", "table"])
BLOCKS: Final = 3  # the last of a row's extra words: blocks of an output


def with_short_rows(tape: Tape) -> Tape:
    """``tape`` with kernels of the form "short_row" where rows are short and many. They give the same bits."""
    moving = {word for word, *_ in tape.terms}
    instructions = [_fitting(i, tape.words, moving) for i in tape.instructions]
    return dataclasses.replace(tape, instructions=instructions)


def _fitting(i: Instruction, words: Sequence[int], moving: Collection[int]) -> Instruction:
    """The instruction itself, or that of short rows."""
    text = i.text
    if not _is_possible(text):
        return i
    *outer, inner, length = words[i.at : i.at + text.dims]
    if not 1 <= length <= SHORT_ROW or inner < LEAST_OUTPUTS:
        return i
    if words[i.at + text.dims + BLOCKS] != 1 or any(i.at + word in moving for word in text.numbers):
        return i
    strides = [tuple(words[at + 1 : at + 1 + text.dims]) for at in [i.at + word for word in text.addresses]]
    operands = [_along_outputs(o, s, prod(outer)) for o, s in zip(text.operands, strides, strict=True)]
    if length > FEW and _only_adds(text) and any(o.role == "in" and o.stride == STRIDE_OTHER for o in operands):
        return i
    items, outputs = (prod(outer), inner) if outer else (-(-inner // SHORT_ROWS), SHORT_ROWS)
    chunk, flags = pieces_of(items, i.cost * outputs)
    short = _short_row(text, tuple(operands))
    return i._replace(text=short, items=items, chunk=chunk, cost=i.cost * outputs, flags=i.flags & ~SPLIT | flags)


@lru_cache(maxsize=4096)
def _is_possible(text: KernelText) -> bool:
    """Whether there is such a form of ``text``: it only folds elements along one dim, each row at once."""
    if text.form != "row" or text.rank < 1 or text.reduce_rank != 1:
        return False
    reductions = [r for _, stage in text.stages for r in stage.reductions]
    return not any(r.across for r in reductions) and all(o.role in ROLES for o in text.operands)


@lru_cache(maxsize=4096)
def _only_adds(text: KernelText) -> bool:
    """Whether there is so little to do with elements that to have them at hand is most of the work."""
    cheap = all(lookup(stmt.op).cost < COSTLY for stmt in text.stmts)
    return cheap and not text.then and all(r.op in ("sum", "prod") for r in text.reductions)


def _along_outputs(operand: Operand, strides: tuple[int, ...], items: int) -> Operand:
    """How an operand lies along the inner kept dim; one that is the same for all items is held, where it lies apart."""
    *outer, stride, _ = strides
    role = operand.role
    if role in ("scratch", "table"):
        return operand
    size = 1 if role == "index" else by_name(operand.dtype).itemsize
    kind = STRIDE_ZERO if stride == 0 else STRIDE_ONE if stride == size else STRIDE_OTHER
    is_held = role == "in" and kind == STRIDE_OTHER and items >= LEAST_ITEMS and not any(outer)
    return operand._replace(stride=kind, role="held" if is_held else role)


@lru_cache(maxsize=4096)
def _short_row(text: KernelText, operands: tuple[Operand, ...]) -> KernelText:
    return dataclasses.replace(text, form="short_row", operands=operands)
