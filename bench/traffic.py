"""How many bytes an instruction of a tape reads and writes at least, read off its descriptor.

Each element counts once, however often a kernel comes back to it: what it finds in cache is no traffic. Operands that
look at the same memory, as the neighbours of a stencil do, are read once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from nbgrad.graph.dtypes import by_name
from nbgrad.tape.kernel import EXTRA_WORDS, LOOPS
from nbgrad.tape.product_words import ADDS_FIRST, ADDS_LAST, PRODUCT_WORDS, TERM_WORDS, first_term, term_words
from nbgrad.tape.tape import Instruction, Tape

IN_MEMORY = ("in", "out", "guarded", "late", "held", "table")


class Extent(NamedTuple):
    """Which bytes an operand may touch, from the start of its base on, and how many of them."""

    base: int
    begin: int
    end: int
    nbytes: int


def traffic_of(tape: Tape) -> list[int | None]:
    """The bytes of each instruction; None for kernels that are neither loops nor products."""
    places = {word: (slot, offset) for word, slot, offset in tape.relocs}
    return [_traffic(tape, i, places) for i in tape.instructions]


def _traffic(tape: Tape, i: Instruction, places: dict[int, tuple[int, int]]) -> int | None:
    if i.text.form == "gemm":
        return _of_product(tape.words, i)
    return _of_loop(tape.words, i, places) if i.text.form in LOOPS else None


def _of_loop(words: Sequence[int], i: Instruction, places: dict[int, tuple[int, int]]) -> int:
    text = i.text
    n_dims = text.rank + text.reduce_rank
    sizes = words[i.at : i.at + n_dims]
    at = i.at + n_dims + (EXTRA_WORDS if text.reduce_rank else 0)
    kept = set(text.kept_operands)
    across = {out for _, stage in text.stages for r in stage.reductions if r.across for out in r.outs}
    written, reads = 0, list[Extent]()
    for k, operand in enumerate(text.operands):
        word = at + k * (1 + n_dims)
        if operand.role not in IN_MEMORY or word not in places:
            continue
        strides = words[word + 1 : word + 1 + n_dims]
        dims = list(zip(sizes, strides, strict=True))
        if operand.role == "table":  # it is not known which of its elements are asked for
            dims = [(min(strides[0], prod(sizes)), by_name(operand.dtype).itemsize)]
        elif k in kept:  # one element for each result
            dims = dims[: text.rank]
        elif k in across:  # one for each column and item
            dims = [(i.items, strides[0]), *dims[text.rank :]]
        extent = _extent(dims, *places[word], by_name(operand.dtype).itemsize)
        if operand.role == "out":
            written += extent.nbytes
        else:
            reads.append(extent)
    return written + read_bytes(reads)


def _extent(dims: Sequence[tuple[int, int]], base: int, offset: int, itemsize: int) -> Extent:
    """That of an operand with these (size, stride)."""
    ends = [(size - 1) * stride for size, stride in dims]
    begin, end = offset + sum([e for e in ends if e < 0]), offset + sum([e for e in ends if e > 0]) + itemsize
    return Extent(base, begin, end, itemsize * prod([size for size, stride in dims if stride]))


def read_bytes(reads: Sequence[Extent]) -> int:
    """The bytes of all, where those of one base that overlap count once."""
    by_base: dict[int, list[Extent]] = defaultdict(list)
    for extent in reads:
        by_base[extent.base].append(extent)
    total = 0
    for extents in by_base.values():
        begin = end = nbytes = 0
        for extent in sorted(extents):
            if extent.begin >= end:
                total += min(nbytes, end - begin)
                begin, end, nbytes = extent.begin, extent.end, extent.nbytes
            else:
                end, nbytes = max(end, extent.end), nbytes + extent.nbytes
        total += min(nbytes, end - begin)
    return total


def _of_product(words: Sequence[int], i: Instruction) -> int:
    """Factors, what is added, and the result, of all products of the batch."""
    rank = i.text.rank
    head = _named(PRODUCT_WORDS, words, i.at)
    m, n = head["m"], head["n"]
    elements = m * n * (1 + sum([head["adds"] & bit != 0 for bit in (ADDS_FIRST, ADDS_LAST)]))
    for k in range(head["terms"]):
        term = _named(TERM_WORDS, words, i.at + first_term(rank) + k * term_words(rank))
        elements += term["k"] * (m + n)
    at = i.at + len(PRODUCT_WORDS)
    return elements * prod(words[at : at + rank]) * by_name(i.text.operands[0].dtype).itemsize


def _named(names: Sequence[str], words: Sequence[int], at: int) -> dict[str, int]:
    return dict(zip(names, words[at : at + len(names)], strict=True))
