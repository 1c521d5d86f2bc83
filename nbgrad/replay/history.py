"""The history that a call leaves behind: what a backward after it needs to know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.number import Plain
from nbgrad.replay.bind import receivers, tensor_at
from nbgrad.replay.recording import Recording
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.handle import Chapter, Handle, Segment, local


def segments_of(recording: Recording) -> Callable[..., Segment] | None:
    """A function (numbers of the tape, argument tensors, inputs, results) that makes the segment of a call; None where
    results have no history. A call that ``keeps_nothing`` gives no inputs and results."""
    struct, saved = recording.plan.struct, recording.plan.saved_places
    if struct is None:
        return None
    leaves, past = recording.entries
    held = {ix: what for ix, (kind, what) in leaves.items() if kind == "held"}
    is_empty = keeps_nothing(recording)
    others = [(ix, place) for ix, place in leaves.items() if ix not in held]

    def segment(
        scalars: Sequence[Plain], tensors: list[Handle], inputs: Sequence[Buffer] = (), buffers: Sequence[Buffer] = ()
    ) -> Segment:
        chapter = Chapter(local.trace)
        chapter.scalars = list(scalars)
        chapter.leaves = {**held, **{ix: tensor_at(place, tensors) for ix, place in others}}
        for ix, place in past.items():
            history = tensor_at(place, tensors).history
            assert history is not None
            chapter.past[ix] = history
        if is_empty:
            return Segment(struct, chapter, struct.nothing, struct.freed)
        kept: list[Any] = [b if i in struct.kept_inputs else None for i, b in enumerate(inputs)]
        return Segment(struct, chapter, kept + [buffers[p] for p in saved], struct.freed)

    return segment


def keeps_nothing(recording: Recording) -> bool:
    """Whether histories, if there are any, keep no values: a backward inside the function has used them up. Then only
    what is returned has one."""
    struct = recording.plan.struct
    if struct is None:
        return True
    return not (
        struct.kept_inputs
        or recording.plan.saved_places
        or recording.entries[1]
        or any(kind != "output" and not leaf.is_leaf for _, (kind, _), _, leaf in receivers(recording))
    )
