"""Running what was recorded: choose the plan by trie node and liveness, bind, run, hand the results out."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from gc import get_referents
from typing import Any

from nbgrad.errors import GradError, NbgradError, RunError
from nbgrad.graph.node import Node, reach, substitute, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import HOST
from nbgrad.log import next_step
from nbgrad.multi_device import plan_at
from nbgrad.ops.composite import passed_back, read_by
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda import pinned
from nbgrad.runtime.held import bits_of
from nbgrad.runtime.runner import RunOver
from nbgrad.trace.baseline_builder import NO_BASELINE
from nbgrad.trace.baseline_run import baseline_run
from nbgrad.trace.builder import OWN, Builder, refuse_examples
from nbgrad.trace.donation import own_memory, renewed_by
from nbgrad.trace.enter import enter, enter_leaf, mend, note_entry
from nbgrad.trace.export import hand_over_exported
from nbgrad.trace.flush_plan import (
    NEW_VIEW,
    NOTHING,
    OLD_VIEW,
    FlushPlan,
    Seen,
    Struct,
    held_entries,
    is_small,
    is_torn,
    view_place,
)
from nbgrad.trace.grow import advance, builder_of
from nbgrad.trace.handle import (
    HELD,
    NOWHERE,
    ROOT,
    EarlierSegment,
    Handle,
    Segment,
    Trace,
    make_tensor,
    spec_of,
    threads,
)
from nbgrad.trace.mode import enter_anomaly_mode, enter_mode
from nbgrad.trace.nested import apart, hold
from nbgrad.trace.storage import entry_of, keep_views, keeps_place, sharing
from nbgrad.trace.store import meet, recall, remember, used
from nbgrad.trace.trie import Leaf, TrieNode, entry_at, link, path_between
from nbgrad.transform.vjp import is_number, reads_values, stand_in, vjp

Given = Sequence[tuple[Handle, Handle, Buffer]]  # leaves, their gradients, and the values of these


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
            "vmap: nothing can run inside it but values that do not depend on the examples: backward(), numpy() and "
            "writes through .data belong outside. nbgrad.func.grad gives gradients inside"
        )
    return _flush(trace, isolate, planned) if trace.is_in_hand else hold(trace, _flush, isolate, planned)


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
    return _lose_failing(trace) if isolate else _run_by(trace, node, bits, None, planned=True)


def _run_by(trace: Trace, node: TrieNode, bits: bytes, plan: Any, planned: bool) -> FlushPlan:
    """Run a segment by the plan that it has, or by one that is made now, or without one unless it shall be
    ``planned``."""
    if type(plan) is not FlushPlan:
        if not planned:
            first = _run_unplanned(trace, node, bits, plan)
            if first is not None:
                return first
        link(node)
        plan = _plan(trace, node, bits)  # fails where a device cannot be had, in a forked process for example
        next_step()
    used(node, bits)
    _run(trace, plan)
    return plan  # type: ignore[no-any-return]


def _drop_foreign(trace: Trace) -> None:
    """Hold no longer what another thread, or nested code, has brought into memory (``materialize``) or written, nor
    what it was before where this thread has written it since. The plan gives it nothing, so it must not be found again
    where the same is recorded and nobody did."""
    live, segment = trace.live, trace.segment
    for ix, y in enumerate(live):
        if isinstance(y, Handle) and (y.segment is not segment or y.at.ix != ix):
            live[ix] = []  # nobody holds this


def _run_unplanned(trace: Trace, node: TrieNode, bits: bytes, seen: Seen | None) -> FlushPlan | None:
    """Run in the baseline tier what came so seldom that no plan pays yet; None where it is to be planned now.

    What comes for the first time is met, and no more; the trie leads there from the second time on.
    """
    digest, baseline = None, trace.baseline
    if not node.is_linked and baseline is not None and baseline is not NO_BASELINE:
        digest = baseline.digest(bits)
        before_s = recall(digest) if baseline.met_s is None else baseline.met_s
        if before_s is not None:
            link(node)
            seen, digest = Seen(before_s), None
            _keep(node, bits, seen)
    if seen is not None and seen.is_worth_planning(node):
        return None
    is_timed = not is_small(len(trace.live))
    begun_s = time.thread_time() if is_timed else 0.0  # as plans are reckoned: on a busy machine both wait
    first = baseline_run(trace, node, bits)
    if first is None:
        return None
    spent_s = time.thread_time() - begun_s if is_timed else 0.0
    if digest is not None:
        meet(digest, spent_s)
    else:
        seen = seen or Seen(0.0)
        seen.spent_s += spent_s
        _keep(node, bits, seen)
    commit(trace, *first)
    return first[0]


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
        _hand_over(segment, live, plan, buffers, given)
        restart(trace)
    except BaseException:
        _hand_over(segment, live, plan, buffers, given)  # what was done the first time is left alone
        restart(trace)
        raise


def _hand_over(
    segment: Segment, live: Sequence[Any], plan: FlushPlan, buffers: list[Buffer], given: Given = ()
) -> None:
    for x, g, buffer in given:
        g.buffer = buffer
        x._grad = g
    struct, earlier = plan.struct, None
    if struct is not None:
        kept = struct.nothing
        if struct.kept_inputs or plan.saved_places:
            own = segment.inputs
            kept = [own[i] if i in struct.kept_inputs else None for i in range(len(own))]
            kept += [buffers[p] for p in plan.saved_places]
        earlier = EarlierSegment(struct, segment, kept, struct.freed)
    looks_for_pins = pinned.ever.is_pinned
    had = get_referents(*[live[ix] for ix, _, _ in plan.commits])  # which may end with this, and run code of the user's
    for ix, place, leaf in plan.commits:
        y: Handle | None = live[ix]
        if y is None:  # what a signal's handler raised came before this had its tensor
            continue
        at, page, share = y.at, y.page, y.share
        if page is None or page.segment is not segment or at.ix != ix:
            continue
        history = None if earlier is None or leaf.is_leaf else (earlier, ix)
        if place < 0:  # a view: its value is its root's
            if share is not None and not keeps_place(share):
                history = None  # it was written since
            elif place != NEW_VIEW:
                history = getattr(y, "history", None)
            # In one line with the question, as nothing may come between.
            if y.at is at and y.page is page: y.history, y.at, y.page = history, leaf, None  # fmt: skip  # noqa: E701
            continue
        if looks_for_pins and pinned.is_pinned(getattr(y, "buffer", None)):  # what is written in place stays pinned
            buffers[place] = pinned.pin(buffers[place])
        buffer = buffers[place]
        if share is not None and share.storage.export is not None:
            hand_over_exported(y, segment, at, buffer, history, leaf)
            continue
        if y.at is at and y.page is page: y.buffer, y.history, y.at, y.entered, y.page = buffer, history, leaf, NOWHERE, None  # fmt: skip  # noqa: E501, E701
    del had


def restart(trace: Trace) -> None:
    """Begin a new segment; the modes in force are its first entries where they are not the usual ones."""
    trace.reset()
    if not trace.grad_enabled:
        enter_mode(trace)
    if trace.anomaly is not None:
        enter_anomaly_mode(trace)


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
        if isinstance(y, Handle) and y.segment is trace.segment and y.at.ix == ix:
            _mark(trace, y, error)
    restart(trace)


def _mark(trace: Trace, y: Handle, error: Exception) -> None:
    if isinstance(y.at, TrieNode) and y.at.is_alias:  # what it shows has its own error, if so
        y.at, y.history, y.page = Leaf.of(spec_of(y), False, True), None, None
        return
    share = sharing(y)
    share.error = error = copy.copy(error)  # without the frames that it passed
    spec = spec_of(y)
    if spec.place != HOST:
        trace.unheard.setdefault(spec.place, error)
    is_leaf = y.at.is_leaf  # a parameter whose update failed is one still
    y.at, y.buffer, y.history, y.page = Leaf.of(spec, is_leaf and y.at.requires_grad, True), NOTHING, None, None


def _lose_failing(trace: Trace) -> FlushPlan | None:
    """An instruction failed: find the held values that need it, let them say so when they are read, run the rest."""
    live, segment = trace.live, trace.segment
    bits = bits_of(live)
    builder = builder_of(trace, trace.node)
    for y, entry in held_entries(trace, bits):
        try:
            evaluate(builder, segment, _needed(builder, entry))
        except (NbgradError, MemoryError) as error:
            _mark(trace, y, error)
            live[entry.ix] = []  # nobody holds it: it is not part of what runs now
        del y
    try:
        flush(trace, isolate=False)
    except (NbgradError, MemoryError) as error:  # each fits into memory alone, but not all together
        _poison(trace, error)
    return None


def _needed(builder: Builder, entry: TrieNode) -> list[Node]:
    """The value of an entry, and what its derivative will read."""
    node = builder.node_of(entry.ix)
    saved = () if entry.is_leaf else _saved(builder, [node])[0]
    return [node, *[builder.nodes[i] for i in saved]]


def evaluate(builder: Builder, segment: Segment, nodes: Sequence[Node]) -> list[Buffer]:
    """Values of a segment, without the rest of it."""
    _check_kept(builder, segment, nodes)
    refuse_examples(builder, nodes)
    once = FlushPlan()
    once.plan = plan_at(substitute(nodes, builder.saved), [builder.place_of(x) for x in nodes])
    once.origin, once.scalar_origin = list(builder.origin), list(builder.scalar_origin)
    try:
        return once.run(segment)
    except RunOver as stop:
        raise stop.error from None


def _plan(trace: Trace, node: TrieNode, bits: bytes) -> FlushPlan:
    """Make the plan for a structure and liveness not seen before."""
    builder = builder_of(trace, node)
    flush_plan = FlushPlan()
    held = held_entries(trace, bits)
    roots: list[Node] = []
    places: dict[Node, int] = {}

    def place_of(root: Node) -> int:
        root = _bare(root, builder.saved)
        if root not in places:
            places[root] = len(roots)
            roots.append(root)
        return places[root]

    for _, entry in held:
        place = view_place(entry) if entry.is_alias else place_of(builder.node_of(entry.ix))
        flush_plan.commits.append((entry.ix, place, entry.in_memory))
        if not entry.is_leaf and place != OLD_VIEW:
            flush_plan.histories.append(entry.ix)
    if flush_plan.histories:
        saved, kept, readers = _saved(builder, [builder.node_of(ix) for ix in flush_plan.histories])
        flush_plan.saved_places = [place_of(builder.nodes[i]) for i in saved]
        freed = frozenset([i for i, x in enumerate(builder.nodes) if x in builder.freed])
        end = entry_at(node, max(flush_plan.histories))
        later = [entry for entry in path_between(end, node) or () if entry.record[0] == "earlier segment"]
        n_earlier = len(builder.earlier) - len(later)
        flush_plan.struct = Struct(end, builder.n_inputs, kept, saved, readers, freed, n_earlier)
    if builder.earlier:
        flush_plan.origin = list(builder.origin)
        flush_plan.scalar_origin = list(builder.scalar_origin)
    if roots:
        _check_kept(builder, trace.segment, roots)
        refuse_examples(builder, roots)
        seen = node.plans is not None and bits in node.plans  # it ran once, in the baseline tier
        flush_plan.renewed = renewed_by(trace, flush_plan)
        own = {j: position for position, (k, j) in enumerate(builder.origin) if k == OWN}
        donations = {place: own[j] for _, j, place in flush_plan.renewed}
        at = [builder.place_of(root) for root in roots]
        flush_plan.plan = plan_at(substitute(roots, builder.saved), at, recurs=seen, donations=donations)
    if len(held) == sum([bits[ix] and isinstance(y, Handle) for ix, y in enumerate(trace.live)]):
        _keep(node, bits, flush_plan)  # otherwise somebody else has taken a value since the bits were found
    return flush_plan


def _check_kept(builder: Builder, segment: Segment, roots: Sequence[Node]) -> None:
    """Never compute with memory that was given back: a value that is needed and was not kept is an error."""
    if not builder.earlier:
        return
    for x in reach(substitute(roots, builder.saved), read_by):
        if x.op.name == "input":
            earlier, place = builder.origin[x.params[0]]
            if earlier != OWN and segment.buffers[earlier][place] is None:
                raise RunError(f"a value of an earlier computation, {x.spec}, was not kept: this is a bug of nbgrad")


def _keep(node: TrieNode, bits: bytes, plan: FlushPlan) -> None:
    if node.plans is None:
        node.plans = {}
    node.plans[bits] = plan
    remember(node, bits, once=type(plan) is Seen or plan.plan is None)  # nothing runs: nothing to plan again


def _saved(builder: Builder, roots: list[Node]) -> tuple[tuple[int, ...], frozenset[int], frozenset[int]]:
    """What the derivatives of ``roots`` by leaves and by each other will read: own nodes to keep, own inputs to hold on
    to, own nodes that read."""
    if builder.functions:
        behind = reach(roots, lambda x: (*x.inputs, *_sent_to(builder, x)))
        roots = [*roots, *[y for x in behind for y in _sent_to(builder, x)]]
    order = toposort(roots)
    stops = builder.stops  # no cotangent goes beyond a value without gradient, say a new parameter
    passed = reach([x for x in roots if x not in stops], lambda x: [y for y in passed_back(x) if y not in stops])
    unfreed = [x for x in order if x in passed and x not in builder.freed and x.inputs and reads_values(x)]
    if not unfreed:
        return (), frozenset(), frozenset()
    sources = [x for x in order if x in builder.leaves or x in builder.pasts or x.op.name == "boundary"]
    seeds = [stand_in(x) for x in roots]
    used_up = [x for x in order if x in builder.freed and x.inputs and reads_values(x)]  # derivatives end there
    wanted = [*sources, *used_up, *roots]
    grads = [g for g in vjp(roots, seeds, wanted, stops=stops.union(used_up)) if g is not None]
    forward = set(order)
    index = {x: i for i, x in enumerate(builder.nodes)}
    saved: set[int] = set()
    inputs: set[int] = set()
    for x in reach(grads, lambda x: () if x in forward else x.inputs):
        if x not in forward:
            continue
        x = _memory_of(x, builder.saved)
        if x.op.name == "input":
            earlier, place = builder.origin[x.params[0]]
            if earlier == OWN:
                inputs.add(place)
        elif x.op.kind is not Kind.SOURCE and not is_number(x) and x in index:  # other earlier segments keep their own
            saved.add(index[x])
    return tuple(sorted(saved)), frozenset(inputs), frozenset([index[x] for x in unfreed if x in index])


def _sent_to(builder: Builder, x: Node) -> list[Node]:
    """What the custom function whose boundary ``x`` is sends cotangents to."""
    if x.op.name != "boundary" or x.params[0][0] != OWN:
        return []
    return [builder.node_of(r) for r in builder.functions[x.params[0][1]].inputs if r >= 0]


def _bare(x: Node, saved: dict[Node, Node]) -> Node:
    """The node that has the value of ``x``, whatever its history: one buffer serves all who want it."""
    while x.op.name in ("detach", "rebase_history") and x not in saved:
        x = x.inputs[-1]
    return x


def _memory_of(x: Node, saved: dict[Node, Node]) -> Node:
    """The node whose memory a view looks at; the input that holds it where it was computed before."""
    while x not in saved and (x.op.kind is Kind.VIEW or x.op.name in ("detach", "rebase_history", "overwrite_history")):
        x = x.inputs[0] if x.op.kind is Kind.VIEW else x.inputs[-1]
    return saved.get(x, x)


def aside(trace: Trace, a: Handle) -> Handle:
    """A tensor with the value of ``a``, computed without the rest of what was recorded. RuntimeError where it is that
    of many examples."""
    entry = entry_of(trace, a)
    builder = _read_up_to(trace.segment, entry)
    twin = make_tensor()
    (twin.buffer,) = evaluate(builder, trace.segment, [builder.node_of(entry.ix)])
    assert entry.spec is not None
    twin.at, trace.segment.read = Leaf.of(entry.spec, False, True), builder
    return twin


def read_foreign(trace: Trace, a: Handle, *, goes_on: bool = False) -> TrieNode:
    """The entry of a tensor that another thread has recorded and not run yet: its value is computed aside,
    where that thread ``goes_on`` while it does.

    Only reads the other segment, whose lists only grow, so that thread goes on undisturbed. Where the segment waits
    below, and has just run, its values are handed over.
    """
    while (segment := a.segment) is not None and segment is not trace.segment:
        if segment.run is not None and segment.run[2].is_over:
            live, plan, renewed = segment.run
            _hand_over(segment, live, plan, renewed.results)
        entry, now = a.at, a.segment
        if now is segment and isinstance(entry, TrieNode):  # otherwise nested code wrote it meanwhile
            return _read_pending(trace, a, segment, entry, goes_on)
    return enter(trace, a)  # it was flushed meanwhile


def _read_pending(trace: Trace, a: Handle, segment: Segment, entry: TrieNode, goes_on: bool) -> TrieNode:
    if segment.trace.segment is not segment and a.segment is segment:
        raise GradError(
            "this tensor's value was lost: the computation that records it was given up after an error or Ctrl-C"
        )
    known, then = trace.segment.entered.get(id(a)), (segment.token, entry)
    if known is not None and known[2] == then:
        return known[1]
    builder = _read_up_to(segment, entry)
    nodes = [builder.node_of(entry.ix)]
    (buffer,) = apart(trace, evaluate, builder, segment, nodes) if goes_on else evaluate(builder, segment, nodes)
    segment.read = builder
    assert entry.spec is not None
    if not entry.requires_grad or entry.is_leaf:
        trace.segment.inputs.append(buffer)
        found = enter_leaf(trace, a, Leaf.of(entry.spec, entry.requires_grad, True, entry.inference))
    else:
        struct = _foreign_struct(entry, builder)
        earlier = EarlierSegment(struct, segment, list(segment.inputs[: builder.n_inputs]), frozenset())
        key = ("history", entry.spec)
        trace.segment.inputs.append(buffer)
        found = advance(trace, key)
        trace.segment.past[found.ix] = (earlier, entry.ix)
    note_entry(trace.segment, a, found, then)
    return found


def _read_up_to(segment: Segment, entry: TrieNode) -> Builder:
    """The graph of another thread's segment up to ``entry``. It goes on from where that was read last: who looks again
    and again at what a thread writes would build all of it each time."""
    builder: Builder | None = segment.read
    segment.read = None  # what Ctrl-C cuts short is not gone on with, and what one thread works with is its own
    if builder is None or path_between(builder.at, entry) is None:
        builder = Builder(segment=segment)
    return builder.sync(entry)


def _foreign_struct(entry: TrieNode, builder: Builder) -> Struct:
    """Nothing is kept but the inputs: derivatives compute the other segment's values again."""
    if not isinstance(entry.meta, Struct):
        inputs = frozenset(range(builder.n_inputs))
        entry.meta = Struct(entry, builder.n_inputs, inputs, (), frozenset([-1]), frozenset(), len(builder.earlier))
    return entry.meta
