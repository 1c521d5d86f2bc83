"""Function transforms (``nbgrad.func``): where one begins to differentiate, and what its results are outside.

A transform differentiates by *variables*: its arguments, each with a place of its own in the graph. Behind such a place
the history goes on, so what is outside can be differentiated through it, by another transform or by ``backward``. What
leaves the transform is *lowered*: it requires grad only if something outside does. Transforms are nested: a variable
knows how deep, and deeper ones than are open now belong to transforms that have ended. Tangents of variables go forward
to results, through jvps of custom functions (``pushed``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbgrad.autograd.walk import CustomCall, input_entry, part_of
from nbgrad.errors import RunError
from nbgrad.trace import (
    ANY_DEPTH,
    OWN,
    Handle,
    Trace,
    Vmap,
    advance,
    books,
    bring_in,
    builder_of,
    depends_on_examples,
    entry_of,
    holding,
    local,
    new_tensor,
    released,
    requires_grad,
    results_of,
    set_mode,
    share_of,
)


@contextmanager
def transform() -> Iterator[None]:
    """Inside one transform more, where gradients are recorded."""
    trace, before = local.trace, set_mode(True, False)
    trace.transforms += 1
    try:
        yield
    finally:
        trace.transforms -= 1
        set_mode(*before)


@contextmanager
def inside_vmap(trace: Trace, by: Sequence[Handle], size: int, randomness: str) -> Iterator[Vmap]:
    """Inside one vmap more, over ``size`` examples ``by``, where nothing that depends on them can run."""
    vmaps = trace.vmaps
    level = Vmap([x._at for x in by], size, randomness, {}, [], [], trace.transforms)
    vmaps.append(level)
    try:
        yield level
    finally:
        vmaps.pop()
        for call in level.calls:  # whose derivatives by one example are all recorded
            call.forget()


@holding
def variables(trace: Trace, xs: Sequence[Handle]) -> list[Handle]:
    """Tensors with the values of ``xs`` by which the innermost transform differentiates. They require grad, and are no
    leaves."""
    return [new_tensor(trace, "variable", entry_of(trace, x).ix, trace.transforms) for x in xs]


def is_as_begun(x: Handle, entry: Any) -> bool:
    """Whether nobody has written ``x``, a variable that began as ``entry``."""
    share = share_of(x)
    if share is not None and share.counter[0]:
        return False
    return x._at is entry or (x._page is None and x._history is not None and x._history[1] == entry.ix)


@holding
def lowered(trace: Trace, results: Sequence[Handle]) -> list[Handle]:
    """What ``results`` of a transform that has just ended are outside of it."""
    if not any(requires_grad(y) for y in results):
        return list(results)
    entries = [entry_of(trace, y).ix for y in results]
    bring_in(trace, entries)
    return [
        new_tensor(trace, "lowered", ix, trace.transforms) if requires_grad(y) else y
        for y, ix in zip(results, entries, strict=True)
    ]


@holding
def examples(trace: Trace, xs: Sequence[Handle], function: str) -> list[Handle]:
    """Tensors that stand for one example each of ``xs``, which have them along their first dim. ``function`` is the
    transform that makes them."""
    return [new_tensor(trace, "example", entry_of(trace, x).ix, function) for x in xs]


@holding
def vmap_of(trace: Trace, xs: Sequence[Handle]) -> tuple[Vmap, list[bool]] | None:
    """The innermost vmap on whose examples some of ``xs`` depend, and which of them do; None where there is none."""
    if not trace.vmaps:
        return None
    refs = [entry_of(trace, x).ix for x in xs]
    builder = builder_of(trace, trace.node)
    for level in reversed(trace.vmaps):
        found = [depends_on_examples(builder, ref, level.entries) for ref in refs]
        if any(found):
            return level, found
    return None


@holding
def written(trace: Trace, by: Sequence[Handle], entries: Sequence[Any]) -> list[int]:
    """Which of the examples ``by``, which stood for these entries, were written since."""
    return [k for k, (x, entry) in enumerate(zip(by, entries, strict=True)) if entry_of(trace, x) is not entry]


@holding
def batched(trace: Trace, outputs: Sequence[Handle], level: Vmap) -> list[Handle]:
    """What ``outputs``, recorded of one of its examples, are for all of them, along a new first dim."""
    if any(storage.version != version for storage, version in level.shown):
        raise RunError(
            "vmap: a custom function gave a view of its input, and one of the two was written in place afterwards: "
            "inside vmap the other does not see that. Use a clone() of one of them"
        )
    refs = tuple([entry_of(trace, y).ix for y in outputs])
    event = advance(trace, ("batch", refs, tuple([entry.ix for entry in level.entries]), level.randomness))
    return [new_tensor(trace, "batched", event.ix, place, ref) for place, ref in enumerate(refs)]


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
