"""Templates: the tape of one small graph, made once, and pasted wherever that graph occurs.

A structure never seen has no time for passes. Its tape is put together from templates, as a linker puts object files
together: each occurrence of a call, and of a call's derivative, is one template and the slots it works on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.buffers import Array, Buffer, address_of
from nbgrad.runtime.executable import rows_of, words_of
from nbgrad.runtime.store import store
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lower import lower
from nbgrad.tape.numbers import CODES

NUMBER_DTYPES: Final = [by_name(name) for name in CODES]  # by their code in a template


class Template:
    """A lowered graph: tape rows, descriptor words, relocs and terms, all relative to where it is pasted.

    ``write`` gives the address of its words (``TEMPLATE_ROWS`` and on, see layout). Its places: the inputs, the
    first output (the others follow), its part of the arena, its part of the block of numbers. Before it runs,
    ``enter_kernels`` has to put the addresses of its kernels there.
    """

    __slots__ = ("_keep", "_rows", "_sizes", "_tape")

    def __init__(self, roots: Sequence[Node], n_inputs: int) -> None:
        canonical = canonicalize(roots)
        self._tape = lower(canonical, one_by_one(canonical), padded=True)
        self._sizes = n_inputs, len(roots), *[r.spec.block_bytes for r in roots]
        self._keep: tuple[Any, ...] = ()

    @property
    def kernels(self) -> list[KernelText]:
        """What it needs."""
        return [i.text for i in self._tape.instructions]

    def enter_kernels(self) -> None:
        """Make what kernels are missing; several templates had better have theirs made together before."""
        self._rows[:, 0] = store.addresses(self.kernels)

    def write(self) -> int:
        """Write its words."""
        tape, n_inputs = self._tape, self._sizes[0]
        consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        places = [(p, 0) for p in tape.input_positions]
        places += [(n_inputs, k) for k in range(len(tape.out_bytes))]
        places += [(n_inputs + 1, 0), (n_inputs + 2, 0)]
        self._rows: Array = rows_of(tape, [0] * len(tape.instructions))
        tables: list[Array] = [
            self._rows,
            words_of(tape, consts.address),
            np.array([(word, *places[slot], offset) for word, slot, offset in tape.relocs], np.int64),
            np.array(tape.terms, np.int64),
            np.array([(position, NUMBER_DTYPES.index(dtype)) for position, dtype in tape.scalars], np.int64),
        ]
        head: list[int] = []
        for table in tables:
            head += (address_of(table), len(table))
        head += ((tape.arena_bytes + 63) & -64, *self._sizes)
        words = np.array(head, np.int64)
        self._keep = consts, tables, words
        return address_of(words)
