"""What a tensor shows now: the entry of its value, read again where what it shows was written since.

A root has its value itself, or takes it from its storage, with a history of its own. A view is read again by the steps
from its root. While its version is the same, it keeps its place in the graph. What is still pending elsewhere, with
other threads or nested code, is computed apart from the rest.
"""

from __future__ import annotations

import weakref
from typing import Any

from nbgrad.errors import GradError
from nbgrad.trace.builder import Builder
from nbgrad.trace.enter import enter, enter_leaf, enter_stretch, enter_value, enter_view
from nbgrad.trace.flush_plan import Struct
from nbgrad.trace.flushing import hand_over
from nbgrad.trace.grow import advance, advance_as, unlive
from nbgrad.trace.handle import INFERENCE, NO_GRAD, PLAIN, Handle, Share, later, tensor_in
from nbgrad.trace.history import is_outside, is_protected, keeps_place, rejoin, requires_grad
from nbgrad.trace.nested import apart
from nbgrad.trace.nodes import retain
from nbgrad.trace.planning import evaluate
from nbgrad.trace.segment import EarlierSegment, Segment
from nbgrad.trace.storage import Steps, alias_of, entry_of, goes_on, is_exported, share_of
from nbgrad.trace.thread import Trace, require_value, turn_page
from nbgrad.trace.trie import TrieNode, path_between


def now(trace: Trace, a: Handle) -> TrieNode:
    """The entry of what ``a`` shows now, where its page is another than that of the trace."""
    share = share_of(a)
    require_value(a)
    if share is None:  # nested code was the last to show the same
        return enter(trace, a)
    storage = share.storage
    version = storage.version
    is_root = share.root is share.above is None and not share.steps
    if is_root and share.seen == version and storage.export is a._page is trace.watcher is None:  # mostly
        node = enter_value(trace, a)
        note_known(trace, a, share, node)
        return node
    rejoin(share)
    is_current = share.seen == version and not is_protected(share)
    shows = share.root is not None or bool(share.steps)
    entry = _waiting(trace, a) if keeps_place(share) else None
    if entry is not None and is_current and not (shows and is_exported(a)):
        a._page = trace.page if a._at is entry else a._page
        node = entry
    elif trace.watcher is not None and (found := trace.watcher.shown(a)) is not None:
        node = follow(trace, *found)
    elif shows:
        node = _view_now(trace, a, share, entry, version)
    elif is_current or storage.whole is None or is_exported(a):
        is_pending = a._page is not None
        node = read_foreign(trace, a) if is_pending else enter_value(trace, a, is_exported=is_exported(a))
    else:
        node = _whole_now(trace, a, storage.whole)
        share.seen = version
    if storage.version != version:  # nested code wrote it meanwhile
        turn_page(trace)
    note_known(trace, a, share, node)
    return node


def note_known(trace: Trace, a: Handle, share: Share, node: TrieNode) -> None:
    """Write down that ``a``, whose memory others may show, stands for ``node`` until the page is turned, if it does:
    then it need not be asked again, and views of it are fresh ones."""
    segment, storage, known = trace.segment, share.storage, None
    version, count = storage.version, share.counter[0]
    if share.above is not None or share.seen != version or trace.watcher is not None:
        return
    if a._page is None and share.root is None and not share.steps:
        known = segment.entered.get(id(a))
        if known is None or known[1] is not node or known[2] is not a._buffer:
            return
    elif a._page is not trace.page or a._at is not node or node.lazy_view or requires_grad(a) is not node.requires_grad:
        return  # it stands for nothing, is found by what it is a view of, or is outside the graph
    segment.shown[node.ix] = weakref.ref(storage), version, count
    # In one line: nested code may have written it.
    if share.seen == storage.version == version and a._page is (None if known else trace.page): segment.known[share] = known  # fmt: skip  # noqa: E501, E701  (nothing may come between)


def _whole_now(trace: Trace, a: Handle, whole: Handle) -> TrieNode:
    """The entry of a root, after another one was written."""
    node, level = entry_of(trace, whole), trace.duals
    tangent = None if level is None else level.of_entry(trace, _history_of(trace, a))
    key: tuple[Any, ...] = ("detach", node.ix, a._at.inference)
    if a._at.requires_grad:
        history = _history_of(trace, a)
        key = ("rebase_history", history.ix, node.ix, history.leaf, *([True] if a._at.inference else []))
    advance_as(trace, a, key)
    if level is not None:  # as others write it, a tensor keeps its tangent
        level.begin_at(a, tangent)
    return trace.node


def _waiting(trace: Trace, a: Handle) -> TrieNode | None:
    """The entry of the running segment that ``a`` stands for."""
    node = a._at
    if a._segment is not trace.segment or not isinstance(node, TrieNode):
        return None
    return node if node.ix < len(trace.live) and trace.live[node.ix] is a else None


def _history_of(trace: Trace, a: Handle) -> TrieNode:
    """The entry that has the history of a root, whatever its value was."""
    if (entry := _waiting(trace, a)) is not None:
        return entry
    return enter_value(trace, a) if a._page is None else read_foreign(trace, a)


def _view_now(trace: Trace, a: Handle, share: Share, before: TrieNode | None, version: int) -> TrieNode:
    """The entry of a view. ``before`` is the one of the same version, from before others came to see the memory."""
    is_own = share.root is None  # a leaf that is a view
    root = share.root if not is_own else share.above if is_exported(a) else share.storage.whole
    assert root is not None
    if not is_own and (window := enter_view(trace, a, share, root)) is not None:
        return window
    alias = None if is_own else alias_of(root)
    shown = () if alias is None else alias._share.steps  # type: ignore[union-attr]
    if alias is not None and alias is not a and goes_on(share.steps, shown):  # its gradient may be kept
        node = follow(trace, entry_of(trace, alias), share.steps[len(shown) :])
    else:
        node = follow(trace, enter_stretch(trace, a, root) or entry_of(trace, root), share.steps)
    if not share.steps:  # an entry of its own: its root stands for that one
        passes = node.requires_grad
        node = _told(trace, ("renewed", node.ix, node.ix) if passes else ("still", node.ix, a._at.inference))
    if is_own:
        if a._at.requires_grad:
            node = _told(trace, ("own view", node.ix))
            trace.segment.leaves[node.ix] = a
    elif node.requires_grad and is_outside(a, share):
        node = _told(trace, ("still", node.ix, a._at.inference))
    elif is_protected(share) and (node.requires_grad or a._at.requires_grad):
        return _told(trace, ("renewed", node.ix, node.ix))  # it has no place there
    elif share.kind in (NO_GRAD, INFERENCE):
        pass  # it never has a history
    elif before is not None and before.requires_grad:
        node = _told(trace, ("renewed", before.ix, node.ix))
    elif keeps_place(share) and (history := foreign_history(trace, a)) is not None:
        node = _told(trace, ("resume", node.ix))
        trace.segment.past[node.ix] = a._history = history
    export = share.storage.export
    is_seen = export is not None and export.alive()
    moves = share.retained is not None and node.requires_grad and not keeps_place(share)
    if (node.requires_grad or not is_seen) and not (moves and not trace.grad_enabled):
        _stand(trace, a, node, version)
        if moves:
            retain(a)
        if is_seen:
            turn_page(trace)  # others may write it: it is read again, and keeps its place
    return node


def _told(trace: Trace, key: tuple[Any, ...], numbers: tuple[Any, ...] = ()) -> TrieNode:
    """Record an entry of a view, which nobody holds: views that stand for such entries are told apart by that."""
    node = advance(trace, key, numbers=numbers)
    trace.live[node.ix] = []
    return node


def follow(trace: Trace, node: TrieNode, steps: Steps) -> TrieNode:
    """The entry of what ``steps`` show of a value, whatever the grad mode."""
    for call, marks, numbers, statics in steps:
        key = ("view", call, (node.ix, *marks), statics, node.inference)
        node = _told(trace, key, numbers)
    return node


def _stand(trace: Trace, a: Handle, node: TrieNode, version: int) -> None:
    """``a``, a view, stands for the last entry from now on."""
    assert a._share is not None
    unlive(trace, a)
    if not keeps_place(a._share):
        a._history = None
    a._share.seen = version
    if a._share.kind == PLAIN and a._share.root is not None and node.requires_grad:
        a._share.counted = a._share.counter[0]
    a._at, a._page = node, trace.page
    trace.live[node.ix] = a


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
                    "Ctrl-C, or nobody held it when that ran: it was found by a weak reference. Hold it, or compute it "
                    "again"
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
    return value_at(trace, entry_of(trace, a))


def value_at(trace: Trace, entry: TrieNode) -> Handle:
    """The same for an entry of the running segment, with its history, also where that is taken back afterwards."""
    segment = trace.segment
    builder = _read_up_to(segment, entry)
    (buffer,) = evaluate(builder, segment, [builder.node_of(entry.ix)])
    y = tensor_in(buffer, entry.in_memory)
    y._history = None if entry.is_leaf else (_copy_of(segment, entry, builder), entry.ix)
    segment.read = builder
    return y


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


later.now, later.read_foreign = now, read_foreign
