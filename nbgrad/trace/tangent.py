"""Recording a request for tangents: those of variables in, those of outputs out, custom jvps in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nbgrad.trace.builder import ANY_DEPTH, OWN
from nbgrad.trace.gradient import CustomCall, input_entry, part_of
from nbgrad.trace.grow import advance, results_of
from nbgrad.trace.handle import Handle
from nbgrad.trace.nested import holding, released
from nbgrad.trace.nodes import books
from nbgrad.trace.past import bring_in
from nbgrad.trace.storage import entry_of
from nbgrad.trace.thread import Trace


@holding
def pushed(
    trace: Trace, outputs: Sequence[Handle], by: Sequence[Handle], tangents: Sequence[Handle]
) -> list[Handle | None]:
    """The tangents of ``outputs``, given those of the variables ``by``; None where one does not depend on them."""
    walk = _Walk(trace, outputs, by, tangents)
    walk.through_functions()
    return walk.tangents_of(walk.outputs())


class _Walk:
    """A request on its way forward through custom functions: the tangents that are known.

    Every custom function passed adds what the user's jvp gave for its outputs. Where that looks at values it flushes
    the segment: then everything is entered anew.
    """

    def __init__(
        self, trace: Trace, outputs: Sequence[Handle], by: Sequence[Handle], tangents: Sequence[Handle]
    ) -> None:
        self._trace, self._outputs = trace, outputs
        self._by, self._tangents = by, tangents
        self._passed: list[tuple[CustomCall, Sequence[Handle | None]]] = []

    def outputs(self) -> tuple[int, ...]:
        return self._entries(self._outputs)

    def tangents_of(self, refs: tuple[int, ...]) -> list[Handle | None]:
        """The tangents of entries of the running segment."""
        wrt, along = self._entries(self._by), self._entries(self._tangents)
        marks = tuple([(place, self._entries(moved)) for place, moved in self._marks()])
        bring_in(self._trace, [*refs, *wrt])
        event = advance(self._trace, ("push", refs, wrt, along, marks))
        return results_of(self._trace, event, event.meta, ANY_DEPTH)

    def through_functions(self) -> None:
        """Run the jvp of every custom function on the way."""
        trace, segment = self._trace, None
        while segment is not trace.segment:
            segment = trace.segment
            for custom, inputs in self._functions():
                if any(custom is f for f, _ in self._passed):
                    continue
                needed = [r for r in inputs if r >= 0]
                arrived = iter(self.tangents_of(tuple([input_entry(trace, custom, r) for r in needed])))
                moved = released(trace, custom.push_forward, [None if r < 0 else next(arrived) for r in inputs])
                self._passed.append((custom, moved))
                if segment is not trace.segment:
                    break

    def _functions(self) -> list[tuple[CustomCall, Sequence[int]]]:
        """The custom functions between the variables and the outputs, with their inputs: what was used before its
        users."""
        trace = self._trace
        refs, wrt = self.outputs(), self._entries(self._by)
        bring_in(trace, [*refs, *wrt])
        segment = trace.segment
        if not segment.functions and not any(s.functions for s in segment.earlier):
            return []
        stops = advance(trace, ("reach", refs, tuple([((OWN, ix),) for ix in wrt]), ())).meta
        return [part_of(trace, earlier).functions[index] for earlier, index in reversed(stops)]

    def _marks(self) -> Iterator[tuple[tuple[int, int], Sequence[Handle | None]]]:
        """Where the functions stand that were passed, and the tangents of their outputs."""
        for custom, moved in self._passed:
            for k, book, _ in books(self._trace):
                yield from [((k, index), moved) for index, (f, _) in enumerate(book.functions) if f is custom]

    def _entries(self, xs: Sequence[Handle | None]) -> tuple[int, ...]:
        return tuple([-1 if x is None else entry_of(self._trace, x).ix for x in xs])
