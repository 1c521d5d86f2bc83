"""Recording, quickly: methods and functions of one form each, which compare what comes with what came there last time.

They are the hot path of user code, about half a microsecond each, so they are written out. What they do not know they
leave to ``record``; what is recorded is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import Call
from nbgrad.trace.enter import enter
from nbgrad.trace.handle import Chapter, Handle, Trace, local
from nbgrad.trace.record import as_operand, check_number, make_tensor, miss, record, tensor_of, tensor_types
from nbgrad.trace.trie import A_FLOAT, AN_INT, INT, Leaf, TrieNode, expect
from nbgrad.trace.views import is_plain, tie
from nbgrad.trace.window import row_bytes, window_node

# The order of the lines keeps Ctrl-C from tearing an entry: see record.py.

# By the state of a tensor and a view call: the state of the view, and ``row_bytes``.
_shown: dict[tuple[Any, ...], tuple[Leaf, int]] = {}
_MOST_SHOWN = 10_000

_tensor: type[Handle] = Handle


def use(tensor: type[Handle]) -> None:
    """Say which class results have."""
    global _tensor
    _tensor = tensor


def fast_binary(call: Call) -> Callable[[Any, Any], Any]:
    """The operator method of a call with two operands."""
    number = call.number

    def method(a: Any, b: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        first = a.at if a.chapter is chapter else enter(trace, a)
        kind = type(b)
        if kind is _tensor:
            second = b.at if b.chapter is chapter else enter(trace, b)
        elif kind is float or kind is int:
            if kind is float:
                mark = A_FLOAT
            else:
                mark = AN_INT
                if not -(1 << 63) <= b < 1 << 63:
                    check_number(b)
            before = trace.node
            node = before.ahead
            if node.first is not first or node.second is not mark or node.call is not number:
                sight = trace.sight
                if before or sight is None or (node := sight.pair(before, number, first, mark)) is None:
                    chapter, node = _pair(trace, number, (a, b), first, mark, number)
            y = _tensor()
            y.at = node
            y.chapter = chapter
            y._grad = None
            y.rare = None
            trace.node = node
            chapter.scalars.append(b)
            trace.live.append(y)
            return y
        elif kind in tensor_types:
            second = b.at if b.chapter is chapter else enter(trace, b)
        else:
            other = b if kind is bool else as_operand(b)
            return NotImplemented if other is NotImplemented else record(call, (a, other))
        before = trace.node
        node = before.ahead
        if node.first is not first or node.second is not second or node.call is not number:
            sight = trace.sight
            if before or sight is None or (node := sight.pair(before, number, first, second)) is None:
                chapter, node = _pair(trace, number, (a, b), first, second, number)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def _pair(
    trace: Trace, number: int, operands: tuple[Any, Any], a: TrieNode, b: TrieNode, call: int
) -> tuple[Chapter, TrieNode]:
    """The entry of a call on two operands, whose entries are ``a`` and ``b``, and its chapter: where the trie leads, or
    a new one. ``call`` is what ``expect`` knows it by."""
    before = trace.node
    key = (number, a.ix, b.ix)
    node = before.get(key)
    if node is not None:
        at, second = (b, a) if call < 0 else (a, b)
        return trace.chapter, expect(before, node, call, at, second)
    if before and (sight := trace.sight) is not None:
        node = sight.pair(before, number, a, b)
    return (trace.chapter, node) if node is not None else miss(trace, key, operands)


def fast_reflected(call: Call) -> Callable[[Any, Any], Any]:
    """The reflected operator method of a call with two operands: its first one is a number."""
    number = call.number
    reflected = ~number

    def method(a: Any, b: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        at = a.at if a.chapter is chapter else enter(trace, a)
        kind = type(b)
        if kind is float:
            mark = A_FLOAT
        elif kind is int:
            mark = AN_INT
            if not -(1 << 63) <= b < 1 << 63:
                check_number(b)
        else:
            other = b if kind is bool else as_operand(b)
            return NotImplemented if other is NotImplemented else record(call, (other, a))
        before = trace.node
        node = before.ahead
        if node.first is not at or node.second is not mark or node.call is not reflected:
            sight = trace.sight
            if before or sight is None or (node := sight.pair(before, number, mark, at)) is None:
                chapter, node = _pair(trace, number, (b, a), mark, at, reflected)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        chapter.scalars.append(b)
        trace.live.append(y)
        return y

    return method


def fast_pair(call: Call) -> Callable[[Any, Any], Any]:
    """The function, and method, of a call with two operands that are tensors, and no arguments."""
    number = call.number

    def method(a: Any, b: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        try:
            first = a.at if a.chapter is chapter else enter(trace, a)
            second = b.at if b.chapter is chapter else enter(trace, b)
        except AttributeError:
            for name, x in zip(call.operands, (a, b), strict=True):
                tensor_of(call.name, name, x)
            raise
        before = trace.node
        node = before.ahead
        if node.first is not first or node.second is not second or node.call is not number:
            sight = trace.sight
            if before or sight is None or (node := sight.pair(before, number, first, second)) is None:
                chapter, node = _pair(trace, number, (a, b), first, second, number)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def fast_unary(call: Call) -> Callable[[Any], Any]:
    """The function, and method, of a call with one operand and no arguments, that gives no view."""
    number = call.number

    def method(a: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        try:
            at = a.at if a.chapter is chapter else enter(trace, a)
        except AttributeError:
            tensor_of(call.name, call.operands[0], a)
            raise
        before = trace.node
        node = before.ahead
        if node.first is not at or node.call is not number:
            sight = trace.sight
            if before or sight is None or (node := sight.single(before, number, at)) is None:
                key = (number, at.ix)
                known = before.get(key)
                if known is None:
                    if before and sight is not None:
                        known = sight.single(before, number, at)
                    if known is None:
                        chapter, known = miss(trace, key, (a,))
                if known.view:
                    return record(call, (a,))
                node = expect(before, known, number, at) if before else known
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def fast_static(call: Call) -> Callable[[Any, tuple[Any, ...]], Any]:
    """The function of a call with one operand and static arguments: (tensor, static arguments)."""
    number = call.number

    def method(a: Any, statics: tuple[Any, ...]) -> Any:
        trace = local.trace
        chapter = trace.chapter
        if a.chapter is not chapter:
            return record(call, (a,), statics)
        at = a.at
        before = trace.node
        node = before.ahead
        if node.first is not at or node.call is not number or node.second != statics:
            known = before.get((number, at.ix, statics)) if before else None
            if known is None:
                sight = trace.sight
                if sight is None or (node := sight.single(before, number, at, statics)) is None:
                    return record(call, (a,), statics)
            elif known.view:
                return record(call, (a,), statics)
            else:
                node = expect(before, known, number, at, statics)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def fast_tensors(call: Call) -> Callable[[Any, Any, Any], Any]:
    """The function of a call with three operands that are tensors, and no arguments."""
    number = call.number

    def function(a: Any, b: Any, c: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        try:
            first = a.at if a.chapter is chapter else enter(trace, a)
            second = b.at if b.chapter is chapter else enter(trace, b)
            third = c.at if c.chapter is chapter else enter(trace, c)
        except AttributeError:
            for name, x in zip(call.operands, (a, b, c), strict=True):
                tensor_of(call.name, name, x)
            raise
        key = (number, first.ix, second.ix, third.ix)
        node = trace.node.get(key)
        if node is None:
            chapter, node = miss(trace, key, (a, b, c))
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return function


def fast_window(call: Call) -> Callable[[Any, int, tuple[Any, ...]], Any]:
    """The function of a view call with one number: (tensor, number, static arguments)."""
    number = call.number

    def window(a: Any, start: int, statics: tuple[Any, ...]) -> Any:
        if a.rare is not None and not is_plain(a):
            shown = _of_export(call, a, start, statics)
            return record(call, (a, start), statics) if shown is None else shown
        trace = local.trace
        chapter = trace.chapter
        inside = a.chapter is chapter
        at = a.at if inside else enter(trace, a)
        before = trace.node
        key = (number, at.ix, INT, statics)
        node = before.get(key)
        if node is None and (sight := trace.sight) is not None:
            node = sight.window(before, key, (number, at.form, INT, statics), at)
        if node is None or not node.window:
            return record(call, (a, start), statics)
        if inside:
            chapter.has_inner_windows = True
        else:
            chapter.bases[at.ix] = a
        chapter.windows.append(node.ix)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        chapter.scalars.append(start)
        trace.live.append(y)
        return y

    return window


def fast_piece(call: Call) -> Callable[[Any, tuple[Any, ...]], Any]:
    """The function of a view call without numbers: (tensor, static arguments)."""
    number = call.number

    def piece(a: Any, statics: tuple[Any, ...]) -> Any:
        if a.rare is not None:
            return record(call, (a,), statics)
        trace = local.trace
        chapter = trace.chapter
        inside = a.chapter is chapter
        at = a.at if inside else enter(trace, a)
        node = trace.node.get((number, at.ix, statics))
        if node is None or not node.window:
            return record(call, (a,), statics)
        if inside:
            chapter.has_inner_windows = True
        else:
            chapter.bases[at.ix] = a
        chapter.windows.append(node.ix)
        y = _tensor()
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return piece


def _of_export(call: Call, a: Handle, start: Any, statics: tuple[Any, ...]) -> Any:
    """A view of memory that others see, without an entry: what it shows is copied whenever it is read. None where a
    derivative may ask how it came about, or a recording that will be run again."""
    rare = a.rare
    assert rare is not None
    export, leaf = rare.export, a.at
    if export is None or type(start) is not int or a.chapter is not None or leaf.requires_grad or leaf.inference:
        return None
    if rare.base is not None or rare.stale or rare.error is not None or a.history is not None or not export.alive():
        return None
    if local.trace.watcher is not None:
        return None
    step = (call, (INT,), (start,), statics)
    key = (leaf, call.number, statics)
    shown = _shown.get(key)
    if shown is None:
        if len(_shown) > _MOST_SHOWN:
            _shown.clear()
        spec = leaf.spec
        assert spec is not None
        state = Leaf.of(window_node(spec, (step,)).spec.on(spec.place), False, True)
        shown = _shown[key] = state, row_bytes(spec, step)
    y = make_tensor()
    y.at, moves = shown
    tied = tie(y, a, (step,))
    if moves:
        tied.rows = start * moves
    return y
