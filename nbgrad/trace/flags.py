"""Changing what a tensor is: whether it requires grad, its history, whose memory it shows."""

from __future__ import annotations

import weakref

from nbgrad.errors import GradError
from nbgrad.trace.alias import base_of, detach, replace_member
from nbgrad.trace.company import sharers
from nbgrad.trace.flush import flush
from nbgrad.trace.grow import advance_as, unlive
from nbgrad.trace.handle import Handle, Rare, Trace, local, rare_of
from nbgrad.trace.read import settle
from nbgrad.trace.record import make_tensor
from nbgrad.trace.trie import Leaf
from nbgrad.trace.views import base_and_chain, living_views, tie
from nbgrad.trace.watch import refuse


def set_requires_grad(a: Handle, wanted: bool) -> None:
    """Make the leaf ``a`` require grad, or not. What was recorded before is as it was."""
    if wanted and a.at.inference and not local.trace.inference:
        raise GradError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. clone() it first"
        )
    if wanted and _begin_here(a):
        return
    _come_out(a)
    spec = a.at.spec
    assert spec is not None
    rare = a.rare
    if rare is not None and rare.base is not None:
        rare.own_leaf, rare.entered, a.history = wanted, None, None
        rare.no_history = rare.no_history or base_of(a).at.requires_grad
    elif rare is not None and wanted:
        for view in _views(rare):  # they were made when this was plain memory
            assert view.rare is not None
            view.rare.no_history = True
    a.at = Leaf.of(spec, wanted, True, a.at.inference)


def _begin_here(a: Handle) -> bool:
    """Let a value that the running chapter has made be a leaf from here on, or a detached alias made in it, which comes
    in as a leaf. False where it is of another kind.

    Only in a chapter that will be run again. Others end here: what made parameters is no part of the first step.
    """
    trace = local.trace
    at = a.at
    if trace.watcher is None or at.window or at.inference or not (a.rare is None or _is_new_alias(trace, a.rare)):
        return False
    if a.chapter is not trace.chapter:
        if a.rare is None or a.chapter is not None or id(a) in trace.chapter.entered:
            return False
        assert at.spec is not None
        a.at = Leaf.of(at.spec, True, True, False)
        return True
    key = ("own", at.ix)
    advance_as(trace, a, key, key)
    trace.chapter.leaves[a.at.ix] = a
    return True


def _is_new_alias(trace: Trace, rare: Rare) -> bool:
    """Whether the running chapter has made this detached alias, and nothing else knows it yet."""
    is_own = rare.begun is trace.chapter.token and rare.base is None and not rare.stale
    return is_own and not (_views(rare) or rare.savers) and rare.export is None and rare.retained is None


def cut_history(a: Handle) -> None:
    """Make ``a``, which is no view, a leaf without gradient."""
    _come_out(a)
    spec = a.at.spec
    assert spec is not None
    a.history = None
    a.at = Leaf.of(spec, False, True, a.at.inference)


def set_data(a: Handle, value: Handle) -> None:
    """Let the leaf ``a`` show the memory of ``value`` from now on; its older views and aliases keep what they show."""
    _come_out(a)
    settle(base_of(value))
    _leave_memory(a)
    twin = detach(value)
    assert twin.rare is not None and twin.at.spec is not None
    a.buffer, a.history, a.rare = getattr(twin, "buffer", None), None, twin.rare  # type: ignore[assignment]
    a.at = Leaf.of(twin.at.spec, a.at.requires_grad, True, a.at.inference)
    if a.rare.base is None:
        replace_member(twin, a)
    else:
        a.rare.own_leaf, a.rare.entered = a.at.requires_grad, None
        views = a.rare.base.rare
        assert views is not None
        views.views = [weakref.ref(a) if ref() is twin else ref for ref in views.views]


def take_memory(a: Handle, value: Handle) -> None:
    """Let ``a``, a tensor of its own that has what ``value`` shows, be a view of that memory from now on, and its views
    and detached aliases, too. Neither ``a`` nor ``value`` requires grad."""
    base, chain = base_and_chain(value)
    has_no_history = value.rare is not None and value.rare.no_history
    for member in (a, *sharers(a)):
        views = [] if member.rare is None else living_views(member.rare)
        unlive(local.trace, member)
        member.chapter, member.history = None, None
        for view in (member, *views):
            old = view.rare
            rare = tie(view, base, chain if old is None else (*chain, *old.chain))
            rare.no_history, rare.own_leaf = has_no_history, view.at.requires_grad
            if old is not None:
                rare_of(base).savers += old.savers
            assert view.at.spec is not None
            view.at = Leaf.of(view.at.spec, view.at.requires_grad, True, view.at.inference)


def _come_out(a: Handle) -> None:
    """Have ``a`` in memory and not in the running chapter, where it would go on as it came in."""
    refuse("requires_grad_(), detach_() and .data= change what a tensor is: do that to a clone()")
    settle(base_of(a))
    trace = local.trace
    entered = a.rare.entered if a.rare is not None else None
    if id(a) in trace.chapter.entered or (entered is not None and entered[0] is trace.chapter.token):
        flush(trace)


def _leave_memory(a: Handle) -> None:
    """A tensor of its own takes over ``a``'s memory for those that show it too."""
    rare = a.rare
    if rare is None or rare.base is not None:
        return
    rest = make_tensor()
    rest.buffer, rest.at, rest.rare = a.buffer, Leaf.of(a.at.spec, False, True), rare  # type: ignore[arg-type]
    for view in _views(rare):
        assert view.rare is not None
        view.rare.base = rest
    replace_member(a, rest)


def _views(rare: Rare) -> list[Handle]:
    return [view for ref in rare.views if (view := ref()) is not None]
