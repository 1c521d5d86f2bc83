"""Sums of matrix products: instructions of which each adds to what the one before made become one.

The gradient of a weight that is used again and again is such a sum. Its products are added while they are written, and
the sum goes to memory once for several of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.dtypes import by_name
from nbgrad.ops.library import CROWDED_BYTES
from nbgrad.tape.block import ARENA, Block, Ref
from nbgrad.tape.build import Mention, Step, TapeBuilder
from nbgrad.tape.product_words import (
    ADDS_FIRST,
    ADDS_LAST,
    MATRICES,
    PRODUCT_WORDS,
    TERM_WORDS,
    first_matrix,
    first_term,
    term_words,
)
from nbgrad.tape.tiles import cut_of
from nbgrad.tape.work import SPLIT

MOST_TERMS: Final = 8  # all their factors are to be in the second cache when the last one is there
_WORD: Final = {name: i for i, name in enumerate(PRODUCT_WORDS)}
_TERM_WORD: Final = {name: i for i, name in enumerate(TERM_WORDS)}


def join_sums(t: TapeBuilder) -> None:
    """Have the last of several products that add to each other's sums do the work of all.

    Needs: a tape whose memory is not planned yet.   Gives: sums of up to MOST_TERMS products as one instruction.
    Keeps: values bit for bit, the order of all other instructions.   Cost: one walk.
    """
    chains = _chains(t)
    gone = {i for chain in chains.values() for i in chain[:-1]}
    joined = {j: _joined([t.steps[i] for i in chain]) for j, chain in chains.items()}
    t.steps = [joined.get(j, step) for j, step in enumerate(t.steps) if j not in gone]


class _Sum(NamedTuple):
    """The matrices of a product's descriptor: their words, and for each that is there its block and offset."""

    head: list[int]  # m, n, and the sizes of the batch
    strides: tuple[list[int], ...]  # of x, y and c: from row to row, then along the batch
    places: tuple[tuple[Block | None, int] | None, ...]
    adds: int


def _chains(t: TapeBuilder) -> dict[int, list[int]]:
    """By the last instruction of each sum those that it takes in, in order, itself included."""
    found: dict[int, list[int]] = {}
    if all(step.text.form != "gemm" for step in t.steps):
        return found
    sums: dict[int, _Sum] = {}
    makers: dict[Block | None, int] = {}  # by temporary the product that makes it
    reads, writes = [step.reads for step in t.steps], [[ref.block for ref in step.writes] for step in t.steps]
    # An instruction counts once for each place where it reads: what adds to a sum may also multiply it.
    users = Counter([block for used in zip(reads, writes, strict=True) for block in (*used[0], *used[1])])
    written: dict[Block | None, int] = {}  # by block the last instruction so far that writes it
    for j, step in enumerate(t.steps):
        if step.text.form == "gemm":
            new = sums[j] = _sum_of(step)
            source = new.places[0]
            i = None if source is None or users[source[0]] != 2 else makers.get(source[0])
            if i is not None:
                chain = found.get(i, [i])
                is_there = all(written.get(block, -1) < k for k in chain for block in reads[k])
                same = t.steps[i].text == step.text
                if is_there and len(chain) < MOST_TERMS and same and _continues(sums[i], new):
                    found.pop(i, None)
                    found[j] = [*chain, j]
            block = None if new.places[2] is None else new.places[2][0]
            if block is not None and block.slot == ARENA:
                makers[block] = j
        written.update(dict.fromkeys(writes[j], j))
    return found


def _sum_of(step: Step) -> _Sum:
    words, rank = step.words, step.text.rank
    own: dict[int, Ref] = {word: ref for word, ref, _ in step.mentions}
    matrices = first_matrix(rank)
    strides, places = [], []
    for i, name in enumerate(MATRICES):
        address = matrices + i * (1 + rank)
        strides.append([words[_WORD[f"{name}_row"]], *words[address + 1 : address + 1 + rank]])
        places.append((own[address].block, own[address].offset) if address in own else None)
    return _Sum(
        [*words[:2], *words[len(PRODUCT_WORDS) : matrices]], tuple(strides), tuple(places), words[_WORD["adds"]]
    )


def _continues(before: _Sum, after: _Sum) -> bool:
    """Whether a product adds to what another one makes, element by element."""
    if before.adds & ADDS_LAST or not after.adds & ADDS_FIRST:
        return False
    return (before.head, before.strides[2], before.places[2]) == (after.head, after.strides[0], after.places[0])


def _joined(parts: Sequence[Step]) -> Step:
    """One instruction that does what ``parts`` do, with the first matrix of the first and the results of the last."""
    first, last = parts[0], parts[-1]
    rank = last.text.rank
    matrix, term = first_matrix(rank), first_term(rank)
    pieces = [(last, 0, matrix), (first, matrix, matrix + 1 + rank), (last, matrix + 1 + rank, term)]
    pieces += [(part, term, term + term_words(rank)) for part in parts]
    words: list[int] = []
    mentions: list[Mention] = []
    for part, start, stop in pieces:
        by = len(words) - start
        words += part.words[start:stop]
        mentions += [m._replace(word=m.word + by) for m in part.mentions if start <= m.word < stop]
    dtype = by_name(last.text.operands[0].dtype)
    terms = [part.words[term : term + len(TERM_WORDS)] for part in parts]
    lefts = [(values[_TERM_WORD["a_row"]], values[_TERM_WORD["a_k"]]) for values in terms]
    is_crowded = any(row == dtype.itemsize and column % CROWDED_BYTES == 0 for row, column in lefts)
    batch = prod(words[len(PRODUCT_WORDS) : matrix])
    cut = cut_of(words[0], words[1], sum([values[_TERM_WORD["k"]] for values in terms]), batch, dtype, is_crowded)
    adds = first.words[_WORD["adds"]] & ADDS_FIRST | last.words[_WORD["adds"]] & ADDS_LAST
    new = {"tile_m": cut.rows, "tile_n": cut.columns, "adds": adds, "terms": len(parts)}
    for name, value in {**new, "x_row": first.words[_WORD["x_row"]]}.items():
        words[_WORD[name]] = value
    flags = last.flags & ~SPLIT | (SPLIT if cut.items > 1 else 0)
    nodes = tuple([node for part in parts for node in part.nodes])
    made = [block for part in parts[:-1] for ref in part.writes if (block := ref.block)]  # never in memory
    reads = Counter([block for part in parts for block in part.reads])
    # A bias is still read when the first product is written.
    offers = [
        (last.writes[0].block or out, into) for out, into in first.offers if reads[into] == 1 and into not in made
    ]
    return Step(last.text, cut.items, last.chunk, cut.cost, flags, nodes, words, mentions, offers)
