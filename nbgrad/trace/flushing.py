"""Running what was recorded: choose the plan by trie node and liveness, bind, run, hand the results out."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from gc import get_referents
from typing import Any

from nbgrad.errors import NbgradError, RunError, is_internal
from nbgrad.graph.spec import HOST
from nbgrad.log import next_step
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda import pinned
from nbgrad.runtime.held import MANY, held
from nbgrad.runtime.references import held_bits
from nbgrad.runtime.runner import InstructionFailed, RunOver
from nbgrad.trace.baseline_builder import NO_BASELINE, BaselineBuilder, Unsupported
from nbgrad.trace.baseline_run import baseline_at, run_held
from nbgrad.trace.enter import mend
from nbgrad.trace.export import hand_over_exported
from nbgrad.trace.flush_plan import (
    NEW_VIEW,
    NOTHING,
    TAKE_IN_S,
    FlushPlan,
    held_entries,
    is_small,
    is_torn,
    is_worth_planning,
)
from nbgrad.trace.grow import builder_of
from nbgrad.trace.handle import NOWHERE, ROOT, Handle, later, spec_of
from nbgrad.trace.history import keeps_place
from nbgrad.trace.mode import enter_modes
from nbgrad.trace.nested import apart, hold
from nbgrad.trace.planning import evaluate, own_memory, plan_flush, saved_by
from nbgrad.trace.segment import Segment
from nbgrad.trace.storage import keep_views, sharing
from nbgrad.trace.store import link_unplanned, meet, recall
from nbgrad.trace.thread import HELD, Trace, threads
from nbgrad.trace.trie import Leaf, TrieNode, link

Given = Sequence[tuple[Handle, Handle, Buffer]]  # leaves, their gradients, and the values of these


def bits_of(live: list[Any]) -> bytes:
    """For each entry a byte: 1 where somebody holds what stands for it."""
    return (len(live) >= MANY and held(live)) or held_bits(live)


def flush(trace: Trace, *, isolate: bool = True, planned: bool = False) -> FlushPlan | None:
    """Run the thread's pending trace and give every value that somebody still holds its memory; gives what was done.

    Where an instruction fails or cannot be planned, whoever reads a value that needs it gets the error, and nobody
    else; without ``isolate`` the error is raised here and everything stays pending: it is that of a second run, by a
    plan with the lines of this time. With ``planned`` not at the baseline tier: the plan that is given will be run
    again.
    """
    if trace.node is ROOT:
        return None
    if trace.vmaps:
        raise RunError(
            "vmap: nothing can run inside it but values that do not depend on the examples: backward() and "
            "writes through .data belong outside. nbgrad.func.grad gives gradients inside"
        )
    run = _flush if trace.duals is None else trace.duals.around(_flush)
    return run(trace, isolate, planned) if trace.is_in_hand else hold(trace, run, isolate, planned)


def _flush(trace: Trace, isolate: bool, planned: bool) -> FlushPlan | None:
    node = trace.node
    if trace.watcher is not None:
        trace.watcher.looked()
    if is_torn(trace):
        mend(trace)
        if is_torn(trace):
            _give_up_torn(trace)
    if node.aliases is not None:
        keep_views(trace)
    if threads.several or trace.strays:
        _drop_foreign(trace)
    bits = bits_of(trace.live)
    plan = node.plans.get(bits) if node.plans is not None else None
    segment = trace.segment
    try:
        return _run_by(trace, node, bits, plan, planned)
    except (NbgradError, MemoryError):
        if trace.segment is not segment:  # it ran, and a signal's handler raised this
            raise
        trace.builder = None  # anew, it knows the lines of this time
    except Exception as error:
        if trace.segment is segment and is_internal(error):
            raise _give_up(trace, error) from error
        raise
    return _lose_failing(trace) if isolate else _run_by(trace, node, bits, None, planned=True)


def _run_by(trace: Trace, node: TrieNode, bits: bytes, plan: Any, planned: bool) -> FlushPlan:
    """Run a segment by the plan that it has, or by one that is made now, or without one unless it shall be
    ``planned``."""
    if plan is None:
        recurs = False
        if not planned:
            first, recurs = _run_unplanned(trace, node, bits)
            if first is not None:
                return first
        link(node)
        plan = plan_flush(trace, node, bits, recurs)  # fails where a device cannot be had, in a forked process
        next_step()
    _run(trace, plan)
    return plan  # type: ignore[no-any-return]


def _drop_foreign(trace: Trace) -> None:
    """Hold no longer what another thread, or nested code, has brought into memory (``materialize``) or written, nor
    what it was before where this thread has written it since. The plan gives it nothing, so it must not be found again
    where the same is recorded and nobody did."""
    live, segment = trace.live, trace.segment
    for ix, y in enumerate(live):
        if isinstance(y, Handle) and (y._segment is not segment or y._at.ix != ix):
            live[ix] = []  # nobody holds this


def _run_unplanned(trace: Trace, node: TrieNode, bits: bytes) -> tuple[FlushPlan | None, bool]:
    """Run in the baseline tier what came so seldom that no plan pays yet; None where it is to be planned now. And
    whether it came before."""
    baseline = baseline_at(trace, node)
    if baseline is None:
        return None, False
    done = without_plan(
        trace, baseline, baseline.digest(bits), 1, lambda: run_held(trace, baseline, node, bits, (), ())
    )
    return done, baseline.met_s is not None


def without_plan(
    trace: Trace, baseline: BaselineBuilder, digest: int, times: int, run: Callable[[], tuple[Any, ...]]
) -> FlushPlan | None:
    """Have ``run`` run the segment in the baseline tier, and write down that it came; None where it cannot, or where it
    is to be planned now, with so many ``times`` as many entries as there are yet. The trie leads to what has a plan;
    what has none is known by ``digest``."""
    before_s, size = recall(digest), times * len(trace.live)
    baseline.met_s = baseline.met_s if before_s is None else before_s
    if baseline.met_s is not None and is_worth_planning(trace.node, baseline.met_s, times):
        return None
    begun_s = 0.0 if is_small(size) else time.thread_time()  # as plans are reckoned: on a busy machine both wait
    trace.baseline = NO_BASELINE  # whatever comes in between, the program serves no other end of the segment
    try:
        plan, buffers, given = run()
    except (Unsupported, InstructionFailed, NbgradError):  # the graph explains why
        return None
    run_s = 0.0 if is_small(size) else time.thread_time() - begun_s
    meet(digest, (baseline.met_s or 0.0) + run_s + size * TAKE_IN_S)
    if before_s is not None and not trace.node.is_linked:
        link_unplanned(trace.node)
    commit(trace, plan, buffers, given)
    return plan  # type: ignore[no-any-return]


def _run(trace: Trace, plan: FlushPlan) -> None:
    """Run the segment and hand the results over, both or neither: whatever a signal's handler raises. Parameters are
    written where they are, if nobody else has them."""
    segment, buffers = trace.segment, None
    try:
        if not plan.renewed or (trace.taken is HELD and len(threads.living) > 1):  # others may read it
            buffers = apart(trace, plan.run, segment) if trace.taken is HELD else plan.run(segment)
        else:
            renewed = own_memory(segment, trace.live, plan)
            segment.run = trace.live, plan, renewed
            buffers = plan.run(segment, renewed)
        commit(trace, plan, buffers)
    except RunOver as stop:
        commit(trace, plan, stop.results)
        raise stop.error from None
    except BaseException:
        if buffers is not None and trace.segment is segment:
            commit(trace, plan, buffers)
        raise
    finally:
        segment.run = None


def commit(trace: Trace, plan: FlushPlan, buffers: list[Buffer], given: Given = ()) -> None:
    """Hand the results over, and the gradients that are ``given``, and begin a new segment. What a signal's handler
    raises is heard when all is done."""
    segment, live = trace.segment, trace.live
    try:
        hand_over(segment, live, plan, buffers, given)
        restart(trace)
    except BaseException:
        hand_over(segment, live, plan, buffers, given)  # what was done the first time is left alone
        restart(trace)
        raise


def hand_over(segment: Segment, live: Sequence[Any], plan: FlushPlan, buffers: list[Buffer], given: Given = ()) -> None:
    for x, g, buffer in given:
        g._buffer = buffer
        x._grad = g
    earlier = None if plan.struct is None else plan.earlier(segment, segment.inputs, buffers)
    looks_for_pins = pinned.ever.is_pinned
    had = get_referents(*[live[ix] for ix, _, _ in plan.commits])  # which may end with this, and run code of the user's
    for ix, place, leaf in plan.commits:
        y: Handle | None = live[ix]
        if y is None:  # what a signal's handler raised came before this had its tensor
            continue
        at, page, share = y._at, y._page, y._share
        if page is None or page.segment is not segment or at.ix != ix:
            continue
        history = None if earlier is None or leaf.is_leaf else (earlier, ix)
        if place < 0:  # a view: its value is its root's
            if share is not None and not keeps_place(share):
                history = None  # it was written since
            elif place != NEW_VIEW:
                history = getattr(y, "_history", None)
            # In one line with the question, as nothing may come between.
            if y._at is at and y._page is page: y._history, y._at, y._page = history, leaf, None  # fmt: skip  # noqa: E701  (nothing may come between)
            continue
        if looks_for_pins and pinned.is_pinned(getattr(y, "_buffer", None)):  # what is written in place stays pinned
            buffers[place] = pinned.pin(buffers[place])
        buffer = buffers[place]
        if share is not None and share.storage.export is not None:
            hand_over_exported(y, segment, at, buffer, history, leaf)
            continue
        if y._at is at and y._page is page: y._buffer, y._history, y._entered, y._at, y._page = buffer, history, NOWHERE, leaf, None  # fmt: skip  # noqa: E501, E701  (nothing may come between)
    del had


def restart(trace: Trace) -> None:
    """Begin a new segment; the modes in force are its first entries where they are not the usual ones."""
    trace.reset()
    if not trace.grad_enabled or trace.autocast is not None or trace.anomaly is not None:
        enter_modes(trace)


def _give_up(trace: Trace, error: Exception) -> RunError:
    """What is said of a mistake of ours, after which the next segment starts clean."""
    what = f"{type(error).__name__}: {error}"
    told = RunError(f"this cannot be computed, which is a bug of nbgrad: {what}. The values that were pending are lost")
    _poison(trace, told)
    return told


def _give_up_torn(trace: Trace) -> None:
    """An exception (Ctrl-C) struck between two steps of recording one operation: what is pending cannot be trusted."""
    error = RunError(
        "recording was interrupted half-way through an operation (Ctrl-C?): the values that were pending then are "
        "lost; compute them again"
    )
    _poison(trace, error)
    raise error


def _poison(trace: Trace, error: Exception) -> None:
    """The values that could not be computed say so when they are read; the next segment starts clean."""
    for ix, y in enumerate(trace.live):
        if isinstance(y, Handle) and y._segment is trace.segment and y._at.ix == ix:
            lose(trace, y, error)
    restart(trace)


def lose(trace: Trace, y: Handle, error: Exception) -> None:
    """Have ``y`` say when it is read why its value could not be computed."""
    if isinstance(y._at, TrieNode) and y._at.is_alias:  # what it shows has its own error, if so
        y._at, y._history, y._page = Leaf.of(spec_of(y), False, True), None, None
        return
    share = sharing(y)
    share.error = error = copy.copy(error)  # without the frames that it passed
    spec = spec_of(y)
    if spec.place != HOST:
        trace.unheard.setdefault(spec.place, error)
    is_leaf = y._at.is_leaf  # a parameter whose update failed is one still
    y._at, y._buffer, y._history, y._page = Leaf.of(spec, is_leaf and y._at.requires_grad, True), NOTHING, None, None


def _lose_failing(trace: Trace) -> FlushPlan | None:
    """An instruction failed: find the held values that need it, let them say so when they are read, run the rest."""
    live, segment = trace.live, trace.segment
    bits = bits_of(live)
    builder = builder_of(trace, trace.node)
    for y, entry in held_entries(trace, bits):
        try:
            node = builder.node_of(entry.ix)  # and what its derivative will read
            saved = () if entry.is_leaf else saved_by(builder, [node])[0]
            evaluate(builder, segment, [node, *[builder.nodes[i] for i in saved]])
        except (NbgradError, MemoryError) as error:
            lose(trace, y, error)
            live[entry.ix] = []  # nobody holds it: it is not part of what runs now
        del y
    try:
        flush(trace, isolate=False)
    except (NbgradError, MemoryError) as error:  # each fits into memory alone, but not all together
        _poison(trace, error)
    return None


later.flush = flush
