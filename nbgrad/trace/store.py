"""How much is remembered: plans, the oldest of which are forgotten first, with their paths in the trie; and what ran
without one, by a number that stands for it.

A plan that is in use and goes is made anew, once in as many others as are kept.
"""

from __future__ import annotations

from collections import OrderedDict

from nbgrad.config import on_change
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.trie import NOBODY, TrieNode

PLANS_KEPT = 1024
MET_KEPT = 4096

_plans: OrderedDict[tuple[int, bytes], TrieNode] = OrderedDict()
_met: OrderedDict[int, float] = OrderedDict()
_lock = Lock()


def meet(digest: int, spent_s: float) -> None:
    """A structure that is not in the trie ran, for so many seconds in all."""
    with _lock:
        _met[digest] = spent_s
        if len(_met) > MET_KEPT:
            _met.popitem(last=False)


def recall(digest: int) -> float | None:
    """How long a structure took that ran before and is not in the trie; None where it is new."""
    return _met.pop(digest, None)


def remember(node: TrieNode, bits: bytes) -> None:
    """This structure has a plan now. Beyond the cap the oldest one goes, with the path that only it needs."""
    with _lock:
        _plans[id(node), bits] = node
        if len(_plans) > PLANS_KEPT:
            (_, old_bits), old = _plans.popitem(last=False)
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
    with _lock:
        for node in _plans.values():
            node.plans = None
        _plans.clear()
        _met.clear()


on_change(forget_plans)
