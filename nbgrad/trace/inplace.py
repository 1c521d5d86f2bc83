"""Writing in place, quickly: a tensor that only views of it show, too, and a write that was recorded here before.

Everything else, mistakes among it, is left to ``write_checked``. What is recorded is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import ref

from nbgrad.calls.base import CALLS, Call
from nbgrad.calls.transfer import TRANSFER
from nbgrad.errors import NbgradError
from nbgrad.graph.spec import Spec
from nbgrad.trace.enter import enter  # noqa: F401  (its generated code)
from nbgrad.trace.fast import fast_binary
from nbgrad.trace.grow import note_line
from nbgrad.trace.nested import in_hand
from nbgrad.trace.recording import as_operand, record, tensor_types  # noqa: F401  (its generated code)
from nbgrad.trace.storage import is_shown_by_views  # noqa: F401  (its generated code)
from nbgrad.trace.thread import Trace, local, next_page, threads, turn_page  # noqa: F401  (its generated code)
from nbgrad.trace.trie import A_FLOAT, AN_INT, TrieNode, cache_next  # noqa: F401  (its generated code)
from nbgrad.trace.writing import everywhere, require_writable, turn, write_checked  # noqa: F401  (its generated code)

# Ctrl-C is heard after a call returns: no call comes between the first change to a tensor and the last to the trace.


_QUICKLY: Final = """
segment, page, strays, share = trace.segment, trace.page, trace.strays, a._share
if trace.vmaps or (trace.grad_enabled and a._at.requires_grad and a._at.is_leaf):
    return slowly(a, b)
if share is not None:
    if share not in page.known or not (trace.watcher is trace.duals is None and is_shown_by_views(share)):
        return slowly(a, b)
    storage, counter, had, turned = share.storage, share.counter, segment.known, next_page(trace)
at = a._at if a._page is page else enter(trace, a)
kind, numbers = type(b), ()
if kind is float:
    second, numbers = A_FLOAT, (b,)
elif kind in tensor_types:
    second = b._at if b._page is page else enter(trace, b)
elif kind is int and -(1 << 63) <= b < 1 << 63:
    second, numbers = AN_INT, (b,)
else:
    return slowly(a, b)
before = trace.node
aliases, node, entries = before.aliases, before.cached, (a,)
if node.first is not at or node.second is not second or node.call is not plain:
    if node.first is not at or node.second is not second or node.call is not grafted:
        node = _met_before(trace, call, at, second, plain, grafted)
    else:
        node = rebased if (rebased := node.cached).call is grafted else None
    if node is None:
        return slowly(a, b)
    if node.ix != before.ix + 1:
        entries = [], a  # nobody holds the value as it was without the history
if aliases is not None:
    segment.moved[at.ix] = ref(a)
live, scalars, was = trace.live, segment.scalars, [] if a._page is page else None
# In one line, as nothing may come between. Otherwise nested code may have written it meanwhile.
if trace.strays != strays: return slowly(a, b)
elif share is None: live[at.ix] = was; a._at = node; a._page = page; trace.node = node; \
scalars += numbers; live += entries
else: segment.known = turned.known; trace.page = turned; live[at.ix] = was; a._at = node; a._page = turned; \
trace.node = node; scalars += numbers; live += entries; \
storage.version += 1; share.seen = storage.version; counter[0] += 1; share.counted = counter[0]
if share is not None:
    turn(trace, a)
    had.clear()
elif aliases is not None or threads.several or trace.strays:
    turn_page(trace)
return a
"""
_written: Final = in_hand("slowly, call, plain, grafted", "a, b", _QUICKLY, globals())


def fast_inplace(call: Call, what: str) -> Callable[[Any, Any], Any]:
    """The in-place operator method of a call with two operands; ``what`` is its name in errors."""
    compute = fast_binary(call)

    def slowly(a: Any, b: Any) -> Any:
        try:
            require_writable(local.trace, a, what)
        except NbgradError:
            if as_operand(b) is NotImplemented:  # what is no operand at all is told first, as in PyTorch
                return NotImplemented
            raise
        return write_checked(a, lambda: compute(a, b), what)

    # The last two are how ``cache_next`` knows a write.
    return _written(slowly, call, ("in place", call), ("in place, history kept", call))  # type: ignore[no-any-return]


def _met_before(
    trace: Trace, call: Call, at: TrieNode, second: TrieNode, plain: object, grafted: object
) -> TrieNode | None:
    """The entry that a write leads to, where it was recorded here before and is as simple as that."""
    node = trace.node.get((call.number, at.ix, second.ix))
    if node is None or node.spec is not at.spec or node.inference or at.inference or at.lazy_view:
        return None
    if not at.requires_grad or (trace.grad_enabled and node.requires_grad):
        return note_line(trace, node) if node.can_fail else cache_next(trace.node, node, plain, at, second)
    rebased = None if trace.grad_enabled else node.get(("rebase_history", at.ix, node.ix, at.leaf))
    if rebased is None:
        return None
    cache_next(node, rebased, grafted)
    cache_next(trace.node, node, grafted, at, second)
    return rebased


def _fill_zero(trace: Trace, a: Any) -> None:
    segment = trace.segment
    strays, at = trace.strays, a._at
    spec: Spec = at.spec
    node: Any = trace.node.cached
    if node.call is not _ZEROED or node.first is not spec or at.requires_grad or at.inference or at.lazy_view:
        node = trace.node.get((_FILLED.number, (spec.shape, spec.dtype, 0)))
        if node is None or spec.place or node.inference or at.requires_grad or at.inference or at.lazy_view:
            return _fill_slowly(trace, a, spec)
        cache_next(trace.node, node, _ZEROED, spec)
    if a._share is not None or trace.vmaps:
        return _fill_slowly(trace, a, spec)
    aliases, live, was = trace.node.aliases, trace.live, node.ix
    gone: tuple[list[object]] = ([],)
    if (page := a._page) is not None and page.segment is segment:
        was = at.ix
        if aliases is not None:
            segment.moved[was] = ref(a)
    # fmt: off
    if trace.strays == strays: trace.node = node; live += gone; live[was] = gone[0]; live[node.ix] = a; a._at = node; a._page = trace.page  # noqa: E501, E701, E702  (nothing may come between)
    else: return _fill_slowly(trace, a, spec)  # noqa: E701  (nothing may come between)
    # fmt: on
    if aliases is not None or threads.several or trace.strays:
        turn_page(trace)
    return None


def _fill_slowly(trace: Trace, a: Any, spec: Spec) -> None:
    require_writable(trace, a, "zero_")

    def zeros() -> Any:
        made = record(_FILLED, (), (spec.shape, spec.dtype, 0))
        return record(TRANSFER, (made,), (spec.place,)) if spec.place else made

    write_checked(a, zeros, "zero_", covers=True, places=everywhere(a))


# Set every element of a tensor to 0.
fill_zero: Final[Callable[[Any], None]] = in_hand("", "a", "return _fill_zero(trace, a)", globals())()

_FILLED = CALLS["filled"]
_ZEROED = ("in place", _FILLED)
