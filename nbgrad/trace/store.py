"""How much is remembered: plans, the oldest of which are forgotten first, with their paths in the trie; and what ran
without one, by its digest. The trie leads to few of those, which came twice: what never comes again must not fill it.

A plan that is in use and goes is made anew, once in as many others as are kept.
"""

from __future__ import annotations

from collections import OrderedDict, deque

from nbgrad.config import on_change
from nbgrad.system.fork_safety import Lock
from nbgrad.trace.trie import NOBODY, TrieNode, link

PLANS_KEPT = 1024
MET_KEPT = 4096
UNPLANNED_LINKED = 16  # 0.7 KB an entry, and a segment has thousands at most

_plans: OrderedDict[tuple[int, bytes], TrieNode] = OrderedDict()
_met: OrderedDict[int, float] = OrderedDict()
_linked: deque[TrieNode] = deque()
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


def link_unplanned(node: TrieNode) -> None:
    """Let the trie lead to what came again and has no plan yet: to grow it anew takes twice as long as to find it."""
    node.plans = node.plans or {}  # a segment ends here
    with _lock:
        link(node)
        _linked.append(node)
        if len(_linked) > UNPLANNED_LINKED:
            _forget(_linked.popleft())


def remember(node: TrieNode, bits: bytes) -> None:
    """This structure has a plan now. Beyond the cap the oldest one goes, with the path that only it needs."""
    with _lock:
        _plans[id(node), bits] = node
        if len(_plans) > PLANS_KEPT:
            (_, old_bits), old = _plans.popitem(last=False)
            if old.plans is not None:
                old.plans.pop(old_bits, None)
            _forget(old)


def _forget(node: TrieNode) -> None:
    """Cut off what of the path to ``node`` no plan and no other path needs."""
    while node.parent is not None and not node and not node.plans:
        parent = node.parent
        if node.is_linked:
            del parent[node.key]
        if parent.cached is node:
            parent.cached = NOBODY
        if node.given is not None and node.given[0] == "block":
            node.meta = node.second = None  # it leads to the end of this path, which would keep itself alive
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
