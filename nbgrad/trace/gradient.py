"""Recording a request for derivatives: seeds in, cotangents out, custom backwards in between. Nothing runs here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from nbgrad.errors import GradError, at_user_line
from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import Place, Request
from nbgrad.trace.handle import Handle, Segment, Trace, local
from nbgrad.trace.mode import get_mode, set_mode
from nbgrad.trace.record import advance, advance_as, enter, make_tensor
from nbgrad.trace.retain import retained
from nbgrad.trace.trie import TrieNode


class CustomCall(Protocol):
    """A call of a custom function, as the engine sees it: it turns cotangents of outputs into those of inputs."""

    def pull_back(self, cotangents: list[Handle | None]) -> Sequence[Handle | None]: ...


def entry_of(trace: Trace, a: Handle) -> TrieNode:
    return a.at if a.chapter is trace.chapter else enter(trace, a)  # type: ignore[return-value]


def request_gradients(
    outputs: Sequence[Handle],
    seeds: Sequence[Handle | None],
    wrt: Sequence[Handle] | None,
    *,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> tuple[list[Handle], list[Handle | None], list[tuple[Segment, frozenset[int]]]]:
    """(tensors, their cotangents, what to mark as freed once it ran): those of ``wrt``, then those that keep theirs.

    ``wrt`` None means all leaves behind ``outputs``. Tensors that keep their gradient are those passed on the way that
    asked for it.
    """
    trace = local.trace
    out_ix = [entry_of(trace, y).ix for y in outputs]
    seed_ix = [-1 if g is None else entry_of(trace, g).ix for g in seeds]
    functions = _custom_functions(trace, out_ix)
    for function in functions:
        _through_function(trace, function, out_ix, seed_ix, create_graph)
    places = None if wrt is None else tuple([_places(trace, x) for x in wrt])
    keepers, kept = retained(trace)
    request = Request(
        tuple(out_ix), tuple(seed_ix), places, kept, None, create_graph, retain_graph, allow_unused or wrt is None
    )
    event, results = _ask(trace, request)
    chapter = trace.chapter
    if wrt is None:
        wrt = [_leaf_at(trace, place) for place in event.meta.leaves]
    freed = [(chapter.segments[k], nodes) for k, nodes in event.meta.freed]
    return [*wrt, *keepers], results, freed


def _ask(trace: Trace, request: Request) -> tuple[TrieNode, list[Handle | None]]:
    """The ``grad`` event and a tensor for each result it has."""
    key = ("grad", request)
    event = advance(trace, key, key)
    results: list[Handle | None] = []
    for place, given in enumerate(event.meta.given):
        if not given:
            results.append(None)
            continue
        y = make_tensor()
        out = ("out", event.ix, place, request.create_graph)
        advance_as(trace, y, out, out)
        results.append(y)
    return event, results


def _leaf_at(trace: Trace, place: Place) -> Handle:
    segment, entry = place
    leaves = trace.chapter.leaves if segment == OWN else trace.chapter.segments[segment].leaves
    return leaves[entry]


def _places(trace: Trace, x: Handle) -> tuple[Place, ...]:
    """Where ``x`` stands in the graph: a leaf may have come in several times."""
    if not x.at.is_leaf:
        return ((OWN, entry_of(trace, x).ix),)
    chapter = trace.chapter
    own = [(OWN, ix) for ix, leaf in chapter.leaves.items() if leaf is x]
    entered = [
        (k, ix) for k, segment in enumerate(chapter.segments) for ix, leaf in segment.leaves.items() if leaf is x
    ]
    return tuple(own + entered)


def _custom_functions(trace: Trace, out_ix: list[int]) -> tuple[Place, ...]:
    chapter = trace.chapter
    if not chapter.functions and not any(s.functions for s in chapter.segments):
        return ()
    key = ("reach", tuple(out_ix))
    found: tuple[Place, ...] = advance(trace, key, key).meta
    return found


def _through_function(trace: Trace, function: Place, out_ix: list[int], seed_ix: list[int], create_graph: bool) -> None:
    """Run a custom backward on lazy tensors; its results join the seeds at the function's inputs."""
    segment, index = function
    owner = trace.chapter if segment == OWN else trace.chapter.segments[segment]
    custom, inputs = owner.functions[index]
    request = Request(tuple(out_ix), tuple(seed_ix), None, (), function, create_graph, True, True)
    _, cotangents = _ask(trace, request)
    before = set_mode(create_graph, get_mode()[1])
    try:
        given = custom.pull_back(cotangents)
    finally:
        set_mode(*before)
    for ref, g in zip(inputs, given, strict=True):
        if g is None or ref < 0:
            continue
        if segment == OWN:
            out_ix.append(ref)
        else:
            key = ("past", segment, ref)
            out_ix.append(advance(trace, key, key).ix)
        seed_ix.append(entry_of(trace, g).ix)


def record_function(custom: CustomCall, inputs: Sequence[Any], values: Sequence[Handle]) -> list[Handle]:
    """The outputs of a custom function: ``values`` with the function's backward behind them."""
    trace = local.trace
    refs = [entry_of(trace, x).ix if isinstance(x, Handle) else -1 for x in inputs]
    requires = [r if isinstance(x, Handle) and x.at.requires_grad else -1 for x, r in zip(inputs, refs, strict=True)]
    index = len(trace.chapter.functions)
    outputs = []
    value_ix = [entry_of(trace, v).ix for v in values]
    trace.chapter.functions.append((custom, requires))
    for place, ix in enumerate(value_ix):
        y = make_tensor()
        key = ("function", index, place, tuple(refs), ix)
        advance_as(trace, y, key, key)
        outputs.append(y)
    return outputs


def require_differentiable(outputs: Sequence[Handle]) -> None:
    """The error PyTorch gives for an output without a derivative."""
    for i, y in enumerate(outputs):
        if not y.at.requires_grad:
            raise at_user_line(
                GradError(
                    f"element {i} of tensors does not require grad and does not have a grad_fn: compute it from "
                    "tensors with requires_grad=True, outside no_grad"
                )
            )
