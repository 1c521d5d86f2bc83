"""A tape bound to machine code: give it the inputs' buffers and the numbers, get the results' buffers."""

from __future__ import annotations

import struct
import weakref
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, NoReturn, cast

import numpy as np

from nbgrad.graph.interpret import division_by_zero, index_out_of_range, matrix_refused, native_raised, no_probability
from nbgrad.graph.node import Node
from nbgrad.ops.linear_system import REFUSALS
from nbgrad.runtime.bound import Binding
from nbgrad.runtime.buffers import Buffer, Results
from nbgrad.runtime.references import any_held, held_bits
from nbgrad.runtime.runner import InstructionFailed, Program, Renewed, RunOver
from nbgrad.runtime.starts import Starts
from nbgrad.tape.kernel import DIVISION_BY_ZERO, NO_PROBABILITY, NO_TARGET, RAISED
from nbgrad.tape.numbers import WORD, pack_into, packer
from nbgrad.tape.tape import Tape
from nbgrad.tape.work import WAKE_PS

SMALL_ARENA: Final = 1 << 14  # bytes: what a program may hold on to, of 1024 programs that are kept
SMALL_RESULTS: Final = 1 << 13  # bytes of all results of a program: to make and drop a buffer costs 0.5 us
KEPT_RUNS: Final = 2  # what the last run gave is often read by the next one
# An arena, where it is small (a large one goes back to the pool each time); the words of the numbers, in two forms; the
# addresses of both, and the numbers that the words hold, where these never change.
_Memory = tuple[Buffer | None, Buffer, memoryview, tuple[int, int], Any]
DIVIDES = ("floor_divide", "trunc_divide", "remainder", "fmod")


class Executable:
    """One tape, ready to run, by several threads at once. ``addresses`` are those of the instructions' kernels."""

    __slots__ = (
        "_checked",
        "_consts",
        "_dtypes",
        "_idle",
        "_keeps",
        "_kept",
        "_pack",
        "_program",
        "_scalar_positions",
        "_starts",
        "_takes_all",
        "_used",
        "tape",
    )

    def __init__(self, tape: Tape, addresses: Sequence[int]) -> None:
        self.tape = tape
        self._consts = Buffer.from_numpy(np.frombuffer(tape.consts, np.uint8))
        self._used = picker(tape.input_positions)
        self._starts = Starts(tape.starts) if tape.starts else None
        self._dtypes = [dtype for _, dtype in tape.scalars]
        self._scalar_positions = [position for position, _ in tape.scalars]
        # How many numbers there are where a run takes all, in their order.
        self._takes_all = len(tape.scalars) if self._scalar_positions == list(range(len(tape.scalars))) else -1
        self._pack: struct.Struct | None = packer(self._dtypes) if tape.scalars else None
        self._idle: list[_Memory] = []  # what no run uses now
        self._kept: list[Results] = []  # of the last runs, where they are small
        self._keeps = sum(tape.out_bytes) <= SMALL_RESULTS
        self._checked: Any = None  # numbers, in a tuple, that are known to keep to the bounds
        self._program = Program(
            rows_of(tape, addresses),
            words_of(tape, self._consts.address),
            np.array(tape.relocs, np.int64),
            np.array(tape.terms, np.int64).reshape(-1, 3),
            tape.slots,
            WORD * len(tape.scalars),
            tape.commit,
        )

    def run(
        self, inputs: Sequence[Buffer], scalars: Sequence[float | int], spare: Sequence[Buffer | None] | None = None
    ) -> list[Buffer]:
        """Buffers with the results: fresh ones, where ``spare`` has none that nobody uses, or that is an input's and
        the tape does not mind.

        Raises what the failing instruction stands for, at the user's line; RunOver for Ctrl-C, or what another signal's
        handler raises, that came when the results were there.
        """
        tape, renewed = self.tape, None
        if spare is None:
            outs = self._fresh()
        else:
            outs = Buffer.fit_each(spare, tape.out_bytes)
            for result, position in tape.parted:
                if outs[result] is inputs[position]:
                    outs[result] = Buffer.alloc(tape.out_bytes[result])
            if isinstance(spare, Renewed):
                renewed, spare.results = spare, outs
        if self._starts is not None and scalars is not self._checked:
            self._starts.check(scalars)
            self._checked = _constant(scalars)
        try:
            arena, block, numbers, ends, held = self._idle.pop()
        except IndexError:
            arena, block, numbers, ends, held = self._memory()
        if self._pack is not None and (held is None or held is not scalars):
            values = scalars if self._takes_all == len(scalars) else [scalars[p] for p in self._scalar_positions]
            pack_into(self._pack, self._dtypes, numbers, values)
        if arena is None:
            large = Buffer.alloc(tape.arena_bytes)
            ends = large.address, ends[1]
        bases = [b.address for b in (*self._used(inputs), *outs)]
        bases += ends
        done = False
        try:
            self._program.run(bases, ends[1], renewed)
            done = True
            self._idle.append((arena, block, numbers, ends, _constant(scalars)))
        except InstructionFailed as failure:
            raise_failure(tape, failure.pc, failure.code)
        except RunOver as over:
            over.results = outs
            raise
        except BaseException as stop:
            if done:
                raise RunOver(stop, outs) from None
            raise
        return outs

    def _memory(self) -> _Memory:
        """What a run works in, besides its inputs and results."""
        arena = Buffer.alloc(self.tape.arena_bytes) if self.tape.arena_bytes <= SMALL_ARENA else None
        size = WORD * len(self._dtypes)
        block = Buffer.alloc(size)
        numbers = memoryview(cast("Any", block.array((size,), np.uint8)))
        return arena, block, numbers, (0 if arena is None else arena.address, block.address), None

    def _fresh(self) -> list[Buffer]:
        """A buffer for each result that nobody else has: small ones of the run before the last, where they are idle."""
        sizes, kept = self.tape.out_bytes, self._kept
        if not self._keeps:
            return Buffer.alloc_each(sizes)
        try:
            results = kept.pop(-KEPT_RUNS)
        except IndexError:
            results = Results([None] * len(sizes))
        if any_held(results):
            for place, is_held in enumerate(held_bits(results)):
                if is_held:
                    results[place] = buffer = Buffer.alloc(sizes[place])
                    buffer.results = weakref.ref(results)
        kept.append(results)
        return [*results]

    def write_numbers(self, memory: memoryview, scalars: Sequence[float | int]) -> None:
        """Have a block of scalar words, its ``memory``, hold the numbers of a run, once they are checked."""
        if self._starts is not None:
            self._starts.check(scalars)
        if self._pack is not None:
            pack_into(self._pack, self._dtypes, memory, [scalars[p] for p in self._scalar_positions])

    def binding(self, others: Sequence[int]) -> Binding:
        """What makes frames with the addresses of all slots but ``others`` for good. Slots: the inputs that the tape
        reads, the results, the arena, the numbers."""
        return Binding(self._program, others)

    @property
    def program(self) -> Program:
        """What the runner walks."""
        return self._program

    @property
    def shares_work(self) -> bool:
        """Whether several threads may run it."""
        return self._program.shared_ps >= WAKE_PS


def raise_failure(tape: Tape, pc: int, code: int) -> NoReturn:
    """Raise what ``code`` of instruction ``pc`` stands for, at the user's line."""
    nodes = tape.instructions[pc].nodes
    if code == DIVISION_BY_ZERO:
        raise division_by_zero(_culprit(nodes, DIVIDES)) from None
    if code in REFUSALS:
        raise matrix_refused(nodes[0], REFUSALS[code]) from None
    if code in (NO_PROBABILITY, NO_TARGET):
        of = "input" if code == NO_PROBABILITY else "target"
        raise no_probability(_culprit(nodes, ("check_probability",)), of) from None
    if code == RAISED:
        raise native_raised(nodes[0]) from None
    found = _culprit(nodes, ("take", "wrap_index"))
    raise index_out_of_range(found) from None


def picker(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What gives the items at ``positions``."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda items: [items[p] for p in positions]


def _constant(scalars: Sequence[float | int]) -> tuple[float | int, ...] | None:
    """``scalars`` where they are the same whenever they are this object."""
    return scalars if type(scalars) is tuple else None


def _culprit(nodes: Sequence[Node], names: Sequence[str]) -> Node:
    """The first of an instruction's nodes that can fail so; several in one group cannot be told apart."""
    return next((n for n in nodes if n.op.name in names), nodes[0])


def rows_of(tape: Tape, addresses: Sequence[int]) -> Any:
    """The tape's rows as the runner takes them."""
    rows = [(a, i.at, i.items, i.chunk, i.cost, i.flags) for a, i in zip(addresses, tape.instructions, strict=True)]
    return np.array(rows, np.int64).reshape(-1, 6)


def words_of(tape: Tape, consts_address: int) -> Any:
    """The descriptor template, with the addresses that are known before a run."""
    words = np.array(tape.words, np.int64)
    if tape.const_words:
        words[tape.const_words] += consts_address
    return words
