"""A ``grad`` that was recorded from here before: its entries are taken over in one go, see trace/routine.py.

That is a derivative of the running chapter alone, such as a Hessian-vector product makes at every call. What goes back
to earlier chapters, custom functions or tensors that keep their gradient is recorded piece by piece each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.trace.enter import enter
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import Handle, Trace, make_tensor
from nbgrad.trace.routine import Recorded, remember, standing, take_over
from nbgrad.trace.trie import TrieNode

Key = tuple[Any, ...]
Tensors = Sequence[Handle]


def taken_over(
    trace: Trace, outputs: Tensors, seeds: Sequence[Handle | None], inputs: Tensors, how: tuple[bool, ...]
) -> tuple[Handle | None, ...] | None:
    """The gradients, if this was recorded here before: tensors that stand for them, None for unused inputs. ``how`` are
    the flags of ``grad``; a seed None means ones."""
    fresh: dict[int, Handle] = {}
    key = _key(trace, outputs, seeds, inputs, how, fresh)
    event = None if key is None else trace.node.get(key)
    if event is None or event.meta is None:
        return None
    recorded: Recorded = event.meta
    made: list[Handle | None] = [None] * len(inputs)
    for i, node, _ in recorded.written:
        made[i] = g = make_tensor()
        g.at = node
    return tuple(made) if take_over(trace, recorded, made, (), fresh) else None


def _key(
    trace: Trace,
    outputs: Tensors,
    seeds: Sequence[Handle | None],
    inputs: Tensors,
    how: tuple[bool, ...],
    fresh: dict[int, Handle],
) -> Key | None:
    """By what its event is found; None where it is not as simple as that, or an input is not known to the chapter."""
    chapter = trace.chapter
    if chapter.functions or chapter.segments or chapter.past or chapter.retained:
        return None
    refs = standing(chapter, (*inputs, *outputs, *seeds), fresh)
    if refs is None or not fresh.keys().isdisjoint(map(id, inputs)):
        return None
    return ("routine", how, len(inputs), tuple(refs))


class WrittenDown:
    """One ``grad`` that is recorded next. What came once may never come again: it is written down the second time."""

    __slots__ = ("_entries", "_event", "_recurs", "_trace")

    def __init__(
        self,
        trace: Trace,
        outputs: Tensors,
        seeds: Sequence[Handle | None],
        inputs: Tensors,
        how: tuple[bool, ...],
    ) -> None:
        self._trace = trace
        fresh: dict[int, Handle] = {}
        key = _key(trace, outputs, seeds, inputs, how, fresh)
        self._recurs = key is not None and key in trace.node
        if key is None:
            return
        self._event: TrieNode = advance(trace, key, ("routine",))
        self._entries = tuple([enter(trace, a) for a in fresh.values()])

    def end(self, grads: Sequence[Handle | None]) -> None:
        """It was recorded."""
        trace = self._trace
        if self._recurs and len(trace.live) > self._event.ix and not trace.chapter.segments:
            remember(trace, self._event, self._entries, [(i, g) for i, g in enumerate(grads) if g is not None])
