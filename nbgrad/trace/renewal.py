"""Tensors from memory that a chapter writes: parameters. Their new values may be made where the old ones lie."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any, Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.trace.company import forget_aliases
from nbgrad.trace.flush_plan import FlushPlan, Renewal
from nbgrad.trace.handle import Chapter, Handle

WORTH_BYTES = 1 << 12  # to find out who has a buffer takes 1 us: less memory than this is in the cache anyway
_OWNERS: Final = 4  # of a buffer: a tensor, its chapter's inputs and entries, the variable that is asked


def own_memory(chapter: Chapter, live: Sequence[Any], plan: FlushPlan) -> list[Buffer | None] | None:
    """By place of result the buffer that a written tensor has, where nobody else has it."""
    spare: list[Buffer | None] = [None] * plan.n_results
    inputs = chapter.inputs
    for ix, position, place in plan.renewed:
        y = live[ix]
        if y.rare is not None:
            forget_aliases(y)
        if y.rare is None:
            buffer = y.buffer
            if buffer is inputs[position] and buffer.is_pooled and getrefcount(buffer) == _OWNERS + 1:
                spare[place] = buffer
    return spare


def renewed_by(chapter: Chapter, plan: FlushPlan, held: dict[int, Handle]) -> list[Renewal]:
    """The tensors from memory that are written, once each."""
    kept = plan.struct.kept_inputs if plan.struct is not None else ()
    found: dict[int, Renewal] = {}
    for ix, place, leaf in plan.commits:
        entry = chapter.entered.get(id(held[ix]))
        if entry is None or not isinstance(entry[2], Buffer | DeviceBuffer) or place in found:
            continue
        position = entry[1].n_inputs - 1
        if entry[1].spec is leaf.spec and position not in kept and leaf.spec.size_bytes >= WORTH_BYTES:
            found[place] = ix, position, place
    return list(found.values())
