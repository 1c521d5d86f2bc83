"""All of a ``backward`` over a structure that has no plan: one scalar, nothing from earlier segments, and gradients
that nobody shares. The baseline tier gives them to the leaves, and no op record is made for them. When it has come
often enough it is recorded like any other, and gets its plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.baseline_builder import NO_BASELINE, BaselineBuilder
from nbgrad.trace.baseline_run import baseline_at, run_held
from nbgrad.trace.flush_plan import FlushPlan, is_torn
from nbgrad.trace.flushing import Given, bits_of, without_plan
from nbgrad.trace.handle import Handle, make_tensor, spec_of
from nbgrad.trace.storage import keep_views
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import Leaf


def backward_by_baseline(trace: Trace, output: Handle, retain: bool) -> bool:
    """All of a ``backward`` from a simple output (see autograd/again.py), by the baseline tier.

    False, with nothing done that anybody sees, where the trie leads on, as it does to a plan, or the graph is needed.
    """
    node, segment, live = trace.node, trace.segment, trace.live
    if node or retain or trace.watcher is not None or trace.duals is not None or not trace.grad_enabled:
        return False
    baseline = trace.baseline = baseline_at(trace, node) or NO_BASELINE
    if baseline is NO_BASELINE or baseline.was_derived:
        return False
    spec = output._at.spec
    if not output._at.requires_grad or spec is None or spec.size != 1 or is_torn(trace):
        return False
    grads = [x._grad for x in segment.leaves.values()]
    there = bytes([g is not None for g in grads])
    if any(there) and not _are_simple(segment.leaves.values(), grads):
        return False
    keep_views(trace)
    bits = bits_of(live)
    digest = baseline.digest(bits + there, output._at.ix)
    times = 2  # with the entries of the backward
    done = without_plan(trace, baseline, digest, times, lambda: _run_backward(trace, baseline, output, bits))
    return done is not None


def _are_simple(leaves: Iterable[Handle], grads: Sequence[Handle | None]) -> bool:
    """Whether gradients, where there are any, are tensors in memory like those that a backward makes, each of one
    leaf."""
    there = [(x, g) for x, g in zip(leaves, grads, strict=True) if g is not None]
    return len({id(g) for _, g in there}) == len(there) and all(
        g._share is None and g._page is None and g._history is None and g._at is _state(x) for x, g in there
    )


def _state(x: Handle) -> Leaf:
    """The state of a gradient of ``x``."""
    return Leaf.of(spec_of(x), False, True)


def _run_backward(
    trace: Trace, baseline: BaselineBuilder, output: Handle, bits: bytes
) -> tuple[FlushPlan, list[Buffer], Given]:
    leaves = trace.segment.leaves
    pairs, wanted, more = [], [], []
    for ix, value in baseline.gradients(output._at.ix):
        x = leaves[ix]
        state, g = _state(x), x._grad
        if g is None:
            g = make_tensor()
            g._at = state
            place = baseline.row_major_slot(value)
        else:
            line, place = baseline.added(state, value)
            more.append((line, g._buffer))
        pairs.append((x, g))
        wanted.append((place, state.spec.size_bytes))
    plan, buffers, values = run_held(trace, baseline, trace.node, bits, wanted, more)
    return plan, buffers, [(x, g, buffer) for (x, g), buffer in zip(pairs, values, strict=True)]
