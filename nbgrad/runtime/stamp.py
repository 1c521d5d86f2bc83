"""Stamps: the tape of one small graph, made once, and pasted wherever that graph occurs.

A structure never seen has no time for passes. Its tape is put together from stamps, as a linker puts object files together:
each occurrence of a call, and of a call's derivative, is one stamp and the slots it works on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgrad.graph.node import Node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import rows_of, words_of
from nbgrad.runtime.runner import Program
from nbgrad.runtime.store import store
from nbgrad.tape.lower import lower
from nbgrad.tape.numbers import WORD, pack_into, packer

Array = np.ndarray[Any, np.dtype[Any]]


class Stamp:
    """A lowered graph: tape rows, descriptor words, relocations and terms, all relative to where it is pasted.

    Its own slots are: the inputs at ``positions``, one per output (``out_bytes``), its arena, its numbers.
    """

    __slots__ = (
        "arena_bytes",
        "consts",
        "numbers",
        "out_bytes",
        "positions",
        "relocs",
        "rows",
        "scalar_dtypes",
        "terms",
        "words",
    )

    def __init__(self, roots: Sequence[Node]) -> None:
        canonical = canonicalize(roots)
        tape = lower(canonical, one_by_one(canonical), padded=True)
        self.consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        self.rows = rows_of(tape, store.addresses([i.text for i in tape.instructions]))
        self.words = words_of(tape, self.consts.address)
        self.relocs = np.array(tape.relocs, np.int64).reshape(-1, 3)
        self.terms = np.array(tape.terms, np.int64).reshape(-1, 3)
        self.positions = tape.input_positions
        self.out_bytes = tape.out_bytes
        self.arena_bytes = tape.arena_bytes
        self.numbers = [position for position, _ in tape.scalars]
        self.scalar_dtypes = [dtype for _, dtype in tape.scalars]


class Pasted(NamedTuple):
    """One occurrence: the slot of each input position, of each output; where its numbers stand in the run's list."""

    stamp: Stamp
    inputs: Sequence[int]
    outputs: Sequence[int]
    numbers: Sequence[int]


def run_pasted(code: Sequence[Pasted], bases: list[int], scalars: Sequence[float | int]) -> None:
    """Link ``code`` and run it once; slot k lies at ``bases[k]``. Raises ``InstructionFailed``."""
    if not code:
        return
    slots: list[int] = []
    values: list[float | int] = []
    dtypes: list[Any] = []
    counts = np.empty((len(code), 4), np.int64)  # words, slots, numbers and arena bytes before each occurrence
    n_words = arena = 0
    n_bases = len(bases)
    for i, (stamp, inputs, outputs, numbers) in enumerate(code):
        counts[i] = n_words, len(slots), len(values), 0
        slots += [inputs[p] for p in stamp.positions]
        slots += outputs
        slots += (n_bases + 2 * i, n_bases + 2 * i + 1)
        bases += (arena, WORD * len(values))
        values += [scalars[numbers[p]] for p in stamp.numbers]
        dtypes += stamp.scalar_dtypes
        n_words += len(stamp.words)
        arena += (stamp.arena_bytes + 63) & -64
    memory, block = Buffer.alloc(arena), Buffer.alloc(WORD * len(values))
    own = np.array(bases, np.int64)
    own[n_bases::2] += memory.address
    own[n_bases + 1 :: 2] += block.address
    if values:
        pack_into(packer(dtypes), dtypes, _bytes_of(block, WORD * len(values)), values)
    program = _linked(code, counts, np.array(slots, np.int64), len(own), WORD * len(values))
    program.run(own.tolist(), block.address)


def _bytes_of(block: Buffer, size: int) -> memoryview:
    return memoryview(block.array((size,), np.uint8))  # type: ignore[arg-type]


def _linked(code: Sequence[Pasted], counts: Array, slots: Array, n_slots: int, scalar_bytes: int) -> Program:
    stamps = [pasted.stamp for pasted in code]
    rows = np.concatenate([s.rows for s in stamps])
    rows[:, 1] += np.repeat(counts[:, 0], [len(s.rows) for s in stamps])
    relocs = np.concatenate([s.relocs for s in stamps])
    times = [len(s.relocs) for s in stamps]
    relocs[:, 0] += np.repeat(counts[:, 0], times)
    relocs[:, 1] = slots[relocs[:, 1] + np.repeat(counts[:, 1], times)]
    terms = np.concatenate([s.terms for s in stamps])
    times = [len(s.terms) for s in stamps]
    terms[:, 0] += np.repeat(counts[:, 0], times)
    terms[:, 1] += np.repeat(counts[:, 2], times)
    return Program(rows, np.concatenate([s.words for s in stamps]), relocs, terms, n_slots, scalar_bytes)
