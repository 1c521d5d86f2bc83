"""A tape as what a device does one after the other: launches of our own kernels, and a library's calls between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from nbgrad.kernels.launch import Launch, launch_of, side_by_side
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.library import LibraryCalls
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import WAVE, Tape


class Step(NamedTuple):
    """One instruction: its function, how that is launched, where its words lie in the block (bytes)."""

    function: int
    joins: bool
    launch: Launch
    desc: int
    status: int


class Part(NamedTuple):
    """Steps of our own, in groups that are launched together, then a library's."""

    groups: list[list[Step]]
    calls: list[LibraryCalls]


class Parts(NamedTuple):
    """All parts of a tape. The first ``n_head`` are the head, which alone can fail."""

    all: list[Part]
    n_head: int

    @property
    def calls(self) -> list[LibraryCalls]:
        return [call for part in self.all for call in part.calls]

    @property
    def workspace_bytes(self) -> int:
        """What the hungriest of our own kernels needs."""
        steps = [step for part in self.all for group in part.groups for step in group]
        return max([step.launch.workspace_bytes for step in steps], default=0)


def divided(tape: Tape, functions: Sequence[int], block: Block) -> Parts:
    """The tape's instructions, cut after the last that can fail and after each library's calls. Instructions of a wave
    do not depend on each other."""
    last_fallible = block.fallible[-1] if block.fallible else -1
    n_head = 0
    parts = [Part([], [])]
    wave: list[Step] = []
    calls: list[LibraryCalls] = []
    for pc, (i, function) in enumerate(zip(tape.instructions, functions, strict=True)):
        if not i.text.has_code:
            calls.append(LibraryCalls(i, tape.words))
        elif (launch := launch_of(i, tape.words)) is not None:
            wave.append(Step(function, i.text.joins, launch, WORD * i.at, block.status_of(pc)))
        if pc != last_fallible and i.flags & WAVE:
            continue
        parts[-1].groups.extend(_groups_of(wave))
        parts[-1].calls.extend(calls)
        if calls or pc == last_fallible:
            parts.append(Part([], []))
        if pc == last_fallible:
            n_head = len(parts) - 1
        wave, calls = [], []
    return Parts(parts, n_head)


def inputs_told(tape: Tape, parts: Parts) -> list[int]:
    """The slots of the inputs that a library reads where they lie."""
    told = {word for call in parts.calls for word in call.words}
    return sorted({slot for word, slot, _ in tape.relocs if word in told and slot < len(tape.input_positions)})


def inputs_of_head(tape: Tape, block: Block) -> list[int] | None:
    """The slots of the inputs on which alone it depends whether an instruction fails; None: on numbers, too."""
    last_fallible = block.fallible[-1]
    starts = sorted([(i.at, pc) for pc, i in enumerate(tape.instructions)])

    def is_in_head(word: int) -> bool:
        return starts[bisect_right(starts, (word, len(starts))) - 1][1] <= last_fallible

    slots = {slot for word, slot, _ in tape.relocs if is_in_head(word)}
    if any(is_in_head(word) for word, *_ in tape.terms) or tape.slots - 1 in slots:
        return None
    return sorted([slot for slot in slots if slot < len(tape.input_positions)])


def _groups_of(wave: Sequence[Step]) -> list[list[Step]]:
    """What is launched together, of steps that do not depend on each other: those of one kernel and like sizes."""
    alike: dict[tuple[int, int], list[Step]] = {}
    for k, step in enumerate(wave):
        alike.setdefault((step.function, 0 if step.joins else k), []).append(step)
    return [[same[i] for i in group] for same in alike.values() for group in side_by_side([s.launch for s in same])]
