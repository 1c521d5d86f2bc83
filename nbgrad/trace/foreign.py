"""Values of what is still pending, computed apart from the rest: those of other threads, and one of one's own."""

from __future__ import annotations

import weakref

from nbgrad.errors import GradError
from nbgrad.trace.builder import Builder
from nbgrad.trace.enter import enter, enter_leaf
from nbgrad.trace.flush_plan import Struct
from nbgrad.trace.flushing import hand_over
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import Handle, later, tensor_in
from nbgrad.trace.nested import apart
from nbgrad.trace.planning import evaluate
from nbgrad.trace.storage import entry_of
from nbgrad.trace.thread import EarlierSegment, Segment, Trace
from nbgrad.trace.trie import Leaf, TrieNode, path_between


def read_foreign(trace: Trace, a: Handle, *, goes_on: bool = False) -> TrieNode:
    """The entry of a tensor that another thread has recorded and not run yet: its value is computed aside,
    where that thread ``goes_on`` while it does.

    Only reads the other segment, whose lists only grow, so that thread goes on undisturbed. Where the segment waits
    below, and has just run, its values are handed over.
    """
    found = _pending_elsewhere(trace, a)
    return enter(trace, a) if found is None else _read_pending(trace, a, *found, goes_on)


def foreign_history(trace: Trace, a: Handle) -> tuple[EarlierSegment, int] | None:
    """The place in the graph of a view that another thread has recorded and not run yet; None where it has none. Its
    value is that of what it shows."""
    found = _pending_elsewhere(trace, a)
    if found is None:
        return a._history if a._page is None else None
    segment, entry = found
    if not entry.requires_grad or entry.is_leaf:
        return None
    builder = segment.read = _read_up_to(segment, entry)
    return _copy_of(segment, entry, builder), entry.ix


def _pending_elsewhere(trace: Trace, a: Handle) -> tuple[Segment, TrieNode] | None:
    """The other segment that ``a`` waits in, and its entry there; None where it was flushed meanwhile."""
    while (segment := a._segment) is not None and segment is not trace.segment:
        if segment.run is not None and segment.run[2].is_over:
            live, plan, renewed = segment.run
            hand_over(segment, live, plan, renewed.results)
        entry, now = a._at, a._segment
        if now is segment and isinstance(entry, TrieNode):  # otherwise nested code wrote it meanwhile
            if segment.trace.segment is not segment and a._segment is segment:
                raise GradError(
                    "this tensor's value was lost: the computation that records it was given up after an error or "
                    "Ctrl-C"
                )
            return segment, entry
    return None


def _read_pending(trace: Trace, a: Handle, segment: Segment, entry: TrieNode, goes_on: bool) -> TrieNode:
    known, then = trace.segment.entered.get(id(a)), (segment.token, entry)
    if known is not None and known[2] == then:
        return known[1]
    builder = _read_up_to(segment, entry)
    nodes = [builder.node_of(entry.ix)]
    (buffer,) = apart(trace, evaluate, builder, segment, nodes) if goes_on else evaluate(builder, segment, nodes)
    segment.read = builder
    earlier = None if entry.is_leaf else _copy_of(segment, entry, builder)
    trace.segment.inputs.append(buffer)
    if earlier is None:
        found = enter_leaf(trace, a, entry.in_memory)
    else:
        found = advance(trace, ("history", entry.spec))
        trace.segment.past[found.ix] = (earlier, entry.ix)
    if known is not None:
        trace.segment.moved[known[1].ix] = weakref.ref(a)
    trace.segment.entered[id(a)] = a, found, then
    return found


def aside(trace: Trace, a: Handle) -> Handle:
    """A tensor with the value of ``a``, computed without the rest of what was recorded. RuntimeError where it is that
    of many examples."""
    entry = entry_of(trace, a)
    builder = _read_up_to(trace.segment, entry)
    (buffer,) = evaluate(builder, trace.segment, [builder.node_of(entry.ix)])
    assert entry.spec is not None
    trace.segment.read = builder
    return tensor_in(buffer, Leaf.of(entry.spec, False, True))


def _read_up_to(segment: Segment, entry: TrieNode) -> Builder:
    """The graph of another thread's segment up to ``entry``. It goes on from where that was read last: who looks again
    and again at what a thread writes would build all of it each time."""
    builder: Builder | None = segment.read
    segment.read = None  # what Ctrl-C cuts short is not gone on with, and what one thread works with is its own
    if builder is None or path_between(builder.at, entry) is None:
        builder = Builder(segment=segment)
    return builder.sync(entry)


def _copy_of(segment: Segment, entry: TrieNode, builder: Builder) -> EarlierSegment:
    """Another thread's segment up to ``entry``, as derivatives go back through it, also where what is recorded there is
    taken back afterwards."""
    if not isinstance(entry.meta, Struct):  # nothing is kept but the inputs: derivatives compute its values again
        inputs = frozenset(range(builder.n_inputs))
        entry.meta = Struct(entry, builder.n_inputs, inputs, (), frozenset([-1]), frozenset(), len(builder.earlier))
    copied = EarlierSegment(entry.meta, segment, [*segment.inputs[: builder.n_inputs]], frozenset())
    copied.scalars, copied.functions = segment.scalars[: entry.n_scalars], segment.functions[:]
    return copied


later.read_foreign = read_foreign
