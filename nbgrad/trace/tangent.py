"""Recording a request for tangents: those of variables in, those of outputs out, custom jvps in between."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.trace.builder import ANY_DEPTH, OWN
from nbgrad.trace.gradient import CustomCall, input_entry, part_of
from nbgrad.trace.grow import advance, results_of
from nbgrad.trace.handle import Handle
from nbgrad.trace.nested import holding, released
from nbgrad.trace.nodes import books
from nbgrad.trace.past import bring_in
from nbgrad.trace.storage import entry_of
from nbgrad.trace.thread import Trace

Passed = Sequence[tuple[CustomCall, Sequence[Handle | None]]]  # custom functions, and the tangents of their outputs


@holding
def pushed(
    trace: Trace, outputs: Sequence[Handle], by: Sequence[Handle], tangents: Sequence[Handle]
) -> list[Handle | None]:
    """The tangents of ``outputs``, given those of the variables ``by``; None where one does not depend on them.

    Every custom function on the way adds what the user's jvp gives for its outputs. Where that looks at values it
    flushes the segment: then everything is entered anew.
    """
    passed: list[tuple[CustomCall, Sequence[Handle | None]]] = []
    segment = None
    while segment is not trace.segment:
        segment = trace.segment
        for custom, inputs in _functions(trace, outputs, by):
            if any(custom is f for f, _ in passed):
                continue
            refs = tuple([input_entry(trace, custom, r) for r in inputs if r >= 0])
            arrived = iter(_push(trace, refs, by, tangents, passed))
            moved = released(trace, custom.push_forward, [None if r < 0 else next(arrived) for r in inputs])
            passed.append((custom, moved))
            if segment is not trace.segment:
                break
    return _push(trace, _entries(trace, outputs), by, tangents, passed)


def _push(
    trace: Trace, refs: tuple[int, ...], by: Sequence[Handle], tangents: Sequence[Handle], passed: Passed
) -> list[Handle | None]:
    """The tangents of entries of the running segment."""
    wrt, along = _entries(trace, by), _entries(trace, tangents)
    places = [
        ((k, index), _entries(trace, moved))
        for custom, moved in passed
        for k, book, _ in books(trace)
        for index, (f, _) in enumerate(book.functions)
        if f is custom
    ]
    bring_in(trace, [*refs, *wrt])
    event = advance(trace, ("push", refs, wrt, along, tuple(places)))
    return results_of(trace, event, event.meta, ANY_DEPTH)


def _functions(trace: Trace, outputs: Sequence[Handle], by: Sequence[Handle]) -> list[tuple[CustomCall, Sequence[int]]]:
    """The custom functions between the variables and the outputs, with their inputs: what was used before its users."""
    refs, wrt = _entries(trace, outputs), _entries(trace, by)
    bring_in(trace, [*refs, *wrt])
    segment = trace.segment
    if not segment.functions and not any(s.functions for s in segment.earlier):
        return []
    stops = advance(trace, ("reach", refs, tuple([((OWN, ix),) for ix in wrt]), ())).meta
    return [part_of(trace, earlier).functions[index] for earlier, index in reversed(stops)]


def _entries(trace: Trace, xs: Sequence[Handle | None]) -> tuple[int, ...]:
    return tuple([-1 if x is None else entry_of(trace, x).ix for x in xs])
