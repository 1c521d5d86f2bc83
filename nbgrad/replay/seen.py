"""Tensors that the function holds and that are none of their own: views, and tensors whose memory others see.

A view is read and written through its base, which is bound in its place: the program has the view's calls. Memory that
NumPy sees is read where it lies, at each call; views of it are found in it, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nbgrad.replay.recording import HeldView, Missed
from nbgrad.replay.words import state_in_words
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.alias import base_of
from nbgrad.trace.handle import Handle, Rare
from nbgrad.trace.read import settle, values
from nbgrad.trace.trie import Leaf
from nbgrad.trace.window import has_rows, snapshot

VIEW_ATTRIBUTES = ("base", "own_leaf", "no_history")  # of ``Rare``: what of a view may change


def is_view(a: Handle) -> bool:
    """Whether ``a`` shows the memory of another tensor."""
    return a.rare is not None and a.rare.base is not None


def shares_memory(x: Any) -> bool:
    """Whether ``x`` is a tensor that is a view, or whose memory others see."""
    if not isinstance(x, Handle) or x.rare is None:
        return False
    export = x.rare.export
    return x.rare.base is not None or (export is not None and export.alive())


def held_views(tensors: Iterable[tuple[Handle, Any]]) -> list[HeldView]:
    """The views among (tensor, state)."""
    return [
        HeldView(a, a.rare, leaf, _expected(a.rare), leaf.requires_grad and not a.rare.own_leaf)
        for a, leaf in tensors
        if a.rare is not None and is_view(a)
    ]


def _expected(rare: Rare) -> tuple[Any, ...]:
    return tuple([getattr(rare, name) for name in VIEW_ATTRIBUTES])


def require_views(views: Iterable[HeldView]) -> None:
    """Missed where one of ``views`` is not what it was."""
    for view, rare, leaf, expected, has_derivative in views:
        if view.rare is not rare or any(x is not y for x, y in zip(_expected(rare), expected, strict=True)):
            raise Missed(f"a view of shape {list(leaf.spec.shape)} shows another tensor, or in another way")
        if view.at is not leaf:
            raise Missed(f"a view was {state_in_words(leaf)}, and is in another state")
        if has_derivative and view.history is not None:
            raise Missed(f"a view of shape {list(leaf.spec.shape)} has a history that it did not have")


def require_seen(a: Handle, leaf: Leaf) -> None:
    """Bring ``a``, whose memory others see, into memory; Missed where it is in another state than ``leaf``."""
    settle(base_of(a))
    if a.at is not leaf:
        raise Missed(f"a tensor whose memory others see was {state_in_words(leaf)}, and is in another state")


def lent(a: Handle) -> Buffer:
    """What ``a`` shows now: where it lies, if it lies there element by element; a copy otherwise."""
    base = base_of(a)
    settle(base)
    if base is a and has_rows(a):
        return a.buffer
    assert a.at.spec is not None
    if not a.at.spec.place:
        array = values(a)
        return Buffer.wrap(array) if array.flags.c_contiguous else Buffer.from_numpy(array)
    return snapshot(a)


def overlaps(a: Handle, arrays: Iterable[Any]) -> bool:
    """Whether one of ``arrays`` may show memory of ``a``, which others see."""
    base = base_of(a)
    export = None if base.rare is None else base.rare.export
    if export is None or (base.at.spec is not None and base.at.spec.place):
        return False
    shown = export.shown()
    return any(np.may_share_memory(shown, array) for array in arrays)
