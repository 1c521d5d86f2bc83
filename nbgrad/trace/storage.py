"""Who shows which memory: a storage has a version, a view is steps from its root, and whoever is used asks.

The graph knows no memory: a write makes a new value of the *root*, and what else shows it is derived from the new value
when it is used next. So a gradient always uses the values that were current when an operation was recorded. Nobody is
told of a write. It counts the version up and turns the page, so that every tensor asks once before it is taken for its
entry.

Most views are read once and dropped, ``u[1:]`` in a stencil for one. Such a view has ``FRESH_VIEW`` for a share: what
it shows, the key of its entry says.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.calls.key import split_key
from nbgrad.calls.views import ViewStep, layout, shares_memory, view_node
from nbgrad.errors import ShapeError
from nbgrad.graph.spec import Shape
from nbgrad.ops.put import is_undoable
from nbgrad.runtime.references import is_held, is_unique, owners
from nbgrad.trace.enter import enter
from nbgrad.trace.handle import FRESH_VIEW, INFERENCE, NO_GRAD, PLAIN, Handle, Share, Storage, make_tensor, spec_of
from nbgrad.trace.nested import holding
from nbgrad.trace.segment import Page, Segment
from nbgrad.trace.thread import Trace, local
from nbgrad.trace.trie import TrieNode

Steps = tuple[ViewStep, ...]

_OLDER = (lambda: None), -1, -1  # of what shows something that was written since

_MADE = {NO_GRAD: "no_grad", INFERENCE: "inference"}  # the modes in which views are protected ones


def entry_of(trace: Trace, a: Handle) -> TrieNode:
    """The entry of what ``a`` is now."""
    return a._at if a._page is trace.page else enter(trace, a)  # type: ignore[return-value]


def share_of(a: Handle) -> Share | None:
    """What ``a`` shows; None where it is alone with its memory. A fresh view's is made here."""
    share = a._share
    if share is not FRESH_VIEW:
        base = None if share is None else share.base
        if base is not None:
            root = share.above if share.root is None else share.root  # type: ignore[union-attr]
            if root._share is not base or base.shown is not None:  # type: ignore[union-attr]
                _find_root(a, share)  # type: ignore[arg-type]
        return share
    return _in_turn(a)


def _find_root(a: Handle, share: Share) -> None:
    """Let the share of a view have the root that shows its memory now: what stays behind of one that went to other
    memory, the leaf that was made of a view on its way."""
    while (base := share.base) is not (share.above if share.root is None else share.root)._share:  # type: ignore[union-attr]
        rest = base.root if base.rest is None else base.rest  # type: ignore[union-attr]
        assert rest is not None
        share.base = rest._share  # no call from here to the end of the round: nothing comes between
        if share.root is None:
            share.above = rest
        else:
            share.root, share.steps = rest, (*base.steps, *share.steps)  # type: ignore[union-attr]
    leaf = base.shown  # type: ignore[union-attr]
    if share.root is None or not isinstance(leaf, Handle) or leaf is a:
        return
    own = leaf._share
    if own is not None and own.above is share.root and goes_on(share.steps, own.steps):
        share.root, share.base, share.steps, share.seen = leaf, own, share.steps[len(own.steps) :], -1


def _share_of_look(trace: Trace, a: Handle) -> Share | None:
    if a._share is not FRESH_VIEW:  # another thread was quicker
        return a._share
    base, node, shown, kind = way_of_look(a)
    made = seen_through(base, shown, kind, trace)
    assert a._segment is not None
    storage, made.seen, made.counted = a._segment.shown.get(node.ix, _OLDER)
    if storage() is not made.storage:  # it was written before anybody came to ask
        made.seen = made.counted = -1
    a._share = made if a._share is FRESH_VIEW else a._share  # nested code may have made one
    return a._share


_in_turn = holding(_share_of_look)


def way_of_look(a: Handle) -> tuple[Handle, TrieNode, Steps, int]:
    """Of a fresh view: the tensor that it is of, the entry that stood for, the steps from there, and its kind."""
    segment, node = a._segment, a._at
    assert segment is not None and isinstance(node, TrieNode)
    steps: list[ViewStep] = []
    kind = PLAIN
    while node.lazy_view:
        assert node.parent is not None
        steps.append(step_of(node, segment.scalars[node.parent.n_scalars : node.n_scalars]))
        kind = node.lazy_view if kind == PLAIN else kind
        node = segment.entry_before(node, node.key[1])
    return _stood_for(segment, node), node, tuple(reversed(steps)), kind


def _stood_for(segment: Segment, node: TrieNode) -> Handle:
    """The tensor that stands for an entry, or did before it was written."""
    moved = segment.moved.get(node.ix)
    found = None if moved is None else moved()
    trace = segment.trace
    live = trace.live if trace.segment is segment else []  # who was dropped, and found again by a weak reference
    if found is None and node.ix < len(live) and isinstance(live[node.ix], Handle):
        found = live[node.ix]
    if found is None:
        found = next((a for a, entry, _ in list(segment.entered.values()) if entry is node), None)
    if found is None:  # nobody else has it
        found = make_tensor()
        found._at, found._page = node, trace.page if live else Page(segment)
        live[node.ix : node.ix + 1] = [found]
    return found


def fits_into(value: object, view: Handle) -> bool:
    """Whether a value is written through a view as it is. What is no view would stand for the same entry then."""
    share = view._share
    is_seen = share is not None and (share is FRESH_VIEW or share.root is not None)
    return is_seen and isinstance(value, Handle) and value._at.spec is view._at.spec


def is_written_already(view: Handle, value: Handle) -> bool:
    """Whether a fresh view shows what ``value`` does, through which it was just written: ``x[i] += y`` assigns that
    again."""
    if view._share is not FRESH_VIEW or value._share is not FRESH_VIEW or view._page is None or value._page is None:
        return False
    segment = view._page.segment
    if value._page is view._page or value._page.segment is not segment or segment.trace.watcher is not None:
        return False
    (a, now, steps, kind), (b, then, others, other_kind) = way_of_look(view), way_of_look(value)
    return a is b and now is not then and steps == others and kind == other_kind == PLAIN


def sharing(a: Handle, trace: Trace | None = None) -> Share:
    """What ``a`` shows, where others may come to show it, too. Who knows the ``trace`` spares the question for it."""
    found = a._share and share_of(a)
    while found is None:
        at, held = value_of(a)
        storage = Storage()
        made = Share(storage)
        _note_standing(a, storage, trace)
        storage.roots.append(weakref.ref(a))
        # In one line: somebody else may be about to make one, or to write it.
        if a._share is None and a._at is at and (a._buffer if (page := a._page) is None else page.segment) is held: a._share = made  # fmt: skip  # noqa: E501, E701  (nothing may come between)
        found = a._share
    return found


def held_sharing(a: Handle, trace: Trace | None = None) -> tuple[Share, Storage]:
    """``sharing``, and the storage: who holds that keeps nested code from forgetting that others come to show it."""
    while True:
        share = a._share
        if share is None or share is FRESH_VIEW or share.base is not None:
            share = sharing(a, trace)
        storage = share.storage
        if a._share is share:
            return share, storage


def value_of(a: Handle) -> tuple[object, object]:
    """What tells whether ``a``, which is alone with its memory, was written: its entry, and whose that is."""
    page = a._page
    return a._at, a._buffer if page is None else page.segment


def _note_standing(a: Handle, storage: Storage, trace: Trace | None) -> None:
    """Let the entry that ``a`` stands for in the segment that it is in, or that it has come into from memory, be of the
    first version of ``storage``."""
    segment, at = a._segment, a._at
    if segment is None:
        segment = (trace or local.trace).segment
        known = segment.entered.get(id(a))
        at = known[1] if known is not None and known[2] is a._buffer else at
    if at.ix >= 0:
        segment.shown[at.ix] = weakref.ref(storage), 0, 0


def roots_of(storage: Storage) -> list[Handle]:
    """The tensors that show a storage with histories of their own."""
    found = [a for ref in storage.roots if (a := ref()) is not None and (s := a._share) and s.storage is storage]
    if len(found) < len(storage.roots):
        storage.roots = [weakref.ref(a) for a in found]
    return found


def has_takers(storage: Storage) -> bool:
    """Whether several tensors with histories of their own show a storage, so that what one of them writes is kept for
    the others; where others see its memory all find it there."""
    if storage.whole is None and len(storage.roots) == 1:
        return False  # mostly
    if storage.export is not None and storage.export.alive():
        return False
    return storage.whole is not None or len(roots_of(storage)) > 1


def is_shown_by_views(share: Share) -> bool:
    """Whether all others that show the memory of a tensor are views of it, and nothing about it is unusual: it is
    written like one that is alone."""
    return share.root is None and is_simple(share) and not has_takers(share.storage)


def root_of(a: Handle) -> Handle:
    """The tensor whose history ``a`` has."""
    return way_to(a)[0]


def way_to(a: Handle) -> tuple[Handle, Steps]:
    """The tensor whose history ``a`` has, and the steps from there."""
    steps: Steps = ()
    share = share_of(a)
    while share is not None and share.root is not None:
        a, steps = share.root, (*share.steps, *steps)
        share = share_of(a)
    return a, steps


def goes_on(steps: Steps, before: Steps) -> bool:
    """Whether what ``steps`` lead to was made of what the steps ``before`` do."""
    return len(before) <= len(steps) and all(map(operator.is_, before, steps))


def is_view(a: Handle) -> bool:
    """Whether ``a`` shows the memory of another tensor."""
    share = share_of(a)
    return share is not None and (share.root is not None or bool(share.steps))


def holder_of(a: Handle) -> tuple[Handle, Steps]:
    """The tensor that has the value which ``a`` shows now, and the steps from there."""
    share = a._share
    if share is None:
        return a, ()
    storage = share.storage
    if share.root is None and share.seen == storage.version and not (share.steps or share is FRESH_VIEW):
        return a, ()
    root, steps = way_to(a)
    share = root._share
    whole = None if share is None else share.storage.whole
    if share is not None and whole is not None and (share.steps or share.seen != share.storage.version):
        return whole, (*share.steps, *steps)
    return root, steps


def memory_of(a: Handle) -> tuple[Handle, Steps]:
    """The tensor whose memory ``a`` shows, be it with a history of its own, and the steps from there."""
    root, steps = way_to(a)
    share = share_of(root)
    return (root, steps) if share is None or share.above is None else (share.above, (*share.steps, *steps))


def base_of(a: Handle) -> Handle | None:
    """The tensor that ``a`` is a view of, as PyTorch has it: what is detached is none, nor an inference tensor."""
    if not is_view(a) or a._at.inference:
        return None
    base, _ = memory_of(a)
    shown = None if base._share is None else base._share.shown
    alias = shown if isinstance(shown, Handle) else alias_of(base)
    base = base if alias is None else alias
    return None if base is a else base


def is_exported(a: Handle) -> bool:
    """Whether others see the memory of ``a``."""
    share = None if a._share is FRESH_VIEW else share_of(a)
    export = None if share is None else share.storage.export  # which another thread may take away
    return export is not None and export.alive()


def is_alone(a: Handle, trace: Trace | None = None) -> bool:
    """Whether nothing but ``a`` shows its memory or waits for its value. Who knows the ``trace`` spares the question
    for it."""
    forget_aliases(a, trace)
    return a._share is None


def is_shown_once(a: Handle) -> bool:
    """Whether nothing but ``a`` shows its memory, though its writes may be counted."""
    return is_alone(a) or seems_alone(a._share)


def is_only_view(a: Handle) -> bool:
    """Whether nothing but ``a`` shows its memory, which lies otherwise than row by row, or was another tensor's that is
    gone."""
    share = share_of(a)
    if share is None or share.root is None or share.error is not None or not is_unique(share, "root") or is_exported(a):
        return False
    is_given_up = not share.root._at.requires_grad or alias_of(share.root) is a
    return is_given_up and roots_of(share.storage) == [share.root]


def forget_aliases(a: Handle, in_hand: Trace | None = None) -> None:
    """Drop the record of who shows the memory of ``a`` where nobody else is left."""
    if not seems_alone(a._share):
        return  # nearly always, and to ask for the trace takes longer
    trace = in_hand or local.trace
    strays, share = trace.strays, a._share
    if not seems_alone(share):
        return
    # The counter outlives memory that x.data = y replaced. In one line: nested code may have made an alias.
    if len(share.counter) == 1 and is_unique(share, "counter") and trace.strays == strays: a._share = None  # fmt: skip  # noqa: E701  (nothing may come between)


def seems_alone(share: Share | None) -> TypeGuard[Share]:
    """Whether there is a record of who shows memory, and one tensor is left that does."""
    return share is not None and share is not FRESH_VIEW and is_simple(share) and is_unique(share, "storage")


def version_of(a: Handle) -> int:
    """How often the memory of ``a`` was written since several tensors show it, or somebody asked."""
    counter = sharing(a).counter
    counter[1:] = [True]
    return counter[0]


def is_simple(share: Share) -> bool:
    """Whether a tensor of its own has nothing unusual, but perhaps others that show its memory."""
    if share.root is not None or share.steps or share.error is not None or share.watched or share.retained is not None:
        return False
    storage = share.storage
    if storage.whole is not None and share.seen != storage.version:
        return False
    return storage.export is None or not storage.export.alive()


def others_of(a: Handle) -> Iterator[Handle]:
    """The other tensors that show the memory of ``a`` with a history of their own."""
    share = share_of(a)
    if share is not None:
        root = root_of(a)
        yield from [b for b in roots_of(share.storage) if b is not root]


def layout_of(a: Handle) -> Shape | None:
    """The strides of ``a``, on which depends what can be a view of it; None where it is row-major."""
    held, steps = holder_of(a)
    return layout(spec_of(held), steps, None if a._share is None else a._share.storage.strides) or None


def shows_memory(a: Handle, step: ViewStep) -> bool:
    """Whether a view call shows the memory of ``a``; otherwise its result is a value of its own."""
    if any(r >= 0 for r in step[1]):
        return False
    shown: Steps = ()
    if a._share is FRESH_VIEW:
        a, _, shown, _ = way_of_look(a)
    held, steps = holder_of(a)
    steps = (*steps, *shown)
    strides = None if a._share is None else a._share.storage.strides
    if not steps and strides is None:
        return True  # one view over row-major memory
    if shares_memory(spec_of(held), (*steps, step), strides):
        return True
    call: Call = step[0]
    if call.name == "view":
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        )
    return False


def shows_twice(a: Handle) -> bool:
    """Whether some memory may be that of several elements of ``a``."""
    root, steps = memory_of(a)
    node = view_node(spec_of(root), steps)
    base = node
    while base.inputs:
        base = base.inputs[0]
    return not is_undoable(base, node)


def alias_of(root: Handle) -> Handle | None:
    """The detached view that a root which nobody holds was made for."""
    share = root._share
    alias = share.shown() if share is not None and isinstance(share.shown, weakref.ref) else None
    return alias if alias is not None and alias._share is not None and alias._share.root is root else None


def seen_through(a: Handle, steps: Steps, kind: int, trace: Trace | None = None) -> Share:
    """What ``steps`` show of ``a``."""
    known, storage = held_sharing(a, trace)
    root, before = (a, ()) if known.root is None else (known.root, known.steps)
    if kind == PLAIN and (known.root is not None or known.kind not in _MADE):
        kind = known.kind
    own = share_of(root)
    above = None if own is None else own.above
    if kind in (NO_GRAD, INFERENCE) and above is not None and (above._share is None or above._share.shown is not root):
        assert own is not None
        root, before = above, (*own.steps, *before)  # without gradient, a leaf that is a view is what it was before
    return Share(storage, root, (*before, *steps), kind, known.counter)


def shows_same(a: Handle, b: Handle) -> bool:
    """Whether two tensors share memory."""
    if a is b:
        return True
    other = share_of(b)  # first: it may give ``a`` its own
    one = share_of(a)
    return one is not None and other is not None and one.storage is other.storage


def step_of(node: TrieNode, numbers: Sequence[Any]) -> ViewStep:
    """The view step that the entry of a call is."""
    refs, statics = split_key(node.key)
    return CALLS_BY_NUMBER[node.key[0]], refs[1:], tuple(numbers), statics


def keep_views(trace: Trace) -> None:
    """Give the fresh views that somebody holds their shares, and by that their roots to hold: the segment ends. Others
    hold nothing any more."""
    trace.segment.known.clear()
    live, aliases = trace.live, trace.node.aliases
    bases: list[int] = []  # what others may be fresh views of
    while aliases is not None:
        ix, aliases = aliases
        if not is_held(live, ix):
            if getattr(live[ix], "_share", FRESH_VIEW) is FRESH_VIEW:
                live[ix] = []
            else:
                bases.append(ix)
        elif isinstance(a := live[ix], Handle) and a._share is FRESH_VIEW and a._segment is trace.segment:
            _share_of_look(trace, a)
    for ix in bases:
        if not is_held(live, ix):  # by nobody meanwhile
            live[ix] = []


def held_views(trace: Trace) -> list[Handle]:
    """The views of the running segment that somebody holds, the last ones first."""
    items, aliases = [], trace.node.aliases
    while aliases is not None:
        items.append(trace.live[aliases[0]])
        aliases = aliases[1]
    held = [a for a, count in zip(items, owners(items), strict=True) if count > 2]  # those of two lists
    return [a for a in held if isinstance(a, Handle) and a._segment is trace.segment]
