"""How much the trie remembers: the least recently used structures are forgotten first."""

from __future__ import annotations

import threading
from collections import OrderedDict

from nbgrad.config import on_change
from nbgrad.trace.trie import TrieNode

PLANS_KEPT = 1024

_recent: OrderedDict[tuple[int, bytes], TrieNode] = OrderedDict()
_lock = threading.Lock()


def remember(node: TrieNode, bits: bytes) -> None:
    """This plan was used now; beyond the cap the least recent one goes, with the path that only it needs."""
    key = (id(node), bits)
    if key in _recent:
        try:
            _recent.move_to_end(key)
        except KeyError:  # another thread forgot it between the two lines
            _recent[key] = node
        return
    with _lock:
        _recent[key] = node
        while len(_recent) > PLANS_KEPT:
            (_, old_bits), old = _recent.popitem(last=False)
            _forget(old, old_bits)


def _forget(node: TrieNode, bits: bytes) -> None:
    if node.plans is not None:
        node.plans.pop(bits, None)
    while node.parent is not None and not node and not node.plans:
        parent = node.parent
        parent.pop(node.key, None)
        node = parent
    # Whoever still records along a forgotten path goes on with it; it is only not found again from the root.


def forget_plans() -> None:
    """Make all plans anew when they are asked for: they were made with other switches."""
    with _lock:
        for node in _recent.values():
            node.plans = None
        _recent.clear()


def plans_kept() -> int:
    """How many plans are remembered now."""
    return len(_recent)


on_change(forget_plans)
