"""New entries of the trie: what each gives is found out here, in the baseline tier or by the graph. Runs on a miss
only."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from nbgrad.calls.key import count_of
from nbgrad.errors import NbgradError, user_instruction, user_line
from nbgrad.trace.baseline_builder import NO_BASELINE, BaselineBuilder, Unsupported, baseline_allowed
from nbgrad.trace.builder import Builder
from nbgrad.trace.handle import Handle, make_tensor
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import KINDS, Record, TrieNode, path_between

# A segment longer than this flushes where the instruction that began it comes round again.
SEGMENT_LENGTH = 2000


def advance(trace: Trace, key: Any, record: Record | None = None, numbers: tuple[float | int, ...] = ()) -> TrieNode:
    """Record an entry that is no call, and that no tensor stands for (yet). Its record is its key where none is
    given."""
    node = trace.node.get(key)
    if node is None:
        node = grow(trace, key, key if record is None else record)
    if node.can_fail:
        note_line(trace, node)
    trace.node = node
    if numbers:
        trace.segment.scalars += numbers
    trace.live.append(None)
    return node


def advance_as(trace: Trace, y: Handle, record: Record) -> None:
    """Record an entry that is no call, and let ``y`` stand for its value."""
    node = advance(trace, record)
    unlive(trace, y)
    y._at, y._page = node, trace.page
    trace.live[node.ix] = y


def new_tensor(trace: Trace, *record: object, numbers: tuple[float | int, ...] = ()) -> Handle:
    """A tensor that stands for a new entry with this record."""
    y, node = make_tensor(), advance(trace, record, numbers=numbers)
    y._at, y._page = node, trace.page
    trace.live[node.ix] = y
    return y


def results_of(trace: Trace, event: TrieNode, given: Sequence[object], *how: object) -> list[Handle | None]:
    """A tensor for each result that an event has, as ``given`` says; ``how`` ends the record of each."""
    return [new_tensor(trace, "out", event.ix, k, *how) if is_given else None for k, is_given in enumerate(given)]


def note_line(trace: Trace, node: TrieNode) -> TrieNode:
    """``node``, which can fail. The user's code is here as it is recorded; which line that is, is found out when it
    fails."""
    trace.segment.lines[node.ix] = user_instruction(3)  # behind who took the trace in hand
    return node


def unlive(trace: Trace, y: Handle) -> None:
    """``y`` will stand for another entry: nobody holds the value it stood for."""
    ix = left_by(trace, y, -1)
    if ix >= 0:
        trace.live[ix] = []  # a fresh object: the liveness bits see that only the list holds it


def left_by(trace: Trace, y: Handle, new: int) -> int:
    """The place of the entry that ``y``, which comes to stand for another one, stood for: fresh views of it find it
    there. ``new`` where there is none."""
    segment, page = trace.segment, y._page
    if page is None or page.segment is not segment or not isinstance(at := y._at, TrieNode):  # nested code may write it
        return new
    if (ix := at.ix) >= len(trace.live) or trace.live[ix] is not y:
        return new
    if trace.node.aliases is not None:
        segment.moved[ix] = weakref.ref(y)
    return ix


def grow(trace: Trace, key: Any, given: Record | None = None) -> TrieNode:
    """A new trie node: finds out what the entry gives, and raises the user's mistakes.

    What is no call is ``given``. It stays what it was, in inference mode too: views, aliases, tensors written in place.
    """
    entry = TrieNode(trace.node, key, given)
    if trace.baseline is NO_BASELINE or not _in_the_baseline_tier(trace, entry):
        _by_graph(trace, entry)
    if trace.anomaly is not None:
        entry.can_fail = True  # as far as its line goes
    if given is None:
        if trace.inference:
            entry.inference = True
        return entry
    name, *arguments = given
    kind = KINDS[name]
    entry.inference = kind.inference(*arguments)
    entry.n_inputs += kind.n_inputs
    if kind.is_alias:
        entry.be_alias()
    return entry


def _in_the_baseline_tier(trace: Trace, entry: TrieNode) -> bool:
    """Take the entry in without building its graph; False where that is not to be had in this segment."""
    baseline: BaselineBuilder = trace.baseline or begin_baseline(trace)
    if baseline is NO_BASELINE:
        return False
    try:
        if baseline.at is not trace.node or len(baseline.entries) != entry.ix:
            baseline.sync(trace.node)
        entry.can_fail = baseline.step(entry)
        entry.site = user_line() if entry.can_fail else ""
    except (Unsupported, NbgradError):  # a mistake of the user's is found again, and explained, by the graph
        trace.baseline = NO_BASELINE
        entry.meta = None
        return False
    except BaseException:  # it may be half-way through an entry
        trace.baseline = NO_BASELINE
        raise
    return True


def begin_baseline(trace: Trace) -> BaselineBuilder:
    """What takes in the entries of the running segment, as far as it is new."""
    trace.baseline = BaselineBuilder(SEGMENT_LENGTH) if baseline_allowed() else NO_BASELINE
    return trace.baseline  # type: ignore[no-any-return]


def _by_graph(trace: Trace, entry: TrieNode) -> None:
    builder = builder_of(trace, trace.node)
    builder.site = entry.site = user_line()
    n_scalars, n_nodes = builder.n_scalars, len(builder.nodes)
    try:
        builder.step(entry)
        entry.can_fail = any(x.op.fails_on(x.spec.dtype) for x in builder.nodes[n_nodes:])
        if entry.record[0] in ("call", "view", "pulled"):
            entry.n_scalars += sum([count_of(r) for r in entry.record[2]])
    except BaseException as error:
        if entry.given is None and isinstance(error, NbgradError):  # the user's mistake: programs go on after those
            builder.forget_numbers(n_scalars)
        else:  # it may be half-way through an entry
            trace.builder = None
        raise


def builder_of(trace: Trace, node: TrieNode) -> Builder:
    """The graph of the running segment up to ``node``."""
    if trace.builder is None or path_between(trace.builder.at, node) is None:  # ahead, where Ctrl-C came between
        trace.builder = Builder(segment=trace.segment)
    builder: Builder = trace.builder
    try:
        return builder.sync(node)
    except BaseException:  # it may be half-way through an entry
        trace.builder = None
        raise
