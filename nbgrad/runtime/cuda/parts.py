"""A tape as what a device does one after the other: launches of our own kernels, and a library's calls between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nbgrad.kernels.launch import Launch, launch_of
from nbgrad.runtime.cuda.block import Block
from nbgrad.runtime.cuda.devices import Gpu
from nbgrad.runtime.cuda.library import LibraryCalls
from nbgrad.tape.kernel import LAUNCHED, LIBRARY_PRODUCT
from nbgrad.tape.numbers import WORD
from nbgrad.tape.tape import Tape


class Step(NamedTuple):
    """One instruction: its function, how that is launched, where its words lie in the block (bytes)."""

    function: int
    launch: Launch
    desc: int
    status: int


class Part(NamedTuple):
    """Steps of our own, then a library's."""

    steps: list[Step]
    calls: list[LibraryCalls]


class Parts(NamedTuple):
    """All parts of a tape. The first ``n_head`` are the head, which alone can fail."""

    all: list[Part]
    n_head: int

    @property
    def workspace_bytes(self) -> int:
        """What the hungriest of our own kernels needs."""
        return max([step.launch.workspace_bytes for part in self.all for step in part.steps], default=0)


def divided(tape: Tape, functions: Sequence[int], block: Block, gpu: Gpu) -> Parts:
    """The tape's instructions, cut after the last that can fail and after a library's calls."""
    last_fallible = block.fallible[-1] if block.fallible else -1
    n_head = 0
    parts = [Part([], [])]
    for pc, (i, function) in enumerate(zip(tape.instructions, functions, strict=True)):
        if i.text.form == LIBRARY_PRODUCT:
            parts[-1].calls.append(LibraryCalls(i, tape.words))
        else:
            if i.text.form == LAUNCHED:
                own = i.nodes[0].params[0].launched(tape.words[i.at])
                function, launch = gpu.own_function(own), own.launch(tape.words[i.at :])
            else:
                launch = launch_of(i, tape.words)
            if launch is not None:
                if parts[-1].calls:
                    parts.append(Part([], []))
                parts[-1].steps.append(Step(function, launch, WORD * i.at, block.status_of(pc)))
        if pc == last_fallible:
            n_head = len(parts)
            parts.append(Part([], []))
    return Parts(parts, n_head)
