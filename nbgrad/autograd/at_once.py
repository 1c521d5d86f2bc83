"""A backward that recurs runs at once, without being recorded: nothing changes until its results are there, and then
all does in one line of a function that is written for it. So there is nothing to take back where it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from gc import get_referents
from typing import Any, Final, NamedTuple

from nbgrad.errors import NbgradError, user_instruction
from nbgrad.runtime.cuda import pinned
from nbgrad.runtime.runner import RunOver
from nbgrad.trace import (
    NOWHERE,
    ROOT,
    FlushPlan,
    Handle,
    Leaf,
    Page,
    Recorded,
    Segment,
    Trace,
    TrieNode,
    bits_of,
    entry_at,
    is_torn,
    make_tensor,
    threads,
)

_PAYS: Final = 4  # runs; to write the function takes as long as is saved by a hundred
_DOUBT: Final = 4  # times as many runs, where it was refused: whoever has views or aliases has them again
_MOST: Final = 64  # results: more take so long to compute that what is saved is nothing

_NONE: Final = (None, None, None, None)
_PENDING: Final = "{0} is not None and {0}._at is {1} and {0}._share is None"
_GIVE: Final = "{0}._buffer = {1}; {0}._history = {2}; {0}._entered = NOWHERE; {0}._at = {3}; {0}._page = None"
_RESTART: Final = "trace.node, trace.segment, trace.page = ROOT, segment, page; trace.live = live; trace.builder = None"


class _Known(NamedTuple):
    """The plan that runs, by which bits its trie node knows it, and who hands its results over."""

    plan: FlushPlan
    bits: bytes
    give: Callable[..., bool]


class AtOnce:
    """What runs for a backward that was ``recorded``, by who is held. ``states``: the entries of the leaves' gradients,
    where they had any."""

    __slots__ = ("_is_possible", "_known", "_pays", "_recorded", "_runs", "states")

    def __init__(self, recorded: Recorded, states: Sequence[TrieNode | Leaf | None]) -> None:
        self._recorded, self.states = recorded, states
        self._known: dict[bytes, _Known] = {}
        self._is_possible = True
        self._runs, self._pays = 0, _PAYS

    def bits(self, trace: Trace) -> bytes | None:
        """Who is held, where it may run so."""
        if trace.strays or threads.several or trace.vmaps or pinned.ever.is_pinned or not trace.grad_enabled:
            return None
        if (trace.watcher, trace.duals, trace.autocast, trace.anomaly) != _NONE or is_torn(trace):
            return None
        return bits_of(trace.live) if self._is_possible else None

    def run(self, trace: Trace, bits: bytes, leaves: Sequence[Handle], grads: Sequence[Handle | None]) -> bool | None:
        """Run, and give all that is held its value. None where it did not run so often yet; False, with nothing done,
        where an instruction failed, and where nested code has used the trace or written a gradient."""
        known = self._known.get(bits)
        if known is None:
            return None
        plan, known_by, give = known
        plans, segment, failing = self._recorded.end.plans, trace.segment, self._recorded.failing
        if plans is None or plans.get(known_by) is not plan:
            del self._known[bits]  # it was forgotten
            return None
        if failing:
            segment.lines |= dict.fromkeys(failing, user_instruction(2))
        try:
            buffers = plan.run(segment)
        except RunOver as stop:
            raise stop.error from None
        except (NbgradError, MemoryError):
            return False
        earlier = None if plan.struct is None else plan.earlier(segment, segment.inputs, buffers)
        if give(trace, leaves, grads, buffers, earlier):
            return True
        del self._known[bits]
        self._runs, self._pays = 0, self._pays * _DOUBT
        return False

    def ran(self, plan: FlushPlan | None, bits: bytes) -> None:
        """It ran in the usual way, by this plan."""
        self._runs += 1
        if self._holds_views(bits):
            return
        found = [known_by for known_by, other in (self._recorded.end.plans or {}).items() if other is plan]
        if self._runs < self._pays or plan is None or not found:
            return
        give = self._giver(plan)
        self._is_possible = give is not None
        if give is not None:
            self._known[bits] = _Known(plan, found[0], give)

    def _holds_views(self, bits: bytes) -> bool:
        """Whether somebody holds a view that was recorded."""
        aliases = self._recorded.end.aliases
        while aliases is not None:
            ix, aliases = aliases
            if ix < len(bits) and bits[ix]:
                return True
        return False

    def _giver(self, plan: FlushPlan) -> Callable[..., bool] | None:
        """The function (trace, leaves, gradients, results, earlier segment) that hands over, or gives False."""
        own = {node.ix: i for i, node, _ in self._recorded.written}
        if plan.renewed or len(plan.commits) > _MOST or not own.keys() <= {ix for ix, _, _ in plan.commits}:
            return None
        scope: dict[str, Any] = {"ROOT": ROOT, "NOWHERE": NOWHERE, "Segment": Segment, "Page": Page}
        scope |= {"make_tensor": make_tensor, "get_referents": get_referents}
        lines, so, stores, held = [], ["not trace.strays"], [], []
        for ix, place, leaf in plan.commits:
            if place < 0:
                return None
            i, name, history = own.get(ix), f"y{ix}", "None"
            scope[f"leaf{ix}"] = leaf
            if not (leaf.is_leaf or plan.struct is None):
                history = f"h{ix}"
                lines.append(f"{history} = earlier, {ix}")
            give = _GIVE.format(name, f"buffers[{place}]", history, f"leaf{ix}")
            if i is not None and self.states[i] is None:
                lines += [f"{name} = make_tensor()", give]
                so.append(f"leaves[{i}]._grad is None")
                stores.append(f"leaves[{i}]._grad = {name}")
                continue
            scope[f"at{ix}"] = entry_at(self._recorded.end, ix) if i is None else self.states[i]
            lines.append(f"{name} = {f'trace.live[{ix}]' if i is None else f'grads[{i}]'}")
            so += [_PENDING.format(name, f"at{ix}"), *([] if i is None else [f"leaves[{i}]._grad is {name}"])]
            stores.append(give)
            held.append(name)
        body = [
            *lines,
            f"had = get_referents({', '.join(held)})",  # it may end, and run code of the user's, like ``before``
            "segment, live = Segment(trace), []",
            "page, before = Page(segment), (trace.segment, trace.node, trace.live)",
            # In one line, as nothing may come between.
            f"if {' and '.join(so)}: {'; '.join(stores)}; {_RESTART}; trace.baseline = trace.start = None",
            "else: return False",
            "return True",
        ]
        text = "\n    ".join(["def give(trace, leaves, grads, buffers, earlier):", *body])
        exec(compile(text, "<nbgrad at once>", "exec"), scope)
        return scope["give"]  # type: ignore[no-any-return]
