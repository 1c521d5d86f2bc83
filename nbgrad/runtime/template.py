"""Templates: the tape of one small graph, made once, and pasted wherever that graph occurs.

A structure never seen has no time for passes. Its tape is put together from templates, as a linker puts object files
together: each occurrence of a call, and of a call's derivative, is one template and the slots it works on.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Final

import numpy as np

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node
from nbgrad.kernels.records import WORD
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.layout import ROW_WORDS
from nbgrad.runtime.store import store
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lower import lower
from nbgrad.tape.numbers import CODES

NUMBER_DTYPES: Final = [by_name(name) for name in CODES]  # by their code in a template
TABLES: Final = 5  # of a template: rows, words, relocs, terms, numbers


class Template:
    """A lowered graph: tape rows, descriptor words, relocs and terms, all relative to where it is pasted.

    ``write`` gives the address of its words (``TEMPLATE_ROWS`` and on, see layout). Its places: the inputs, the
    first output (the others follow), its part of the arena, its part of the block of numbers. Before it runs,
    ``enter_kernels`` has to put the addresses of its kernels there.
    """

    __slots__ = ("_consts", "_sizes", "_tape", "_words")

    def __init__(self, roots: Sequence[Node], n_inputs: int) -> None:
        canonical = canonicalize(roots)
        self._tape = lower(canonical, one_by_one(canonical), padded=True)
        self._sizes = n_inputs, len(roots), *[r.spec.block_bytes for r in roots]
        self._words = array("q")
        self._consts: Buffer | None = None

    @property
    def kernels(self) -> list[KernelText]:
        """What it needs."""
        return [i.text for i in self._tape.instructions]

    def enter_kernels(self) -> None:
        """Make what kernels are missing; several templates had better have theirs made together before."""
        at = TABLES * 2 + 1 + len(self._sizes)  # the rows come first
        for kernel in store.addresses(self.kernels):
            self._words[at] = kernel
            at += ROW_WORDS

    def write(self) -> int:
        """Write its words: those of the record, then its tables."""
        tape, n_inputs = self._tape, self._sizes[0]
        places = [(p, 0) for p in tape.input_positions]
        places += [(n_inputs, k) for k in range(len(tape.out_bytes))]
        places += [(n_inputs + 1, 0), (n_inputs + 2, 0)]
        rows = [(0, i.at, i.items, i.chunk, i.cost, i.flags) for i in tape.instructions]
        relocs = [(word, *places[slot], offset) for word, slot, offset in tape.relocs]
        numbers = [(position, NUMBER_DTYPES.index(dtype)) for position, dtype in tape.scalars]
        tables = [*chain(*rows)], tape.words, [*chain(*relocs)], [*chain(*tape.terms)], [*chain(*numbers)]
        counts = len(rows), len(tape.words), len(relocs), len(tape.terms), len(numbers)
        head = [word for count in counts for word in (0, count)]
        head += ((tape.arena_bytes + 63) & -64, *self._sizes)
        words = self._words = array("q", chain(head, *tables))
        start = words.buffer_info()[0]
        starts = [*accumulate(map(len, tables), initial=len(head))]
        words[: 2 * TABLES : 2] = array("q", [start + WORD * at for at in starts[:TABLES]])
        if tape.const_words:
            self._consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
            for word in tape.const_words:
                words[starts[1] + word] += self._consts.address
        return start
