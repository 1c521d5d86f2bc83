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
from nbgrad.trace.handle import Handle, Share, local
from nbgrad.trace.read import settle, values
from nbgrad.trace.storage import holder_of, is_exported, is_view, share_of
from nbgrad.trace.trie import Leaf
from nbgrad.trace.window import has_rows, snapshot

VIEW_ATTRIBUTES = ("root", "above", "kind", "storage")  # of ``Share``: what of a view may change


def shares_memory(x: Any) -> bool:
    """Whether ``x`` is a tensor that is a view, or whose memory others see."""
    return isinstance(x, Handle) and (is_view(x) or is_exported(x))


def held_views(tensors: Iterable[tuple[Handle, Any]]) -> list[HeldView]:
    """The views among (tensor, state)."""
    return [
        HeldView(a, share, leaf, _expected(share), leaf.requires_grad and share.root is not None)
        for a, leaf in tensors
        if (share := share_of(a)) is not None and is_view(a)
    ]


def _expected(share: Share) -> tuple[Any, ...]:
    return (*[getattr(share, name) for name in VIEW_ATTRIBUTES], share.storage.rest)


def require_views(views: Iterable[HeldView]) -> None:
    """Missed where one of ``views`` is not what it was."""
    for view, share, leaf, expected, has_derivative in views:
        if view.share is not share or any(x is not y for x, y in zip(_expected(share), expected, strict=True)):
            raise Missed(f"a view of shape {list(leaf.spec.shape)} shows another tensor, or in another way")
        if view.at is not leaf:
            raise Missed(f"a view was {state_in_words(leaf)}, and is in another state")
        if has_derivative and view.history is not None:
            raise Missed(f"a view of shape {list(leaf.spec.shape)} has a history that it did not have")


def require_seen(a: Handle, leaf: Leaf) -> None:
    """Bring ``a``, whose memory others see, into memory; Missed where it is in another state than ``leaf``."""
    settle(local.trace, a)
    if a.at is not leaf:
        raise Missed(f"a tensor whose memory others see was {state_in_words(leaf)}, and is in another state")


def lent(a: Handle) -> Buffer:
    """What ``a`` shows now: where it lies, if it lies there element by element; a copy otherwise."""
    settle(local.trace, a)
    held, steps = holder_of(a)
    if not steps and has_rows(a):
        return held.buffer
    assert a.at.spec is not None
    if not a.at.spec.place:
        array = values(a)
        return Buffer.wrap(array) if array.flags.c_contiguous else Buffer.from_numpy(array)
    return snapshot(a)


def overlaps(a: Handle, arrays: Iterable[Any]) -> bool:
    """Whether one of ``arrays`` may show memory of ``a``, which others see."""
    share = share_of(a)
    export = None if share is None else share.storage.export
    if export is None or (a.at.spec is not None and a.at.spec.place):
        return False
    shown = export.shown()
    return any(np.may_share_memory(shown, array) for array in arrays)
