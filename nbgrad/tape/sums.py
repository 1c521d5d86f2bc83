"""Sums of matrix products: instructions of which each adds to what the one before made become one.

The gradient of a weight that is used again and again is such a sum. Its products are added while they are written, and
the sum goes to memory once for several of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.dtypes import by_name
from nbgrad.ops.library import CROWDED_BYTES
from nbgrad.tape.block import ARENA, Block
from nbgrad.tape.build import InPlace, TapeBuilder, Use
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
from nbgrad.tape.tape import SPLIT, Instruction
from nbgrad.tape.tiles import cut_of

MOST_TERMS: Final = 8  # all their factors are to be in the second cache when the last one is there
_WORD: Final = {name: i for i, name in enumerate(PRODUCT_WORDS)}
_TERM_WORD: Final = {name: i for i, name in enumerate(TERM_WORDS)}


def join_sums(t: TapeBuilder) -> None:
    """Have the last of several products that add to each other's sums do the work of all.

    Needs: a tape whose memory is not planned yet.   Gives: sums of up to MOST_TERMS products as one instruction.
    Keeps: values bit for bit, the order of all other instructions.   Cost: one walk, O(words) where sums were found.
    """
    if not t.padded:
        chains = _chains(t)
        if chains:
            _Joined(t, chains).write()


class _Sum(NamedTuple):
    """The matrices of a product's descriptor: their words, and for each that is there its block and offset."""

    head: list[int]  # m, n, and the sizes of the batch
    strides: tuple[list[int], ...]  # of x, y and c: from row to row, then along the batch
    places: tuple[tuple[Block, int] | None, ...]
    adds: int


def _chains(t: TapeBuilder) -> dict[int, list[int]]:
    """By the last instruction of each sum those that it takes in, in order, itself included."""
    found: dict[int, list[int]] = {}
    sums: dict[int, _Sum] = {}
    makers: dict[Block | None, int] = {}  # by temporary the product that makes it
    users = Counter([block for use in t.uses for block in {*use.reads, *[ref.block for ref in use.writes]}])
    written: dict[Block | None, int] = {}  # by block the last instruction so far that writes it
    cuts = iter(t.relocs)
    reloc = next(cuts, None)
    for j, instruction in enumerate(t.instructions):
        end = t.instructions[j + 1].at if j + 1 < len(t.instructions) else len(t.words)
        own: dict[int, tuple[Block, int]] = {}
        while reloc is not None and reloc[0] < end:
            own[reloc[0]] = reloc[1:]
            reloc = next(cuts, None)
        if instruction.text.form == "gemm":
            new = sums[j] = _sum_of(t, instruction, own)
            source = new.places[0]
            i = None if source is None or users[source[0]] != 2 else makers.get(source[0])
            if i is not None:
                chain = found.get(i, [i])
                is_there = all(written.get(block, -1) < k for k in chain for block in t.uses[k].reads)
                if is_there and len(chain) < MOST_TERMS and _continues(t, i, j, sums):
                    found.pop(i, None)
                    found[j] = [*chain, j]
            result = new.places[2]
            if result is not None and result[0].slot == ARENA:
                makers[result[0]] = j
        for ref in t.uses[j].writes:
            written[ref.block] = j
    return found


def _sum_of(t: TapeBuilder, instruction: Instruction, own: dict[int, tuple[Block, int]]) -> _Sum:
    at, rank = instruction.at, instruction.text.rank
    matrices = at + first_matrix(rank)
    sizes = t.words[at + len(PRODUCT_WORDS) : matrices]
    strides, places = [], []
    for i, name in enumerate(MATRICES):
        address = matrices + i * (1 + rank)
        strides.append([t.words[at + _WORD[f"{name}_row"]], *t.words[address + 1 : address + 1 + rank]])
        places.append(own.get(address))
    return _Sum([*t.words[at : at + 2], *sizes], tuple(strides), tuple(places), t.words[at + _WORD["adds"]])


def _continues(t: TapeBuilder, i: int, j: int, sums: dict[int, _Sum]) -> bool:
    """Whether product ``j`` adds to what ``i`` makes, element by element."""
    before, after = sums[i], sums[j]
    if before.adds & ADDS_LAST or not after.adds & ADDS_FIRST or t.instructions[i].text != t.instructions[j].text:
        return False
    return (before.head, before.strides[2], before.places[2]) == (after.head, after.strides[0], after.places[0])


class _Joined:
    """The same tape with each chain as one instruction, in the place of its last."""

    def __init__(self, t: TapeBuilder, chains: dict[int, list[int]]) -> None:
        self.t = t
        self.chains = chains
        self.gone = {i: chain[-1] for chain in chains.values() for i in chain[:-1]}
        self.made = {ref.block for i in self.gone for ref in t.uses[i].writes}  # sums that are never in memory
        self.place: list[int] = []  # of each instruction; of those that are gone that of their chain's last
        now = 0
        for i in range(len(t.instructions)):
            self.place.append(now)
            now += i not in self.gone
        for i, j in self.gone.items():
            self.place[i] = self.place[j]
        self.words: list[int] = []
        self.pieces: list[tuple[int, int, int]] = []  # words of the old tape: from, to, and where they are now

    def write(self) -> None:
        """Put it in the place of the old one."""
        t, before = self.t, self.t.instructions
        ends = [*[i.at for i in before[1:]], len(t.words)]
        t.instructions = []
        for j, (instruction, end) in enumerate(zip(before, ends, strict=True)):
            if j in self.gone:
                continue
            at = len(self.words)
            if j in self.chains:
                instruction = self._sum(before, self.chains[j])
            else:
                self._take(instruction.at, end)
            t.instructions.append(instruction._replace(at=at))
        self._move_words()
        self._move_lives()
        t.words = self.words

    def _take(self, start: int, stop: int) -> None:
        """These words of the old tape come next."""
        self.pieces.append((start, stop, len(self.words)))
        self.words += self.t.words[start:stop]

    def _sum(self, before: Sequence[Instruction], chain: Sequence[int]) -> Instruction:
        words, parts = self.t.words, [before[i] for i in chain]
        first, last = parts[0], parts[-1]
        rank, at = last.text.rank, len(self.words)
        matrix, term = first_matrix(rank), first_term(rank)
        self._take(last.at, last.at + matrix)
        self._take(first.at + matrix, first.at + matrix + 1 + rank)
        self._take(last.at + matrix + 1 + rank, last.at + term)
        for part in parts:
            self._take(part.at + term, part.at + term + term_words(rank))
        dtype = by_name(last.text.operands[0].dtype)
        terms = [words[part.at + term : part.at + term + len(TERM_WORDS)] for part in parts]
        lefts = [(values[_TERM_WORD["a_row"]], values[_TERM_WORD["a_k"]]) for values in terms]
        is_crowded = any(row == dtype.itemsize and column % CROWDED_BYTES == 0 for row, column in lefts)
        m, n = words[last.at : last.at + 2]
        batch = prod(words[last.at + len(PRODUCT_WORDS) : last.at + matrix])
        cut = cut_of(m, n, sum([values[_TERM_WORD["k"]] for values in terms]), batch, dtype, is_crowded)
        adds = words[first.at + _WORD["adds"]] & ADDS_FIRST | words[last.at + _WORD["adds"]] & ADDS_LAST
        new = {"tile_m": cut.rows, "tile_n": cut.columns, "adds": adds, "terms": len(parts)}
        new["x_row"] = words[first.at + _WORD["x_row"]]
        for name, value in new.items():
            self.words[at + _WORD[name]] = value
        flags = last.flags & ~SPLIT | (SPLIT if cut.items > 1 else 0)
        nodes = tuple([node for part in parts for node in part.nodes])
        return last._replace(items=cut.items, cost=cut.cost, flags=flags, nodes=nodes)

    def _move_words(self) -> None:
        """What stands in words: addresses, run-time numbers, constants."""
        t = self.t
        relocs, terms, consts = t.relocs, t.terms, t.const_words
        reloc_words, number_words = [word for word, *_ in relocs], [word for word, *_ in terms]
        t.relocs, t.terms, t.const_words = [], [], []
        for start, stop, to in self.pieces:
            by = to - start
            for word, block, offset in relocs[bisect_left(reloc_words, start) : bisect_left(reloc_words, stop)]:
                t.relocs.append((word + by, block, offset))
            for word, number, factor in terms[bisect_left(number_words, start) : bisect_left(number_words, stop)]:
                t.terms.append((word + by, number, factor))
            t.const_words += [word + by for word in consts[bisect_left(consts, start) : bisect_left(consts, stop)]]

    def _move_lives(self) -> None:
        """What instructions use, when, and what they may write over."""
        t, place, made = self.t, self.place, self.made
        t.in_place = [moved for offer in t.in_place if (moved := self._moved(offer)) is not None]
        uses = t.uses
        late: dict[Block, int] = {}  # what sums read later than before
        t.uses = []
        for j, use in enumerate(uses):
            if j in self.chains:
                reads = [block for i in self.chains[j] for block in uses[i].reads if block not in made]
                late.update(dict.fromkeys(reads, place[j]))
                t.uses.append(Use(reads, use.writes))
            elif j not in self.gone:
                t.uses.append(use)
        t.temporaries = [block for block in t.temporaries if block not in made]
        for block in t.temporaries:
            block.born = place[block.born]
            block.last = max(place[block.last], late.get(block, 0))

    def _moved(self, offer: InPlace) -> InPlace | None:
        """The offer by the new tape's count; None where it holds no more."""
        at, out, into = offer
        chain = self.chains.get(self.gone.get(at, at))
        if chain is None:
            return InPlace(self.place[at], out, into)
        uses = self.t.uses
        factors = [block for i in chain for block in uses[i].reads].count(into)
        if at != chain[0] or factors != 1:
            return None  # a bias is still read when the first product is written
        return InPlace(self.place[at], uses[chain[-1]].writes[0].block or out, into)
