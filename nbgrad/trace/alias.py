"""Views, detached aliases and in-place writes: one memory, seen and changed through several tensors.

The graph knows no memory: a write makes a new value of the *base*, and every other tensor that shows the base is
derived from the new value when it is read next. So a gradient always uses the values that were current when an
operation was recorded.
"""

from __future__ import annotations

import weakref
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from nbgrad.calls.base import CALLS, Call
from nbgrad.errors import GradError, RunError, ShapeError
from nbgrad.graph.dtypes import DType
from nbgrad.trace import record as recording
from nbgrad.trace.company import sharers
from nbgrad.trace.enter import enter, enter_foreign, enter_value
from nbgrad.trace.grow import advance, advance_as, unlive
from nbgrad.trace.handle import Handle, Rare, Shared, Trace, join, local, rare_of, require_value, threads, windowed
from nbgrad.trace.record import record
from nbgrad.trace.retain import retain
from nbgrad.trace.together import apart
from nbgrad.trace.trie import Leaf, TrieNode
from nbgrad.trace.views import living_views, show, show_windows, show_written
from nbgrad.trace.window import has_rows, stretch

INPLACE_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update"
)
_AT_ONCE: Final = nullcontext()  # nobody to wait for


SAVERS_CHECKED = 16  # more contexts than this that saved one tensor are searched for dead ones


def enter_rare(trace: Trace, a: Handle) -> TrieNode | None:
    """The entry of a tensor with aliases, exports or an error; None where it enters like any other."""
    rare = a.rare
    assert rare is not None
    require_value(a)
    if rare.stale:
        refresh(trace, a)
        if a.chapter is trace.chapter:
            assert isinstance(a.at, TrieNode)
            return a.at
    if rare.base is not None:
        return _enter_view(trace, a, rare, rare.base)
    if a.chapter is None and _is_exported(a):
        return _enter_exported(trace, a)
    return None


def _enter_view(trace: Trace, a: Handle, rare: Rare, base: Handle) -> TrieNode:
    """A view's entry: its calls on the base's value now, with the history under which older chapters know it."""
    entered = rare.entered
    chapter = trace.chapter
    if entered is not None and entered[0] is chapter.token and not _is_exported(base):
        return entered[1]
    if _is_exported(base) and base.chapter is None and not base.at.requires_grad and not rare.own_leaf:
        if trace.watcher is not None and has_rows(base):
            return _seen_through(trace, rare, _enter_stretch(trace, a, base))
        return _enter_window(trace, a, base)
    node = _seen_through(trace, rare, _entry_of(trace, base))
    if rare.no_history and node.requires_grad:
        key: tuple[Any, ...] = ("stop", node.ix, a.at.inference)
        node = advance(trace, key, key)
    if rare.own_leaf:
        key = ("own", node.ix)
        node = advance(trace, key, key)
        chapter.leaves[node.ix] = a
    elif a.history is not None and node.requires_grad:
        key = ("graft", node.ix, node.ix, -1)
        node = advance(trace, key, key)
        chapter.past[node.ix] = a.history
    rare.entered = (chapter.token, node)
    if node.requires_grad and not rare.own_leaf:
        chapter.shown.append((node.ix, weakref.ref(a)))
    assert node.spec is not None
    a.at = Leaf.of(node.spec, node.requires_grad, rare.own_leaf or not node.requires_grad, a.at.inference)
    return node


def _enter_window(trace: Trace, a: Handle, base: Handle) -> TrieNode:
    """A view of exported memory without gradient: what it shows is copied, and no more."""
    assert a.at.spec is not None
    _enter_unread(trace, a)
    trace.chapter.inputs.append(base.buffer)
    leaf = Leaf.of(a.at.spec, False, True, a.at.inference)
    return advance(trace, leaf, ("leaf", leaf))


def _enter_stretch(trace: Trace, a: Handle, base: Handle) -> TrieNode:
    """The base of a view of exported memory, for a recording that will be run again: it finds the view in what is there
    then. Here no more is copied than the stretch that the view shows."""
    leaf = base.at
    if not isinstance(leaf, Leaf):
        return _entry_of(trace, base)  # another thread has just written it
    trace.watcher.lent(len(trace.chapter.inputs), base)
    trace.chapter.inputs.append(stretch(a))
    return advance(trace, leaf, leaf.record)


def _enter_unread(trace: Trace, a: Handle) -> None:
    """The next input is to be copied from exported memory."""
    place = len(trace.chapter.inputs)
    trace.chapter.unread.append((place, a))
    if trace.watcher is not None:
        trace.watcher.lent(place, a)


def _entry_of(trace: Trace, a: Handle) -> TrieNode:
    node = a.at if a.chapter is trace.chapter else enter(trace, a)
    assert isinstance(node, TrieNode)
    return node


def _seen_through(trace: Trace, rare: Rare, node: TrieNode) -> TrieNode:
    """The calls of a view on its base's value, recorded."""
    for call, marks, numbers, statics in rare.chain:
        key = (call.number, node.ix, *marks, statics) if statics else (call.number, node.ix, *marks)
        node = advance(trace, key, numbers=numbers)
    return node


def _enter_exported(trace: Trace, a: Handle) -> TrieNode:
    """A tensor whose memory others may write at any time is copied each time it is read. Its history stays."""
    _enter_unread(trace, a)
    return enter_value(trace, a)


def require_writable(trace: Trace, a: Handle, what: str) -> None:
    """The errors by which PyTorch protects leaves that require grad, and expanded memory."""
    base = base_of(a)
    if a.at.inference and not trace.inference:
        raise GradError(INPLACE_INFERENCE)
    at = a.at if a.rare is not None and a.rare.own_leaf else base.at
    if trace.grad_enabled and at.requires_grad and at.is_leaf:
        if at is a.at:
            raise GradError(
                f"{what}: a leaf Variable that requires grad is being used in an in-place operation. "
                "Do it under nbgrad.no_grad(), or work on a clone()"
            )
        raise GradError(f"{what}: a view of a leaf Variable that requires grad is being used in an in-place operation")


def base_of(a: Handle) -> Handle:
    """The tensor whose memory ``a`` shows."""
    if a.at.window:
        show(a)
    return a if a.rare is None or a.rare.base is None else a.rare.base


def turn_of(a: Handle) -> AbstractContextManager[None]:
    """A context, with ``threads.writing`` held, that waits until no other thread's compiled call has still to write
    what ``a`` shows. A turn lasts until the write is done: within it another one asks for the same, and those who came
    meanwhile are behind."""
    if not threads.claims.queue:
        return _AT_ONCE
    base = base_of(a)
    return threads.claims.claim([id(base), *map(id, sharers(base))])


def write(a: Handle, value: Handle, what: str, *, covers: bool = False) -> None:
    """Let ``a`` have ``value`` (same shape) from now on: through views, to aliases, with or without gradient.

    ``covers`` says that ``value`` was not computed from what ``a`` was.
    """
    join()
    if threads.several:
        with threads.writing, turn_of(a):
            _write(a, value, what, covers)
    else:
        _write(a, value, what, covers)


def _write(a: Handle, value: Handle, what: str, covers: bool) -> None:
    trace = local.trace
    if trace.chapter.windows:
        show_windows(trace)
    if windowed:
        base = base_of(a)
        show_written(trace, [base, *sharers(base)])
    require_writable(trace, a, what)
    if trace.watcher is not None:
        trace.watcher.writes(a)
        if _is_exported(base_of(a)):
            trace.watcher.refuse_memory(
                "memory that a tensor shares with NumPy or another library is written: write a clone(), and copy it "
                "back with copy_() outside"
            )
    if value.chapter is trace.chapter and not has_company(a):
        _take_over(trace, a, value, covers)  # the common case: nobody else shows this memory
        return
    base = base_of(a)
    value_node: Any = value.at if value.chapter is trace.chapter else enter(trace, value)
    if base is not a:
        assert a.rare is not None and base.rare is not None
        if base.chapter is not None and base.chapter is not trace.chapter:
            base.rare.by_several = True
        base_node = _entry_of(trace, base)  # once: memory that others may write is copied each time it enters
        view_node = _seen_through(trace, a.rare, base_node)
        key = ("put", base_node.ix, view_node.ix, value_node.ix, covers)
        value_node = advance(trace, key, key)
        covers = False
    _replace(trace, base, value_node, covers)
    _tell_others(trace, base)
    if base.rare is not None and (base.rare.by_several or _is_exported(base)):
        recording.flush_now(trace)
        require_value(base)


def _take_over(trace: Trace, a: Handle, value: Handle, covers: bool) -> None:
    """``value`` is a result of this chapter: the tensor ``a`` stands for its entry from now on."""
    node: Any = value.at
    at = a.at
    if at.requires_grad and (covers or not (trace.grad_enabled and node.requires_grad)):
        history = _entry_of(trace, a)
        if trace.grad_enabled:
            key: tuple[Any, ...] = ("cover", history.ix, node.ix)
        else:
            key = ("graft", history.ix, node.ix, history.leaf)
        advance_as(trace, a, key, key)
        return
    unlive(trace, a)
    if trace.live[node.ix] is value and node.inference == at.inference and not node.window:
        trace.live[node.ix] = a
        a.at = node
        a.chapter = trace.chapter
    else:
        key = ("stop", node.ix, at.inference) if not node.requires_grad else ("graft", node.ix, node.ix, -1)
        advance_as(trace, a, key, key)


def keep_before_writes(a: Handle, saver: Any, place: int) -> None:
    """Have ``saver.replace_saved(place, before)`` called when the memory of ``a`` is about to be written."""
    base = base_of(a)
    rare = rare_of(base)
    if len(rare.savers) >= SAVERS_CHECKED:
        rare.savers = [s for s in rare.savers if s[0]() is not None]
    rare.savers.append((weakref.ref(saver), place))


def _hand_out_before_write(trace: Trace, rare: Rare) -> None:
    savers, rare.savers = rare.savers, []
    for ref, place in savers:
        saver = ref()
        if saver is None or (a := saver.saved_at(place)) is None:
            continue
        node = a.at if a.chapter is trace.chapter else enter(trace, a)
        key = ("graft", node.ix, node.ix, -1) if node.requires_grad else ("stop", node.ix, node.inference)
        saver.replace_saved(place, _new_entry(trace, key))


def _replace(trace: Trace, base: Handle, node: TrieNode, covers: bool) -> None:
    """``base`` stands for the value of ``node``; without grad mode it keeps its own history."""
    if base.rare is not None and base.rare.savers:
        _hand_out_before_write(trace, base.rare)
    at = base.at
    key: tuple[Any, ...]
    if at.requires_grad and (covers or not (trace.grad_enabled and node.requires_grad)):
        history = at if base.chapter is trace.chapter else enter(trace, base)
        assert isinstance(history, TrieNode)
        if trace.grad_enabled:
            key = ("cover", history.ix, node.ix)
        else:
            key = ("graft", history.ix, node.ix, history.leaf)
    elif node.requires_grad:
        key = ("graft", node.ix, node.ix, -1)
    else:
        key = ("stop", node.ix, at.inference)
    advance_as(trace, base, key, key)
    if base.rare is not None:
        base.rare.stale = False
        if base.rare.retained is not None:
            retain(trace, base)


def _tell_others(trace: Trace, base: Handle) -> None:
    """Views and detached aliases of ``base`` derive themselves anew when they are read next."""
    rare = base.rare
    if rare is None:
        return
    _invalidate_views(base, rare)
    shared = rare.shared
    if shared is None or not has_company(base):
        return
    exported = _is_exported(base)  # then the write goes to the memory that all of them show
    if not exported:
        shared.value = _without_history(trace, base)
    for ref in shared.members:
        member = ref()
        if member is not None and member is not base:
            assert member.rare is not None
            if member.rare.savers:
                _hand_out_before_write(trace, member.rare)
            member.rare.stale = not exported
            if member.rare.stale and member.chapter is not None:
                refresh(trace, member)  # its history is there only: later it would be too late
            _invalidate_views(member, member.rare)


def was_written(base: Handle) -> None:
    """``base`` has a new value in memory: views and detached aliases take it when they are read next."""
    rare = base.rare
    assert rare is not None and base.at.spec is not None
    _invalidate_views(base, rare)
    shared = rare.shared
    if shared is None:
        return
    value = shared.value = recording.make_tensor()
    value.buffer, value.at = base.buffer, Leaf.of(base.at.spec, False, True, base.at.inference)
    for ref in shared.members:
        member = ref()
        if member is not None and member is not base and member.rare is not None:
            member.rare.stale = True
            if member.chapter is not None:
                refresh(local.trace, member)  # pending, it would be taken for what it was
            _invalidate_views(member, member.rare)


def _invalidate_views(base: Handle, rare: Rare) -> None:
    at = base.at
    for view in living_views(rare) if rare.views else ():
        if view.rare is not None:
            view.rare.entered = None
            view.history = None
            old = view.at
            if view.rare.own_leaf or view.rare.no_history:
                continue
            if old.requires_grad != at.requires_grad and old.spec is not None:
                view.at = Leaf.of(old.spec, at.requires_grad, not at.requires_grad, old.inference)


def _without_history(trace: Trace, a: Handle) -> Handle:
    node = a.at if a.chapter is trace.chapter else enter(trace, a)
    return _new_entry(trace, ("stop", node.ix, a.at.inference))


def _new_entry(trace: Trace, key: tuple[Any, ...]) -> Handle:
    y = recording.make_tensor()
    advance_as(trace, y, key, key)
    return y


def refresh(trace: Trace, a: Handle) -> None:
    """A detached alias takes the value that another one wrote; where it has a history it keeps it."""
    rare = a.rare
    assert rare is not None and rare.shared is not None and rare.shared.value is not None
    rare.stale = False
    value = rare.shared.value
    node = value.at if value.chapter is trace.chapter else enter(trace, value)
    key: tuple[Any, ...] = ("stop", node.ix, a.at.inference)
    if a.at.requires_grad:
        history = a.at
        if a.chapter is not trace.chapter:
            history = enter_value(trace, a) if a.chapter is None else enter_foreign(trace, a)
        assert isinstance(history, TrieNode)
        key = ("graft", history.ix, node.ix, history.leaf)
    advance_as(trace, a, key, key)


def detach(a: Handle) -> Handle:
    """A tensor with the same memory and no history."""
    base = base_of(a)
    twin = _detached_base(local.trace, base)
    if base is a:
        return twin
    assert a.rare is not None
    view = twin
    for call, marks, numbers, statics in a.rare.chain:
        view = record(call, (view, *_operands(marks, numbers)), statics)
    base_of(view)  # it is a view at once: whoever detaches is about to change what it is
    return view


def _operands(marks: tuple[int, ...], numbers: tuple[float | int, ...]) -> list[float | int | None]:
    """The operands of a recorded view call again, numbers in their places."""
    rest = iter(numbers)
    return [None if mark == -4 else next(rest) for mark in marks]


def _detached_base(trace: Trace, base: Handle) -> Handle:
    if base.rare is not None and base.rare.stale:
        enter(trace, base)
    twin = recording.make_tensor()
    if base.chapter is None:
        assert base.at.spec is not None
        twin.chapter, twin.buffer, twin.history = None, base.buffer, None
        twin.at = Leaf.of(base.at.spec, False, True, base.at.inference)
    else:
        node = base.at if base.chapter is trace.chapter else enter(trace, base)
        key = ("stop", node.ix, base.at.inference)
        advance_as(trace, twin, key, key)
    rare = rare_of(base)
    twin.rare = Rare()
    twin.rare.begun = trace.chapter.token
    shared = rare.shared
    if shared is None:
        shared = Shared()
        shared.members = [weakref.ref(base), weakref.ref(twin)]
        rare.shared = shared
    else:
        shared.members = [r for r in shared.members if r() is not None]
        shared.members.append(weakref.ref(twin))
    twin.rare.shared = shared
    export = rare.export
    if export is not None and export.alive():
        twin.rare.export = export
    return twin


def replace_member(old: Handle, new: Handle) -> None:
    """``new`` shows the memory that ``old`` showed, to those who share it."""
    if new.rare is not None and new.rare.shared is not None:
        members = new.rare.shared.members
        members[:] = [weakref.ref(new) if ref() is old else ref for ref in members]


def has_company(a: Handle) -> bool:
    """Whether anything but ``a`` shows its memory or waits for its value. A Parameter made of a tensor that nobody
    keeps is alone again."""
    rare = a.rare
    if rare is None:
        return bool(a.at.window)
    if rare.base is not None or rare.stale or rare.savers or rare.error is not None or rare.retained is not None:
        return True
    if rare.watched:
        return True
    if rare.export is not None and rare.export.alive():
        return True
    shared = rare.shared
    if rare.views:
        living_views(rare)
    others = () if shared is None else [m for ref in shared.members if (m := ref()) is not None and m is not a]
    return bool(rare.views or others)


def _is_exported(a: Handle) -> bool:
    export = None if a.rare is None else a.rare.export  # which another thread may take away
    return export is not None and export.alive()


def write_checked(a: Handle, value: Handle, what: str, *, covers: bool = False) -> None:
    """``write`` after the checks of an in-place operation: the shape stays, the dtype can hold the result."""
    old, got = a.at.spec, value.at.spec
    if got is old:
        write(a, value, what, covers=covers)
        return
    assert old is not None and got is not None
    if got.shape != old.shape:
        raise ShapeError(
            f"{what}: output with shape {list(old.shape)} doesn't match the broadcast shape {list(got.shape)}"
        )
    if got.dtype is not old.dtype:
        if not _can_cast(got.dtype, old.dtype):
            raise RunError(
                f"{what}: result type {got.dtype.name} can't be cast to the desired output type {old.dtype.name}"
            )
        value = record(_cast_call(), (value,), (old.dtype,))
    if got.place != old.place:
        raise apart(what, old.place, got.place)
    write(a, value, what, covers=covers)


def _can_cast(source: DType, target: DType) -> bool:
    """PyTorch's rule: never to a lower category (bool < integer < floating)."""
    order = {"b": 0, "u": 1, "i": 1, "f": 2}
    return order[source.kind] <= order[target.kind]


def _cast_call() -> Call:
    return CALLS["to_dtype"]
