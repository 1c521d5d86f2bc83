"""What a GPU's kernel may take for granted of an instruction, by its sizes and by where its operands lie.

On a GPU, numbers of 64 bits take two instructions to add and dozens to divide, so indices that fit 32 bits are worth a
kernel of their own; what nobody writes is loaded through a cache of its own. Traits are part of a kernel's text, and so
of its key. The CPU's kernels have none: there neither is faster.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.launch import SCATTER_LENGTH
from nbgrad.passes.group import NO_DONATIONS
from nbgrad.tape.kernel import APART, NARROW, SCANS, SCATTERS, UNORDERED, KernelText
from nbgrad.tape.product_words import PRODUCT_WORDS, first_matrix, first_term, term_words
from nbgrad.tape.tape import Instruction, Tape

STRIDED: Final = ("map", "row", "column", "scatter_rows", "scatter_rows_of_zeros")  # forms whose operands have strides
ADDING: Final = ("scatter_add", "scatter_rows")
LEAST_ATOMIC: Final = 4  # bytes that a GPU adds at once, whoever else does
MOST: Final = 2**31 - 1
MARGIN: Final = 1 << 11  # how far the last step of a loop may go beyond its end
WRITTEN: Final = ("out", "scatter")  # roles of operands

Place = tuple[int, int]  # a slot, and the offset in it


def for_gpu(tape: Tape, deterministic: bool = True, donations: Mapping[int, int] = NO_DONATIONS) -> Tape:
    """``tape`` with the traits of its instructions.

    ``deterministic``: sums through indices have the same bits each time. ``donations`` are (result, input) where a run
    may be given the input's memory for the result; besides, only temporaries share any.
    """
    own = _shared_slots(tape, donations)
    places = {word: (own.get(slot, slot), offset) for word, slot, offset in tape.relocs}
    moving = {word for word, *_ in tape.terms}
    instructions = [
        i._replace(text=with_traits(i.text, traits))
        for i in tape.instructions
        for traits in [
            (
                *_narrow(i, tape.words, moving),
                *_apart(i, places),
                *(() if deterministic else _unordered(i)),
            )
        ]
    ]
    return dataclasses.replace(tape, instructions=instructions)


def _shared_slots(tape: Tape, donations: Mapping[int, int]) -> dict[int, int]:
    """The slots of results that may be an input's memory, and that input's slot."""
    slots = {position: slot for slot, position in enumerate(tape.input_positions)}
    return {len(slots) + result: slots[i] for result, i in donations.items() if i in slots}


@lru_cache(maxsize=4096)
def with_traits(text: KernelText, traits: tuple[str, ...]) -> KernelText:
    """The kernel that takes ``traits`` for granted."""
    return dataclasses.replace(text, traits=traits) if traits != text.traits else text


def _narrow(i: Instruction, words: Sequence[int], moving: Collection[int]) -> tuple[str, ...]:
    form = i.text.form
    if form in STRIDED:
        numbers = i.text.numbers
        fits = indices_fit(words[i.at : i.at + i.text.dims], [words[i.at + k] for k in numbers])
    elif form in _LIBRARY:
        numbers, elements = _LIBRARY[form](i, words)
        largest = max([by_name(o.dtype).itemsize for o in i.text.operands])
        fits = indices_fit([elements], [elements * largest])
    else:
        return ()
    is_fixed = not any(i.at + k in moving for k in numbers)
    return (NARROW,) if is_fixed and fits else ()


Counted = tuple[list[int], int]  # the words that are counts, and of how many elements the longest loop can be


def _scan(i: Instruction, words: Sequence[int]) -> Counted:
    length, inner = words[i.at : i.at + 2]
    return [0, 1], i.items * length * inner


def _order(i: Instruction, words: Sequence[int]) -> Counted:
    return [0, 1], 2 * i.items * words[i.at]


def _scatter(i: Instruction, words: Sequence[int]) -> Counted:
    counts = [0, SCATTER_LENGTH]
    return counts, max([words[i.at + k] for k in counts])


def _product(i: Instruction, words: Sequence[int]) -> Counted:
    rank = i.text.rank
    sizes = [0, 1, *range(len(PRODUCT_WORDS), first_matrix(rank))]
    terms = words[i.at + PRODUCT_WORDS.index("terms")]
    lengths = [first_term(rank) + term * term_words(rank) for term in range(terms)]
    return [*sizes, *lengths], max(prod([words[i.at + k] for k in sizes]), *[words[i.at + k] for k in lengths])


_LIBRARY: Final[dict[str, Callable[[Instruction, Sequence[int]], Counted]]] = {
    **dict.fromkeys(SCANS, _scan),
    "gemm": _product,
    "order": _order,
    **dict.fromkeys(SCATTERS, _scatter),
}


def indices_fit(sizes: Sequence[int], numbers: Sequence[int]) -> bool:
    """Whether loops over all elements count in 32 bits, and none of the descriptor's ``numbers`` needs more."""
    step = max(sizes, default=0) + MARGIN
    return prod(sizes) + step <= MOST and all(abs(number) + MARGIN <= MOST for number in numbers)


def _apart(i: Instruction, places: Mapping[int, Place]) -> tuple[str, ...]:
    if i.text.form not in STRIDED:
        return ()
    read: set[Place | None] = set()
    written: set[Place | None] = set()
    for word, operand in zip(i.text.addresses, i.text.operands, strict=True):
        (written if operand.role in WRITTEN else read).add(places.get(i.at + word))
    return (APART,) if not (read & written) - {None} else ()


def _unordered(i: Instruction) -> tuple[str, ...]:
    if i.text.form not in ADDING:
        return ()
    written = next(o for o in i.text.operands if o.role in WRITTEN)
    return (UNORDERED,) if by_name(written.dtype).itemsize >= LEAST_ATOMIC else ()
