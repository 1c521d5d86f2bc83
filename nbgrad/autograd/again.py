"""Derivatives that were recorded from here before: a block each, taken over in one go (trace/block.py).

That is a derivative of the running segment alone, such as a training loop's ``backward`` or a Hessian-vector product.
What goes back to earlier segments, custom functions or tensors that keep their gradient is recorded piece by piece each
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.autograd.at_once import AtOnce
from nbgrad.autograd.hooks import leaf_hooks
from nbgrad.errors import NbgradError
from nbgrad.system.collector import collector_paused
from nbgrad.trace import (
    Block,
    Fresh,
    Handle,
    Kept,
    Key,
    Recorded,
    Segment,
    Trace,
    TrieNode,
    cache_next,
    flush,
    go_back,
    known,
    make_tensor,
    permuted_leaves,
    standing,
    take_over,
)

BACKWARD: Final = ("backward", False), ("backward", True)  # names of blocks, by whether the graph is retained
LONG: Final = 100  # entries; Python collects after 700 new objects

Tensors = Sequence[Handle]


def is_simple(trace: Trace, output: Handle) -> bool:
    """Whether the gradients of ``output`` are those of one value of the running segment, which needs no other."""
    page = output._page
    return page is not None and page.segment is trace.segment and output._share is None and _is_by_itself(trace.segment)


def _is_by_itself(segment: Segment) -> bool:
    s = segment
    if s.functions or s.hooks or s.earlier or s.past or s.retained or s.trace.anomaly:
        return False
    if not (permuted_leaves or leaf_hooks):  # nearly always
        return True
    return not any(id(x) in permuted_leaves or id(x) in leaf_hooks for x in s.leaves.values())


def backward_again(trace: Trace, output: Handle, retain: bool) -> bool:
    """All of a ``backward`` from a simple output: take over what was recorded here before, run it.

    What a long segment holds is dropped when it has run: a garbage collection just before would look at all of it.

    False, with nothing done, where it was never written down, and where an instruction failed: the long way finds out
    which.
    """
    if trace.node.ix < LONG:
        return _backward_again(trace, output, retain)
    with collector_paused():
        return _backward_again(trace, output, retain)


def _backward_again(trace: Trace, output: Handle, retain: bool) -> bool:
    segment, begun = trace.segment, trace.node
    leaves = list(segment.leaves.values())
    fresh: Fresh = {}
    event, bits = begun.cached, None
    grads = _as_expected(event, output, retain, segment, leaves)
    if grads is not None:
        recorded: Recorded | None = event.meta
        at_once: AtOnce = event.second
        bits = at_once.bits(trace)
        if bits is not None and (done := at_once.run(trace, bits, leaves, grads)) is not None:
            return done
    else:
        grads = [x._grad for x in leaves]
        key = _backward_key(trace, output, retain, grads, fresh)
        recorded = None if key is None else known(trace, key)
        if recorded is not None and not fresh:
            states = [None if g is None else g._at for g in grads]
            cache_next(begun, begun[key], BACKWARD[retain], output._at, AtOnce(recorded, states))
    if recorded is None:
        return False
    kept: list[Kept] = []
    try:
        if not _take_over(trace, recorded, leaves, grads, fresh, kept):
            return False
        if trace.watcher is None or not trace.watcher.defers:
            plan = flush(trace, isolate=False)
            if bits is not None:
                at_once.ran(plan, bits)
    except BaseException as error:
        if trace.segment is segment:  # otherwise Ctrl-C came when all was done
            go_back(trace, begun, kept)
            if isinstance(error, NbgradError):
                return False
        raise
    return True


def _as_expected(
    event: TrieNode, output: Handle, retain: bool, segment: Segment, leaves: Tensors
) -> list[Handle | None] | None:
    """The gradients of all leaves, where ``event`` is a backward from ``output`` and they stand where they did then, in
    this segment. None where they do not."""
    if event.call is not BACKWARD[retain] or event.first is not output._at or event.meta is None:
        return None  # a path that nothing links to forgets what its backwards recorded
    grads: list[Handle | None] = []
    for x, at in zip(leaves, event.second.states, strict=True):
        g = x._grad
        if g is None:
            if at is not None:
                return None
        elif g._at is not at or (page := g._page) is None or page.segment is not segment or g._share is not None:
            return None
        grads.append(g)
    return grads


def _backward_key(
    trace: Trace, output: Handle, retain: bool, grads: Sequence[Handle | None], fresh: Fresh
) -> Key | None:
    refs = standing(trace.segment, grads, fresh)
    return None if refs is None else ("block", BACKWARD[retain], output._at.ix, tuple(refs))


def _take_over(
    trace: Trace,
    recorded: Recorded,
    leaves: Tensors,
    grads: list[Handle | None],
    fresh: Fresh,
    kept: list[Kept],
) -> bool:
    """Record the entries of a backward and give the leaves their gradients; ``kept`` is what these were. False, with
    nothing done, where nested code came between."""
    made: list[tuple[Handle, Handle]] = []
    grads = grads.copy()
    for i, node, _ in recorded.written:
        g = grads[i]
        if g is None:
            x = leaves[i]
            kept.append((x, "_grad", None))
            grads[i] = g = make_tensor()
            g._at = node
            made.append((x, g))
        else:
            kept += ((g, "_at", g._at), (g, "_page", g._page))
    if not take_over(trace, recorded, grads, (), fresh):
        return False
    for x, g in made:
        x._grad = g
    return True


def backward_block(trace: Trace, output: Handle, retain: bool, leaves: Tensors) -> Block | None:
    """What writes down the backward from a simple output that is recorded next; ``leaves`` are all of the segment."""
    fresh: Fresh = {}
    grads = [x._grad for x in leaves]
    key = _backward_key(trace, output, retain, grads, fresh)
    return None if key is None else Block(trace, key, fresh, grads)


def grad_again(
    trace: Trace, outputs: Tensors, seeds: Sequence[Handle | None], inputs: Tensors, how: tuple[bool, ...]
) -> tuple[Handle | None, ...] | None:
    """The gradients, if this was recorded here before: tensors that stand for them, None for unused inputs. ``how`` are
    the flags of ``grad``; a seed None means ones."""
    fresh: Fresh = {}
    key = _grad_key(trace, outputs, seeds, inputs, how, fresh)
    recorded = None if key is None else known(trace, key)
    if recorded is None:
        return None
    made: list[Handle | None] = [None] * len(inputs)
    for i, node, _ in recorded.written:
        made[i] = g = make_tensor()
        g._at = node
    return tuple(made) if take_over(trace, recorded, made, (), fresh) else None


def _grad_key(
    trace: Trace,
    outputs: Tensors,
    seeds: Sequence[Handle | None],
    inputs: Tensors,
    how: tuple[bool, ...],
    fresh: Fresh,
) -> Key | None:
    """By what its event is found; None where it is not as simple as that, or an input is not known to the segment."""
    segment = trace.segment
    if not _is_by_itself(segment):
        return None
    refs = standing(segment, (*inputs, *outputs, *seeds), fresh)
    if refs is None or not fresh.keys().isdisjoint(map(id, inputs)):
        return None
    return ("block", how, len(inputs), tuple(refs))


def grad_block(
    trace: Trace, outputs: Tensors, seeds: Sequence[Handle | None], inputs: Tensors, how: tuple[bool, ...]
) -> Block | None:
    """What writes down the ``grad`` that is recorded next."""
    fresh: Fresh = {}
    key = _grad_key(trace, outputs, seeds, inputs, how, fresh)
    return None if key is None else Block(trace, key, fresh, [None] * len(inputs))
