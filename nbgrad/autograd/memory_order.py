"""Tensors that do not lie row by row, such as a transposed matrix: in which order their dims do, and copies that lie
alike.

All values are row-major. Such a copy is a view of one whose dims are in the order of memory, which nobody else has.
"""

from __future__ import annotations

import weakref
from functools import lru_cache
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.graph.geometry import memory_order
from nbgrad.trace import (
    FRESH_VIEW,
    Handle,
    Trace,
    TrieNode,
    advance_as,
    entry_at,
    entry_of,
    fast_static,
    holding,
    layout_of,
    record,
    share_of,
    spec_of,
)

Order = tuple[int, ...]

_permuted = fast_static(CALLS["permute"])
_PARTS = frozenset([CALLS[name].number for name in ("slice_dim", "select_dim", "narrow", "select")])


@lru_cache(1000)
def _back(order: Order) -> Order:
    return tuple([order.index(d) for d in range(len(order))])


def order_of(a: Handle, *, with_gaps: bool = False) -> Order | None:
    """The order of dims in which ``a`` lies in memory, the outermost first; None where that is their own, or there are
    gaps or repeats, unless a copy ``with_gaps`` closed is meant."""
    share = a._share
    if share is None or (share is FRESH_VIEW and _is_part(a)):
        return None
    strides = layout_of(a)
    return None if strides is None else memory_order(spec_of(a).shape, strides, with_gaps)


def _is_part(a: Handle) -> bool:
    """Whether a fresh view only leaves out elements of row-major memory."""
    node = a._at
    while isinstance(node, TrieNode) and node.lazy_view:
        if node.key[0] not in _PARTS:
            return False
        node = entry_at(node, node.key[1])
    return True


def in_order(order: Order, made: Handle) -> Handle:
    """``made``, a new tensor with its dims in this order, as a tensor that has them in theirs."""
    y: Any = _permuted(made, (_back(order),))
    share = share_of(y)
    if share is not None and share.root is made and made._share is not None:
        made._share.shown = weakref.ref(y)
        share.kind = made._share.kind  # no view that somebody made under no_grad
    return y  # type: ignore[no-any-return]


@holding
def laid_out(trace: Trace, order: Order, a: Handle, call: str, *statics: Any) -> Handle:
    """What a call makes of each element of ``a``, in memory whose dims are in this order."""
    y = in_order(order, record(CALLS[call], (_permuted(a, (order,)),), statics))
    if y._at.requires_grad and y._page is trace.page:  # with the history of the call itself
        history = record(CALLS[call], (a,), statics)
        advance_as(trace, y, ("renewed", entry_of(trace, history).ix, y._at.ix))
    return y
