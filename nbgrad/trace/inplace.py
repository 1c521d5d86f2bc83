"""Writing in place, quickly: a tensor that nobody else shows, and a write that was recorded here before.

Everything else, mistakes among it, is left to ``write_checked``. What is recorded is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS, Call
from nbgrad.calls.transfer import TRANSFER
from nbgrad.graph.spec import Spec
from nbgrad.trace.alias import require_writable, turn_of, write_checked
from nbgrad.trace.enter import enter
from nbgrad.trace.fast import fast_binary
from nbgrad.trace.handle import Trace, local, threads, windowed
from nbgrad.trace.record import record, tensor_types
from nbgrad.trace.trie import A_FLOAT, AN_INT, TrieNode, expect

# Ctrl-C is heard after a call returns: no call comes between the first change to a tensor and the last to the trace.


def fast_inplace(call: Call, what: str) -> Callable[[Any, Any], Any]:
    """The in-place operator method of a call with two operands; ``what`` is its name in errors."""
    compute = fast_binary(call)
    plain, grafted = ("in place", call), ("in place, history kept", call)  # how ``expect`` knows a write

    def method(a: Any, b: Any) -> Any:
        trace = local.trace  # before asking: a thread's first one makes it one of several
        if threads.several:
            with threads.writing, turn_of(a):  # what is read here may be written at other places meanwhile
                return quickly(trace, a, b)
        return quickly(trace, a, b)

    def slowly(a: Any, b: Any) -> Any:
        require_writable(local.trace, a, what)
        value = compute(a, b)
        if value is NotImplemented:
            return NotImplemented
        write_checked(a, value, what)
        return a

    def quickly(trace: Trace, a: Any, b: Any) -> Any:
        chapter = trace.chapter
        if a.rare is not None or chapter.windows or windowed:
            return slowly(a, b)
        if trace.grad_enabled and a.at.requires_grad and a.at.is_leaf:
            return slowly(a, b)
        at = a.at if a.chapter is chapter else enter(trace, a)
        kind = type(b)
        if kind is float:
            second = A_FLOAT
        elif kind in tensor_types:
            second = b.at if b.chapter is chapter else enter(trace, b)
        elif kind is int and -(1 << 63) <= b < 1 << 63:
            second = AN_INT
        else:
            return slowly(a, b)
        before = trace.node
        node: Any = before.ahead
        if node.first is at and node.second is second and node.call is plain:
            entries: tuple[Any, ...] = (a,)
        else:
            if node.first is not at or node.second is not second or node.call is not grafted:
                node = _met_before(trace, call, at, second, plain, grafted)
            else:
                node = graft if (graft := node.ahead).call is grafted else None
            if node is None:
                return slowly(a, b)
            # Nobody holds the value as it was without the history.
            entries = (a,) if node.ix == before.ix + 1 else ([], a)
        if a.chapter is chapter:
            trace.live[at.ix] = []
        a.at = node
        a.chapter = chapter
        trace.node = node
        if second is A_FLOAT or second is AN_INT:
            chapter.scalars.append(b)
        trace.live.extend(entries)
        return a

    return method


def _met_before(
    trace: Trace, call: Call, at: TrieNode, second: TrieNode, plain: object, grafted: object
) -> TrieNode | None:
    """The entry that a write leads to, where it was recorded here before and is as simple as that."""
    node = trace.node.get((call.number, at.ix, second.ix))
    if node is None or node.spec is not at.spec or node.inference or at.inference or at.window:
        return None
    if not at.requires_grad or (trace.grad_enabled and node.requires_grad):
        return expect(trace.node, node, plain, at, second)
    graft = None if trace.grad_enabled else node.get(("graft", at.ix, node.ix, at.leaf))
    if graft is None:
        return None
    expect(node, graft, grafted)
    expect(trace.node, node, grafted, at, second)
    return graft


def fill_zero(a: Any) -> None:
    """Set every element of ``a`` to 0."""
    trace = local.trace
    if threads.several:
        with threads.writing, turn_of(a):  # a thread may be about to write what it has read
            _fill_quickly(trace, a)
    else:
        _fill_quickly(trace, a)


def _fill_quickly(trace: Trace, a: Any) -> None:
    chapter = trace.chapter
    at = a.at
    spec: Spec = at.spec
    node: Any = trace.node.ahead
    if node.call is not _ZEROED or node.first is not spec or at.requires_grad or at.inference or at.window:
        node = trace.node.get((_FILLED.number, (spec.shape, spec.dtype, 0)))
        if node is None or spec.place or node.inference or at.requires_grad or at.inference or at.window:
            return _fill_slowly(trace, a, spec)
        expect(trace.node, node, _ZEROED, spec)
    if a.rare is not None or chapter.windows or windowed:
        return _fill_slowly(trace, a, spec)
    if a.chapter is chapter:
        trace.live[at.ix] = []
    a.at = node
    a.chapter = chapter
    trace.node = node
    trace.live.append(a)
    return None


def _fill_slowly(trace: Trace, a: Any, spec: Spec) -> None:
    require_writable(trace, a, "zero_")
    zeros = record(_FILLED, (), (spec.shape, spec.dtype, 0))
    write_checked(a, record(TRANSFER, (zeros,), (spec.place,)) if spec.place else zeros, "zero_", covers=True)


_FILLED = CALLS["filled"]
_ZEROED = ("in place", _FILLED)
