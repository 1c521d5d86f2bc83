"""Writing in place, quickly: a tensor that nobody else shows, and a write that was recorded here before.

Everything else, mistakes among it, is left to ``write_checked``. What is recorded is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import CALLS, Call
from nbgrad.calls.transfer import TRANSFER
from nbgrad.graph.spec import Spec
from nbgrad.trace.alias import require_writable, write_checked
from nbgrad.trace.enter import enter
from nbgrad.trace.handle import local
from nbgrad.trace.record import fast_binary, record, tensor_types
from nbgrad.trace.trie import FLOAT, INT

# Ctrl-C is heard after a call returns: no call comes between the first change to a tensor and the last to the trace.


def fast_inplace(call: Call, what: str) -> Callable[[Any, Any], Any]:
    """The in-place operator method of a call with two operands; ``what`` is its name in errors."""
    number = call.number
    compute = fast_binary(call)

    def slowly(a: Any, b: Any) -> Any:
        require_writable(local.trace, a, what)
        value = compute(a, b)
        if value is NotImplemented:
            return NotImplemented
        write_checked(a, value, what)
        return a

    def method(a: Any, b: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        if a.rare is not None or chapter.windows or a.at.inference or a.at.window:
            return slowly(a, b)
        if a.at.requires_grad and a.at.is_leaf and trace.grad_enabled:
            return slowly(a, b)
        at = a.at if a.chapter is chapter else enter(trace, a)
        kind = type(b)
        if kind in tensor_types:
            node = trace.node.get((number, at.ix, (b.at if b.chapter is chapter else enter(trace, b)).ix))
        elif kind is float:
            node = trace.node.get((number, at.ix, FLOAT))
        elif kind is int and -(1 << 63) <= b < 1 << 63:
            node = trace.node.get((number, at.ix, INT))
        else:
            return slowly(a, b)
        if node is None or node.spec is not at.spec or node.inference:
            return slowly(a, b)
        if at.requires_grad and not (trace.grad_enabled and node.requires_grad):
            graft = None if trace.grad_enabled else node.get(("graft", at.ix, node.ix, at.leaf))
            if graft is None:
                return slowly(a, b)
            entries: tuple[Any, ...] = ([], a)  # nobody holds the value as it was without the history
            node = graft
        else:
            entries = (a,)
        if kind is float or kind is int:
            chapter.scalars.append(b)
        if a.chapter is chapter:
            trace.live[at.ix] = []
        a.at = node
        a.chapter = chapter
        trace.node = node
        trace.live.extend(entries)
        return a

    return method


def fill_zero(a: Any) -> None:
    """Set every element of ``a`` to 0."""
    spec: Spec = a.at.spec
    statics = (spec.shape, spec.dtype, 0)
    trace = local.trace
    chapter = trace.chapter
    at = a.at
    if a.rare is None and not (chapter.windows or at.requires_grad or at.inference or at.window or spec.place):
        node = trace.node.get((_FILLED.number, statics))
        if node is not None and not node.inference:
            if a.chapter is chapter:
                trace.live[at.ix] = []
            a.at = node
            a.chapter = chapter
            trace.node = node
            trace.live.append(a)
            return
    require_writable(trace, a, "zero_")
    zeros = record(_FILLED, (), statics)
    write_checked(a, record(TRANSFER, (zeros,), (spec.place,)) if spec.place else zeros, "zero_", covers=True)


_FILLED = CALLS["filled"]
