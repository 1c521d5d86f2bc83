"""Stamps: the tape of one small graph, made once, and pasted wherever that graph occurs.

A structure never seen has no time for passes. Its tape is put together from stamps, as a linker puts object files
together: each occurrence of a call, and of a call's derivative, is one stamp and the slots it works on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from nbgrad.graph.node import Node
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

# One occurrence: the stamp, the slot of each input position, the slot of its first output (the others follow), and
# where its numbers stand in the run's list. A plain tuple: one is made for every operation of an unseen structure.
Pasted = tuple["Stamp", Sequence[int], int, Sequence[int]]


class Stamp:
    """A lowered graph: tape rows, descriptor words, relocations and terms, all relative to where it is pasted.

    Its own slots are: the inputs at ``positions``, one per output (``out_bytes``), its arena, its numbers.
    """

    __slots__ = ("arena_bytes", "consts", "n_outputs", "numbers", "pick", "scalar_dtypes", "sizes", "tables", "terms")

    def __init__(self, roots: Sequence[Node]) -> None:
        canonical = canonicalize(roots)
        tape = lower(canonical, one_by_one(canonical), padded=True)
        self.consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        rows = rows_of(tape, store.addresses([i.text for i in tape.instructions]))
        words = words_of(tape, self.consts.address)
        relocs = np.array(tape.relocs, np.int64).reshape(-1, 3)
        # As bytes: joining a hundred of them is ten times faster than concatenating a hundred small arrays.
        self.tables = rows.tobytes(), words.tobytes(), relocs.tobytes()
        self.sizes = len(rows), len(words), len(relocs)
        self.terms = np.array(tape.terms, np.int64).reshape(-1, 3)
        self.pick = _picker(tape.input_positions)
        self.n_outputs = len(tape.out_bytes)
        self.arena_bytes = (tape.arena_bytes + 63) & -64
        self.numbers = [position for position, _ in tape.scalars]
        self.scalar_dtypes = [dtype for _, dtype in tape.scalars]


def _picker(positions: Sequence[int]) -> Callable[[Sequence[int]], Sequence[int]]:
    """The function that picks the slots at ``positions`` out of an occurrence's inputs."""
    if not positions:
        return lambda inputs: ()
    if len(positions) == 1:
        only = positions[0]
        return lambda inputs: (inputs[only],)
    return itemgetter(*positions)


def run_pasted(code: Sequence[Pasted], bases: list[int], scalars: Sequence[float | int]) -> None:
    """Link ``code`` and run it once; slot k lies at ``bases[k]``. Raises ``InstructionFailed``."""
    if not code:
        return
    slots: list[int] = []
    places: list[int] = []  # where each occurrence's slots begin
    values: list[float | int] = []
    dtypes: list[Any] = []
    terms: list[tuple[int, Stamp, int]] = []  # (occurrence, its stamp, numbers before it)
    n_bases = len(bases)
    arena = 0
    for stamp, inputs, output, numbers in code:
        places.append(len(slots))
        slots += stamp.pick(inputs)
        slots.append(output) if stamp.n_outputs == 1 else slots.extend(range(output, output + stamp.n_outputs))
        if stamp.arena_bytes or stamp.numbers:
            slots += (len(bases), len(bases) + 1)
            bases += (arena, WORD * len(values))
            arena += stamp.arena_bytes
            if len(stamp.terms):
                terms.append((len(places) - 1, stamp, len(values)))
            values += [scalars[numbers[p]] for p in stamp.numbers]
            dtypes += stamp.scalar_dtypes
    memory, block = Buffer.alloc(arena), Buffer.alloc(WORD * len(values))
    own = np.array(bases, np.int64)
    own[n_bases::2] += memory.address
    own[n_bases + 1 :: 2] += block.address
    if values:
        view: Any = block.array((WORD * len(values),), np.uint8)
        pack_into(packer(dtypes), dtypes, memoryview(view), values)
    stamps = [p[0] for p in code]
    _, word_counts, reloc_counts = sizes = np.array([s.sizes for s in stamps], np.int64).T
    starts = np.cumsum(word_counts) - word_counts
    rows, desc, relocs = [_joined([s.tables[k] for s in stamps]) for k in range(3)]
    rows, relocs = rows.reshape(-1, ROW_WORDS), relocs.reshape(-1, 3)
    rows[:, OFFSET] += starts.repeat(sizes[0])
    where = relocs[:, 1] + np.array(places, np.int64).repeat(reloc_counts)
    desc[relocs[:, 0] + starts.repeat(reloc_counts)] = own[np.array(slots, np.int64)[where]] + relocs[:, 2]
    for i, stamp, before in terms:
        numbers = block.array((len(values),), np.int64)[stamp.terms[:, 1] + before]
        np.add.at(desc, stamp.terms[:, 0] + starts[i], numbers * stamp.terms[:, 2])
    run_once(rows, desc)


def _joined(tables: list[bytes]) -> Array:
    return np.frombuffer(bytearray().join(tables), np.int64)
