"""How much the trie remembers: what was planned first is forgotten first, and what ran longest ago without a plan.

A plan that is in use and goes is made anew, once in as many others as are kept.
"""

from __future__ import annotations

from collections import OrderedDict

from nbgrad.config import on_change
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.trie import NOBODY, TrieNode

PLANS_KEPT = 1024
ONCE_KEPT = 1024  # structures that ran once, and most of them never again: they must not push out what recurs
ONCE_ENTRIES = 1 << 14  # of all of these: 0.7 KB each, as new shapes have
ONCE_LEAST = 4  # however long they are: what comes between two runs of a long one must not push it out

MET_KEPT = 4096

_Shelf = OrderedDict[tuple[int, bytes], TrieNode]
_plans: _Shelf = OrderedDict()
_once: _Shelf = OrderedDict()
_met: OrderedDict[int, float] = OrderedDict()
_once_entries = 0
_lock = Lock()


def meet(digest: int, spent_s: float) -> None:
    """A structure that is not in the trie ran, for so many seconds."""
    with _lock:
        _met[digest] = spent_s
        if len(_met) > MET_KEPT:
            _met.popitem(last=False)


def recall(digest: int) -> float | None:
    """How long a structure took that ran before and is not in the trie; None where it is new."""
    return _met.pop(digest, None)


def remember(node: TrieNode, bits: bytes, *, once: bool = False) -> None:
    """This structure has a plan now, or ran ``once``, without one. Beyond the caps the oldest one goes, with the path
    that only it needs."""
    global _once_entries
    key = (id(node), bits)
    shelf, kept = (_once, ONCE_KEPT) if once else (_plans, PLANS_KEPT)
    if key in shelf:
        try:
            shelf.move_to_end(key)
        except KeyError:  # another thread forgot it between the two lines
            shelf[key] = node
        return
    with _lock:
        if once:
            _once_entries += node.ix + 1
        elif _once.pop(key, None) is not None:
            _once_entries -= node.ix + 1
        shelf[key] = node
        while len(shelf) > kept or (once and _once_entries > ONCE_ENTRIES and len(shelf) > ONCE_LEAST):
            (_, old_bits), old = shelf.popitem(last=False)
            if once:
                _once_entries -= old.ix + 1
            _forget(old, old_bits)


def _forget(node: TrieNode, bits: bytes) -> None:
    if node.plans is not None:
        node.plans.pop(bits, None)
    while node.parent is not None and not node and not node.plans:
        parent = node.parent
        if node.is_linked:
            del parent[node.key]
        if parent.cached is node:
            parent.cached = NOBODY
        if node.given is not None and node.given[0] == "block":
            node.meta = None  # it leads to the end of this path, which would keep itself alive
        node = parent
    # Whoever still records along a forgotten path goes on with it; it is only not found again from the root.


def forget_plans() -> None:
    """Make all plans anew when they are asked for: they were made with other switches."""
    global _once_entries
    with _lock:
        _once_entries = 0
        for shelf in (_plans, _once):
            for node in shelf.values():
                node.plans = None
            shelf.clear()
        _met.clear()


on_change(forget_plans)
