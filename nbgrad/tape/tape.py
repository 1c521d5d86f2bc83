"""The tape: flat data that the runner walks. Printing it is the disassembler, see ``nbgrad/tape/show.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nbgrad.graph.dtypes import DType
from nbgrad.graph.geometry import Terms
from nbgrad.graph.node import Node
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.work import SPLIT


class Instruction(NamedTuple):
    """One kernel call: its text, where its descriptor starts, how its items are dealt out, the nodes it computes.

    Of those a finished tape has what an error says: operators and the user's lines.
    """

    text: KernelText
    at: int
    items: int
    chunk: int
    cost: int  # picoseconds an item, an estimate
    flags: int
    nodes: tuple[Node, ...]

    @property
    def splits(self) -> bool:
        return self.flags & SPLIT != 0


class StartBounds(NamedTuple):
    """The sum of ``terms`` over the run's numbers lies in [lowest, highest], or the slice ``node`` leaves its array."""

    terms: Terms
    lowest: int
    highest: int
    node: Node


class Life(NamedTuple):
    """A temporary value: how large, by which instruction it is written first, by which it is used last."""

    nbytes: int
    born: int
    last: int


@dataclass(frozen=True, slots=True)
class Tape:
    """A program without machine code: instructions, descriptor template, and what binds it to a run's memory.

    Bases of a run: the inputs at ``input_positions``, one buffer per output, the arena, the block of scalar words.
    ``relocs`` are (word, base slot, byte offset), ``terms`` (word, scalar word, coefficient), as the runner takes them.
    """

    instructions: list[Instruction]
    words: list[int]
    relocs: list[tuple[int, int, int]]
    terms: list[tuple[int, int, int]]
    const_words: list[int]  # descriptor words that hold an offset into ``consts`` and get its address added
    consts: bytes
    scalars: list[tuple[int, DType]]  # (position, dtype) of each scalar word
    starts: list[StartBounds]
    input_positions: list[int]
    out_bytes: list[int]
    arena_bytes: int
    lives: list[Life]  # of the temporaries in the arena, but for small ones
    donations: list[tuple[int, int]]  # (result, input) that may be one memory
    parted: list[tuple[int, int]]  # (result, input) that were to be, but must not
    commit: int  # the first instruction that then writes to memory of an input
    padded: bool  # made of per-operator kernels
    notes: list[str]  # what the user may want to know: copies that strides could not avoid

    @property
    def slots(self) -> int:
        return len(self.input_positions) + len(self.out_bytes) + 2
