"""Stamps: the tape of one small graph, made once, and pasted wherever that graph occurs.

A structure never seen has no time for passes. Its tape is put together from stamps, as a linker puts object files
together: each occurrence of a call, and of a call's derivative, is one stamp and the slots it works on.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad.graph.node import Node
from nbgrad.graph.spec import Spec
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import rows_of, words_of
from nbgrad.runtime.layout import OFFSET, ROW_WORDS
from nbgrad.runtime.runner import run_once
from nbgrad.runtime.store import store
from nbgrad.tape.lower import lower
from nbgrad.tape.numbers import WORD, pack_into, packer

Array = np.ndarray[Any, np.dtype[Any]]


class Stamp:
    """A lowered graph: tape rows, descriptor words, relocations and terms, all relative to where it is pasted.

    A pasted stamp finds its memory through a row of slots: its inputs, its first output (the others follow), then,
    where ``has_memory``, its arena and its block of numbers. Relocs are (word, place in
    that row, slots to add, byte offset).
    """

    __slots__ = ("arena_bytes", "consts", "has_memory", "numbers", "scalar_dtypes", "sizes", "tables", "terms")

    def __init__(self, roots: Sequence[Node], n_inputs: int) -> None:
        canonical = canonicalize(roots)
        tape = lower(canonical, one_by_one(canonical), padded=True)
        self.consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        rows = rows_of(tape, store.addresses([i.text for i in tape.instructions]))
        words = words_of(tape, self.consts.address)
        self.arena_bytes = (tape.arena_bytes + 63) & -64
        self.numbers = [position for position, _ in tape.scalars]
        self.scalar_dtypes = [dtype for _, dtype in tape.scalars]
        self.has_memory = bool(self.arena_bytes or self.numbers)
        places = [(p, 0) for p in tape.input_positions]
        places += [(n_inputs, k) for k in range(len(tape.out_bytes))]
        places += [(n_inputs + 1, 0), (n_inputs + 2, 0)]
        relocs = [(word, *places[slot], offset) for word, slot, offset in tape.relocs]
        # As bytes: joining a hundred of them is ten times faster than concatenating a hundred small arrays.
        tables = rows, words, np.array(relocs, np.int64)
        row_length = n_inputs + 1 + 2 * self.has_memory
        self.sizes = struct.pack("=4q", len(rows), len(words), len(relocs), row_length)
        self.tables = tuple([t.tobytes() for t in tables])
        self.terms = np.array(tape.terms, np.int64).reshape(-1, 3)


class Sheet:
    """What is pasted one after another: the stamps, their rows of slots, and which of them read numbers from where.

    ``specs[slot]`` is what each slot holds. ``numbered`` has (stamp's place, place in ``slots``, where its numbers
    stand in the run's list) of the stamps with memory of their own.
    """

    __slots__ = ("numbered", "slots", "specs", "stamps")

    def __init__(self) -> None:
        self.stamps: list[Stamp] = []
        self.slots: list[int] = []
        self.specs: list[Spec] = []
        self.numbered: list[tuple[int, int, Sequence[int]]] = []

    def paste(self, stamp: Stamp | None, outputs: Sequence[Spec], inputs: Sequence[int], numbers: Sequence[int]) -> int:
        """Paste ``stamp`` (if any) on inputs in these slots; the slot of its first output."""
        specs = self.specs
        first = len(specs)
        if stamp is not None:
            specs += outputs
            slots = self.slots
            slots += inputs
            slots.append(first)
            if stamp.has_memory:
                self.numbered.append((len(self.stamps), len(slots), numbers))
                slots += (0, 0)
            self.stamps.append(stamp)
        return first

    def run(self, bases: list[int], scalars: Sequence[float | int]) -> None:
        """Link and run once; slot k lies at ``bases[k]``. Raises ``InstructionFailed``."""
        stamps = self.stamps
        if not stamps:
            return
        values: list[float | int] = []
        dtypes: list[Any] = []
        before: list[int] = []
        n_bases, arena = len(bases), 0
        for i, place, numbers in self.numbered:
            stamp = stamps[i]
            self.slots[place : place + 2] = len(bases), len(bases) + 1
            bases += (arena, WORD * len(values))
            before.append(len(values))
            arena += stamp.arena_bytes
            values += [scalars[numbers[p]] for p in stamp.numbers]
            dtypes += stamp.scalar_dtypes
        memory, block = Buffer.alloc(arena), Buffer.alloc(WORD * len(values))
        own = np.array(bases, np.int64)
        own[n_bases::2] += memory.address
        own[n_bases + 1 :: 2] += block.address
        if values:
            view: Any = block.array((WORD * len(values),), np.uint8)
            pack_into(packer(dtypes), dtypes, memoryview(view), values)
        row_counts, word_counts, reloc_counts, lengths = _joined([s.sizes for s in stamps]).reshape(-1, 4).T
        starts, places = word_counts.cumsum() - word_counts, lengths.cumsum() - lengths
        rows, desc, relocs = [_joined([s.tables[k] for s in stamps]) for k in range(3)]
        rows, (words, where, more, offsets) = rows.reshape(-1, ROW_WORDS), relocs.reshape(-1, 4).T
        rows[:, OFFSET] += starts.repeat(row_counts)
        slots = np.array(self.slots, np.int64)[where + places.repeat(reloc_counts)] + more
        desc[words + starts.repeat(reloc_counts)] = own[slots] + offsets
        for (i, _, _), first in zip(self.numbered, before, strict=True):
            terms = stamps[i].terms
            if len(terms):
                numbers_here = block.array((len(values),), np.int64)[terms[:, 1] + first]
                np.add.at(desc, terms[:, 0] + starts[i], numbers_here * terms[:, 2])
        run_once(rows, desc)


def _joined(tables: list[bytes]) -> Array:
    return np.frombuffer(bytearray().join(tables), np.int64)
