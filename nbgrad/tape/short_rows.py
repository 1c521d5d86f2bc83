"""Rows of a few elements on a CPU, all pairs of points of few dims for one: kernels whose lanes lie along outputs.

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
from nbgrad.tape.kernel import SHORT_ROW, STRIDE_ONE, STRIDE_OTHER, STRIDE_ZERO, KernelText, Operand
from nbgrad.tape.tape import SPLIT, Instruction, Tape, pieces_of

LEAST_OUTPUTS: Final = 16  # of an item: fewer would leave most lanes of the last vector idle
LEAST_ITEMS: Final = 64  # to put elements far apart side by side has to be worth the while
ROLES: Final = frozenset(["in", "out", "late"])
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
    items = prod(outer)
    if not 1 <= length <= SHORT_ROW or inner < LEAST_OUTPUTS or items < LEAST_ITEMS:
        return i
    if words[i.at + text.dims + BLOCKS] != 1 or any(i.at + word in moving for word in text.numbers):
        return i
    strides = [tuple(words[at + 1 : at + 1 + text.dims]) for at in [i.at + word for word in text.addresses]]
    operands = [_along_outputs(o, s) for o, s in zip(text.operands, strides, strict=True)]
    if any(o.role == "in" and o.stride == STRIDE_OTHER for o in operands):
        return i  # elements far apart, one by one
    cost, short = i.cost * inner, _short_row(text, tuple(operands))
    chunk, flags = pieces_of(items, cost)
    return i._replace(text=short, items=items, chunk=chunk, cost=cost, flags=i.flags & ~SPLIT | flags)


@lru_cache(maxsize=4096)
def _is_possible(text: KernelText) -> bool:
    """Whether there is such a form of ``text``: it only folds elements, each row at once."""
    if text.form != "row" or text.rank < 2 or text.reduce_rank != 1 or text.then or text.stores:
        return False
    return not any(r.across for r in text.reductions) and all(o.role in ROLES for o in text.operands)


def _along_outputs(operand: Operand, strides: tuple[int, ...]) -> Operand:
    """How an operand lies along the inner kept dim; one that is the same for all items is held, where it lies apart."""
    *outer, stride, _ = strides
    size = by_name(operand.dtype).itemsize
    kind = STRIDE_ZERO if stride == 0 else STRIDE_ONE if stride == size else STRIDE_OTHER
    is_held = operand.role == "in" and kind == STRIDE_OTHER and not any(outer)
    return operand._replace(stride=kind, role="held" if is_held else operand.role)


@lru_cache(maxsize=4096)
def _short_row(text: KernelText, operands: tuple[Operand, ...]) -> KernelText:
    return dataclasses.replace(text, form="short_row", operands=operands)
