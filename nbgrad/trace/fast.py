"""Recording, quickly: methods and functions of one form each, which compare what comes with what came there last time.

They are the hot path of user code, about half a microsecond each, so they are written out: by ``_SOURCE``, where a line
"@name" stands for a block that several have. What they do not know they leave to ``record``; what is recorded is the
same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import Any, Final

from nbgrad.calls.base import Call
from nbgrad.trace.enter import enter  # noqa: F401
from nbgrad.trace.handle import LOOKS, NO_GRAD, PLAIN, SEVERAL, Handle, Page, Trace, local, make_tensor  # noqa: F401
from nbgrad.trace.nested import holder, resolve  # noqa: F401
from nbgrad.trace.record import as_operand, check_number, miss, record_on, tensor_of, tensor_types  # noqa: F401
from nbgrad.trace.storage import view_of
from nbgrad.trace.trie import A_FLOAT, AN_INT, INT, Leaf, TrieNode, expect  # noqa: F401
from nbgrad.trace.window import row_bytes, window_node

# By the state of a tensor and a view call: the state of the view, and ``row_bytes``.
_shown: dict[tuple[Any, ...], tuple[Leaf, int]] = {}
_MOST_SHOWN = 10_000

_tensor: type[Handle] = Handle


def use(tensor: type[Handle]) -> None:
    """Say which class results have."""
    global _tensor
    _tensor = tensor


# The order of the lines keeps Ctrl-C from tearing an entry, see record.py; the trace is in hand between the first and
# the last of them, see nested.py.
_BLOCKS: Final = {
    "take": """
trace = local.top
taken = trace.taken
if taken:
    trace = resolve(trace)
    taken = trace.taken
""",
    "number": """
if kind is float:
    second = A_FLOAT
elif kind is int:
    second = AN_INT
    if not -(1 << 63) <= b < 1 << 63:
        check_number(b)
""",
    "pair": """
before = trace.node
node = before.ahead
if node.first is not first or node.second is not second or node.call is not number:
    sight = trace.sight
    if before or sight is None or (node := sight.pair(before, number, first, second)) is None:
        page, node = _pair(trace, number, (a, b), first, second, number)
""",
    "stand": """
y = _tensor()
y.at = node
y.page = page
y._grad = None
y.share = None
trace.node = node
""",
    "look": """
y = _tensor()
y.at = node
y.page = page
y._grad = None
y.share = LOOKS
trace.node = node
""",
}

_SOURCE: Final = """
def fast_binary(call, number):
    def method(a, b):
        @take
        try:
            trace.taken = True
            page = trace.page
            first = a.at if a.page is page else enter(trace, a)
            kind = type(b)
            if kind is _tensor:
                second = b.at if b.page is page else enter(trace, b)
            elif kind is float or kind is int:
                @number
                @pair
                @stand
                page.scalars.append(b)
                trace.live.append(y)
                return y
            elif kind in tensor_types:
                second = b.at if b.page is page else enter(trace, b)
            else:
                other = b if kind is bool else as_operand(b)
                return NotImplemented if other is NotImplemented else record_on(trace, call, (a, other), ())
            @pair
            @stand
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_reflected(call, number):
    reflected = ~number

    def method(a, b):
        @take
        try:
            trace.taken = True
            page = trace.page
            first = a.at if a.page is page else enter(trace, a)
            kind = type(b)
            @number
            else:
                other = b if kind is bool else as_operand(b)
                return NotImplemented if other is NotImplemented else record_on(trace, call, (other, a), ())
            before = trace.node
            node = before.ahead
            if node.first is not first or node.second is not second or node.call is not reflected:
                sight = trace.sight
                if before or sight is None or (node := sight.pair(before, number, second, first)) is None:
                    page, node = _pair(trace, number, (b, a), second, first, reflected)
            @stand
            page.scalars.append(b)
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_pair(call, number):
    def method(a, b):
        @take
        try:
            trace.taken = True
            page = trace.page
            try:
                first = a.at if a.page is page else enter(trace, a)
                second = b.at if b.page is page else enter(trace, b)
            except AttributeError:
                _require_tensors(call, a, b)
                raise
            @pair
            @stand
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_unary(call, number):
    def method(a):
        @take
        try:
            trace.taken = True
            page = trace.page
            try:
                first = a.at if a.page is page else enter(trace, a)
            except AttributeError:
                _require_tensors(call, a)
                raise
            before = trace.node
            node = before.ahead
            if node.first is not first or node.call is not number:
                sight = trace.sight
                if before or sight is None or (node := sight.single(before, number, first)) is None:
                    key = (number, first.ix)
                    known = before.get(key)
                    if known is None:
                        if before and sight is not None:
                            known = sight.single(before, number, first)
                        if known is None:
                            page, known = miss(trace, key, (a,))
                    if known.view:
                        return record_on(trace, call, (a,), ())
                    node = expect(before, known, number, first) if before else known
            @stand
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_static(call, number):
    def method(a, statics):
        @take
        try:
            trace.taken = True
            page = trace.page
            node = None
            if a.page is page:
                first = a.at
                before = trace.node
                node = before.ahead
                if node.first is not first or node.call is not number or node.second != statics:
                    known = before.get((number, first.ix, statics)) if before else None
                    node = None
                    if known is not None:
                        if not known.view:
                            node = expect(before, known, number, first, statics)
                    elif (sight := trace.sight) is not None:
                        node = sight.single(before, number, first, statics)
            if node is None:
                return record_on(trace, call, (a,), statics)
            @stand
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_tensors(call, number):
    def method(a, b, c):
        @take
        try:
            trace.taken = True
            page = trace.page
            try:
                first = a.at if a.page is page else enter(trace, a)
                second = b.at if b.page is page else enter(trace, b)
                third = c.at if c.page is page else enter(trace, c)
            except AttributeError:
                _require_tensors(call, a, b, c)
                raise
            key = (number, first.ix, second.ix, third.ix)
            node = trace.node.get(key)
            if node is None:
                page, node = miss(trace, key, (a, b, c))
            @stand
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_window(call, number):
    def method(a, start, statics):
        @take
        try:
            trace.taken = True
            share = a.share
            if share is not None and share is not LOOKS:
                shown = _of_export(call, a, start, statics)
                return record_on(trace, call, (a, start), statics) if shown is None else shown
            page = trace.page
            at = a.at if a.page is page else enter(trace, a)
            before = trace.node
            key = (number, at.ix, INT, statics)
            node = before.get(key)
            if node is None and (sight := trace.sight) is not None:
                node = sight.window(before, key, (number, at.form, INT, statics), at)
            if node is None or not node.window or node.window > SEVERAL or a.share is not share:
                return record_on(trace, call, (a, start), statics)
            @look
            page.scalars.append(start)
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method

def fast_piece(call, number):
    def method(a, statics):
        @take
        try:
            trace.taken = True
            share = a.share
            if share is not None and share is not LOOKS:
                return record_on(trace, call, (a,), statics)
            page = trace.page
            at = a.at if a.page is page else enter(trace, a)
            node = trace.node.get((number, at.ix, statics))
            if node is None or not node.window or node.window > SEVERAL or a.share is not share:
                return record_on(trace, call, (a,), statics)
            @look
            trace.live.append(y)
            return y
        finally:
            trace.taken = taken

    return method
"""


def _written_out() -> dict[str, Callable[[Call, int], Any]]:
    """The functions of ``_SOURCE``."""
    text = re.sub(r"^( *)@(\w+)$", lambda line: indent(_BLOCKS[line[2]].strip(), line[1]), _SOURCE, flags=re.MULTILINE)
    made: dict[str, Any] = {}
    exec(compile(text, "<nbgrad fast>", "exec"), globals(), made)
    return made


_written: Final = _written_out()


def _made(form: str, call: Call) -> Any:
    return holder(_written[form](call, call.number))


def fast_binary(call: Call) -> Callable[[Any, Any], Any]:
    """The operator method of a call with two operands."""
    return _made("fast_binary", call)  # type: ignore[no-any-return]


def fast_reflected(call: Call) -> Callable[[Any, Any], Any]:
    """The reflected operator method of a call with two operands: its first one is a number."""
    return _made("fast_reflected", call)  # type: ignore[no-any-return]


def fast_pair(call: Call) -> Callable[[Any, Any], Any]:
    """The function, and method, of a call with two operands that are tensors, and no arguments."""
    return _made("fast_pair", call)  # type: ignore[no-any-return]


def fast_unary(call: Call) -> Callable[[Any], Any]:
    """The function, and method, of a call with one operand and no arguments, that gives no view."""
    return _made("fast_unary", call)  # type: ignore[no-any-return]


def fast_static(call: Call) -> Callable[[Any, tuple[Any, ...]], Any]:
    """The function of a call with one operand and static arguments: (tensor, static arguments)."""
    return _made("fast_static", call)  # type: ignore[no-any-return]


def fast_tensors(call: Call) -> Callable[[Any, Any, Any], Any]:
    """The function of a call with three operands that are tensors, and no arguments."""
    return _made("fast_tensors", call)  # type: ignore[no-any-return]


def fast_window(call: Call) -> Callable[[Any, int, tuple[Any, ...]], Any]:
    """The function of a view call with one number: (tensor, number, static arguments)."""
    return _made("fast_window", call)  # type: ignore[no-any-return]


def fast_piece(call: Call) -> Callable[[Any, tuple[Any, ...]], Any]:
    """The function of a view call without numbers: (tensor, static arguments)."""
    return _made("fast_piece", call)  # type: ignore[no-any-return]


def _require_tensors(call: Call, *given: Any) -> None:
    """The error of the first operand that is no tensor."""
    for name, x in zip(call.operands, given, strict=True):
        tensor_of(call.name, name, x)


def _pair(
    trace: Trace, number: int, operands: tuple[Any, Any], a: TrieNode, b: TrieNode, call: int
) -> tuple[Page, TrieNode]:
    """The entry of a call on two operands, whose entries are ``a`` and ``b``, and its chapter: where the trie leads, or
    a new one. ``call`` is what ``expect`` knows it by."""
    before = trace.node
    key = (number, a.ix, b.ix)
    node = before.get(key)
    if node is not None:
        at, second = (b, a) if call < 0 else (a, b)
        return trace.page, expect(before, node, call, at, second)
    if before and (sight := trace.sight) is not None:
        node = sight.pair(before, number, a, b)
    return (trace.page, node) if node is not None else miss(trace, key, operands)


def _of_export(call: Call, a: Handle, start: Any, statics: tuple[Any, ...]) -> Any:
    """A view of memory that others see, without an entry: what it shows is copied whenever it is read. None where a
    derivative may ask how it came about, or a recording that will be run again."""
    share = a.share
    assert share is not None
    export, leaf = share.storage.export, a.at
    if export is None or type(start) is not int or a.page is not None or leaf.requires_grad or leaf.inference:
        return None
    if share.root is not None or share.steps or share.error is not None or a.history is not None or not export.alive():
        return None
    if local.trace.watcher is not None or local.trace.inference:
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
    tied = view_of(y, a, step, PLAIN if local.trace.grad_enabled else NO_GRAD)
    tied.seen = -1
    if moves:
        tied.rows = start * moves
    return y
