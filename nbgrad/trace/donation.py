"""Tensors from memory that a segment writes: parameters. Their new values may be made where the old ones lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.references import owners_by
from nbgrad.runtime.runner import Renewed
from nbgrad.trace.flush_plan import Donation, FlushPlan
from nbgrad.trace.storage import is_alone
from nbgrad.trace.thread import Segment, Trace

WORTH_BYTES = 1 << 12  # to find out who has a buffer takes 1 us: less memory than this is in the cache anyway
_HOLDERS: Final = 3  # of a buffer: a tensor, its segment's inputs and entries


def own_memory(segment: Segment, live: Sequence[Any], plan: FlushPlan) -> Renewed:
    """By place of result the buffer that a written tensor has, where nobody else has it."""
    spare: list[Buffer | None] = [None] * plan.n_results
    inputs = segment.inputs
    in_memory = [renewal for renewal in plan.renewed if hasattr(live[renewal[0]], "_buffer")]  # not just computed ones
    written = [live[ix] for ix, _, _ in in_memory]
    for y, (_, position, place), count in zip(written, in_memory, owners_by(written, "_buffer"), strict=True):
        buffer = y._buffer
        if count <= _HOLDERS and (y._share is None or is_alone(y)) and buffer is inputs[position] and buffer.is_pooled:
            spare[place] = buffer
    return Renewed(spare)


def renewed_by(trace: Trace, plan: FlushPlan) -> list[Donation]:
    """The tensors from memory that are written, once each."""
    kept = plan.struct.kept_inputs if plan.struct is not None else ()
    found: dict[int, Donation] = {}
    for ix, place, leaf in plan.commits:
        if place < 0:
            continue
        entry = trace.segment.entered.get(id(trace.live[ix]))
        if entry is None or not isinstance(entry[2], Buffer | DeviceBuffer) or place in found:
            continue
        position = entry[1].n_inputs - 1
        if entry[1].spec is leaf.spec and position not in kept and leaf.spec.size_bytes >= WORTH_BYTES:
            found[place] = ix, position, place
    return list(found.values())
