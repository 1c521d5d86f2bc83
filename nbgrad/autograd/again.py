"""Derivatives that were recorded from here before: a block each, taken over in one go (trace/block.py).

That is a derivative of the running segment alone, such as a training loop's ``backward`` or a Hessian-vector product.
What goes back to earlier segments, custom functions or tensors that keep their gradient is recorded piece by piece each
time.

A ``backward`` need not run at once. To record a step of a tiny model takes less time than to bind its program and to
hand its results over. So a segment goes on behind a backward that has run many times, is light and has nothing that can
fail: several steps are one program. A look at a value runs everything, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.autograd.hooks import leaf_hooks
from nbgrad.config import settings
from nbgrad.errors import NbgradError
from nbgrad.pipeline import Plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.system.collector import collector_paused
from nbgrad.trace import (
    Block,
    FlushPlan,
    Fresh,
    Handle,
    Kept,
    Key,
    Patience,
    Recorded,
    Segment,
    Trace,
    TrieNode,
    cache_next,
    flush,
    go_back,
    has_permuted,
    known,
    make_tensor,
    permuted_leaves,
    standing,
    take_over,
    threads,
    watchers,
)

BACKWARD: Final = ("backward", False), ("backward", True)  # names of blocks, by whether the graph is retained
LONG: Final = 100  # entries; Python collects after 700 new objects

AFTER: Final = 100  # runs of a backward: only then does its segment go on
MOST_ENTRIES: Final = 256  # of a segment that goes on
LIGHT_PS: Final = 30_000_000  # of estimated work: where a step takes longer, what is saved is not felt
LIGHT_BYTES: Final = 1 << 18  # that a step reads, writes and uses, but for tables that it reads a part of
MOST_BYTES: Final = 1 << 21  # of what further steps bring

Tensors = Sequence[Handle]


def is_simple(trace: Trace, output: Handle) -> bool:
    """Whether the gradients of ``output`` are those of one value of the running segment, which needs no other."""
    page = output._page
    return page is not None and page.segment is trace.segment and output._share is None and _is_by_itself(trace.segment)


def _is_by_itself(segment: Segment) -> bool:
    s = segment
    if s.functions or s.hooks or s.earlier or s.past or s.retained or s.trace.anomaly:
        return False
    return not (permuted_leaves and has_permuted(s.leaves.values())) and not (
        leaf_hooks and any(id(x) in leaf_hooks for x in s.leaves.values())
    )


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
    event = begun.cached
    grads = _as_expected(event, output, retain, segment)
    if grads is not None:
        recorded: Recorded | None = event.meta
    else:
        grads = [x._grad for x in leaves]
        key = _backward_key(trace, output, retain, grads, fresh)
        recorded = None if key is None else known(trace, key)
        if recorded is not None and not fresh:
            states = [None if g is None else g._at for g in grads]
            cache_next(begun, begun[key], BACKWARD[retain], output._at, states)
    if recorded is None:
        return False
    kept: list[Kept] = []
    try:
        if not _take_over(trace, recorded, leaves, grads, fresh, kept):
            return False
        if trace.watcher is None or not trace.watcher.defers:
            run_or_wait(trace, None if retain else recorded.patience)
    except BaseException as error:
        if trace.segment is segment:  # otherwise Ctrl-C came when all was done
            go_back(trace, begun, kept)
            if isinstance(error, NbgradError):
                return False
        raise
    return True


def _as_expected(event: TrieNode, output: Handle, retain: bool, segment: Segment) -> list[Handle | None] | None:
    """The gradients of all leaves, where ``event`` is a backward from ``output`` and they stand where they did then, in
    this segment. None where they do not."""
    if event.call is not BACKWARD[retain] or event.first is not output._at or event.meta is None:
        return None  # a path that nothing links to forgets what its backwards recorded
    grads: list[Handle | None] = []
    for x, at in zip(segment.leaves.values(), event.second, strict=True):
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


def run_or_wait(trace: Trace, patience: Patience | None) -> None:
    """Run what was recorded up to a backward, or let it wait for more. ``patience`` is that of a backward that was
    taken over as a whole, or of the first in a segment that went on; None: it runs now."""
    segment = trace.segment
    first = segment.patience or patience
    if patience is not None and first is not None and _may_wait(trace, segment, first):
        segment.patience = first
        return
    lines, inputs = segment.lines, segment.inputs
    plan = flush(trace, isolate=False)
    if patience is not None and segment.patience is None:
        patience.runs += 1
        if patience.runs >= AFTER and patience.n_bytes < 0:
            _learn(patience, plan, inputs, bool(lines))


def _may_wait(trace: Trace, segment: Segment, patience: Patience) -> bool:
    if patience.n_bytes < 0 or patience.tries <= 0 or segment.lines:
        return False
    if trace.node.ix >= MOST_ENTRIES or _bytes_of(segment.inputs) > patience.n_bytes + MOST_BYTES:
        return False
    if len(threads.living) > 1 or trace.strays or trace.duals is not None or trace.vmaps or settings.log or watchers:
        return False
    # Memory that others see is written at once.
    return all(x._grad is None or x._grad._share is None for x in segment.leaves.values())


def _learn(patience: Patience, plan: FlushPlan | None, inputs: Sequence[Buffer], fails: bool) -> None:
    tape = plan.plan.tape if plan is not None and isinstance(plan.plan, Plan) else None
    if tape is None or settings.interpret:
        return  # not yet
    n_bytes = sum([b.nbytes for b in inputs if b.nbytes <= LIGHT_BYTES]) + sum(tape.out_bytes) + tape.arena_bytes
    work_ps = sum([i.items * i.cost for i in tape.instructions])
    if fails or work_ps > LIGHT_PS or n_bytes > LIGHT_BYTES:
        patience.tries = 0
    patience.n_bytes = _bytes_of(inputs)


def _bytes_of(inputs: Sequence[Buffer]) -> int:
    return sum([b.nbytes for b in inputs])
