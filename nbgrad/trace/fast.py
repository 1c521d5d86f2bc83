"""Recording, quickly: methods and functions of one form each, which compare what comes with what came there last time.

They are the hot path of user code, less than half a microsecond each, so they are written out (``in_hand``). What they
do not know they leave to ``record``; what is recorded is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import Any, Final

from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.calls.key import INT  # noqa: F401  (its generated code)
from nbgrad.trace.enter import enter  # noqa: F401  (its generated code)
from nbgrad.trace.grow import note_line
from nbgrad.trace.handle import FRESH_VIEW, SEVERAL, Handle, later  # noqa: F401  (its generated code)
from nbgrad.trace.nested import in_hand
from nbgrad.trace.recording import as_operand, check_number, miss, record_on, tensor_of, tensor_types, without_entry  # noqa: F401  (its generated code)
from nbgrad.trace.segment import Page
from nbgrad.trace.storage import is_alone  # noqa: F401  (its generated code)
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import A_FLOAT, AN_INT, TrieNode, cache_next  # noqa: F401  (its generated code)

_class: type[Handle] = Handle
_tensor: Callable[[], Handle] = Handle


def use(tensor: type[Handle]) -> None:
    """Say which class results have."""
    global _class, _tensor
    _class, _tensor = tensor, type.__call__.__get__(tensor)  # to call the class is for users
    later.tensor = _tensor
    tensor_types.add(tensor)


# The order of the lines keeps Ctrl-C from tearing an entry, see recording.py.
_RESULT: Final = """
y = _tensor()
y._at = node
y._page = page
y._grad = None
y._share = {0}
trace.node = node
trace.live.append(y)
return y
"""
_BLOCKS: Final = {
    "number": """
if kind is float:
    {0} = A_FLOAT
elif kind is int:
    {0} = AN_INT
    if not -(1 << 63) <= b < 1 << 63:
        check_number(b)
""",
    "pair": """
before = trace.node
node = before.cached
if node.first is not first or node.second is not second or node.call is not number:
    baseline = trace.baseline
    if before or baseline is None or (node := baseline.usual_call(before, number, first, second)) is None:
        page, node = _look_up(trace, number, ({0}, {1}), first, second)
""",
    "result": _RESULT,
    "numbered": _RESULT.replace("trace.live", "page.scalars.append({1})\ntrace.live"),
}


_into: Callable[[Call, Any, tuple[Any, ...]], Any]


def use_out(into: Callable[[Call, Any, tuple[Any, ...]], Any]) -> None:
    """Say what writes the result of a call into the argument ``out``."""
    global _into
    _into = into


def into(number: int, out: Any, operands: tuple[Any, ...]) -> Any:
    """The call of that number on ``operands``, written into ``out``."""
    return _into(CALLS_BY_NUMBER[number], out, operands)


def _form(parameters: str, source: str, *, takes_out: bool = False) -> Callable[[Call], Any]:
    """What makes the function of a call. A line "@name words" in ``source`` stands for a block that several have."""

    def block(line: re.Match[str]) -> str:
        words = line[3].split()
        text = _tensors(words) if line[2] == "tensors" else _BLOCKS[line[2]].strip().format(*words)
        return indent(text, line[1])

    body = re.sub(r"^( *)@(\w+)(.*)$", block, source, flags=re.MULTILINE)
    make = in_hand("number", parameters, body, globals(), takes_out=takes_out)
    return lambda call: make(call.number)


def _tensors(names: list[str]) -> str:
    """The entries of operands that have to be tensors."""
    entries = zip(("first", "second", "third"), names, strict=False)
    lines = [f"    {entry} = {x}._at if {x}._page is page else enter(trace, {x})" for entry, x in entries]
    refused = f"except AttributeError:\n    _require_tensors(number, {', '.join(names)})\n    raise"
    return "\n".join(["page = trace.page", "try:", *lines, refused])


# The operator method of a call with two operands.
fast_binary: Final[Callable[[Call], Callable[[Any, Any], Any]]] = _form(
    "a, b",
    """
page = trace.page
first = a._at if a._page is page else enter(trace, a)
kind = type(b)
if kind is _class:
    second = b._at if b._page is page else enter(trace, b)
elif kind is float or kind is int:
    @number second
    @pair a b
    @numbered None b
elif kind in tensor_types:
    second = b._at if b._page is page else enter(trace, b)
else:
    other = b if kind is bool else as_operand(b)
    return NotImplemented if other is NotImplemented else record_on(trace, CALLS_BY_NUMBER[number], (a, other), ())
@pair a b
@result None
""",
)

# The reflected operator method of a call with two operands: its first one is a number.
fast_reflected: Final[Callable[[Call], Callable[[Any, Any], Any]]] = _form(
    "a, b",
    """
page = trace.page
second = a._at if a._page is page else enter(trace, a)
kind = type(b)
@number first
else:
    other = b if kind is bool else as_operand(b)
    return NotImplemented if other is NotImplemented else record_on(trace, CALLS_BY_NUMBER[number], (other, a), ())
@pair b a
@numbered None b
""",
)

_PAIR: Final = """
@tensors a b
@pair a b
@result None
"""

# The function, and the method, of a call with two operands that are tensors, and no arguments.
fast_pair: Final[Callable[[Call], Callable[..., Any]]] = _form("a, b", _PAIR, takes_out=True)
fast_pair_method: Final[Callable[[Call], Callable[[Any, Any], Any]]] = _form("a, b", _PAIR)

_SINGLE: Final = """
@tensors a
before = trace.node
node = before.cached
if node.first is not first or node.call is not number:
    baseline = trace.baseline
    if before or baseline is None or (node := baseline.usual_call(before, number, first)) is None:
        page, node = _look_up(trace, number, (a,), first)
        if node.view:
            return record_on(trace, CALLS_BY_NUMBER[number], (a,), ())
@result None
"""

# The function, and the method, of a call with one operand and no arguments, that gives no view.
fast_unary: Final[Callable[[Call], Callable[..., Any]]] = _form("a", _SINGLE, takes_out=True)
fast_unary_method: Final[Callable[[Call], Callable[[Any], Any]]] = _form("a", _SINGLE)

# The function of a call with one operand and static arguments, that may give a view: (tensor, static arguments).
fast_static: Final[Callable[[Call], Callable[[Any, tuple[Any, ...]], Any]]] = _form(
    "a, statics",
    """
page, share, node = trace.page, a._share, None
if share is None or share is FRESH_VIEW:
    first = a._at if a._page is page else enter(trace, a)
    before = trace.node
    node = before.cached
    if node.first is not first or node.call is not number or node.second != statics:
        node = before.get((number, first.ix, statics))
        if node is None:
            if (baseline := trace.baseline) is not None:
                node = baseline.usual_call(before, number, first, None, statics)
        elif node.can_fail or (node.view and (not node.lazy_view or node.lazy_view > SEVERAL)):
            node = None
        else:
            cache_next(before, node, number, first, statics)
if node is None or (node.view and a._share is not share):
    return record_on(trace, CALLS_BY_NUMBER[number], (a,), statics)
shown = FRESH_VIEW if node.view else None
@result shown
""",
)

# The function of a call with three operands that are tensors, and no arguments.
fast_tensors: Final[Callable[[Call], Callable[[Any, Any, Any], Any]]] = _form(
    "a, b, c",
    """
@tensors a b c
key = (number, first.ix, second.ix, third.ix)
node = trace.node.get(key)
if node is None:
    page, node = miss(trace, key, (a, b, c))
@result None
""",
)

# The function of a view call with one number: (tensor, number, static arguments).
fast_view: Final[Callable[[Call], Callable[[Any, int, tuple[Any, ...]], Any]]] = _form(
    "a, start, statics",
    """
share = a._share
if share is not None and share is not FRESH_VIEW:
    if (export := share.storage.export) is not None and export.alive():
        if (shown := without_entry(trace, CALLS_BY_NUMBER[number], a, (start,), statics)) is not None:
            return shown
    if not is_alone(a, trace):
        return record_on(trace, CALLS_BY_NUMBER[number], (a, start), statics)
    share = None
page = trace.page
at = a._at if a._page is page else enter(trace, a)
before = trace.node
key = (number, at.ix, INT, statics)
node = before.get(key)
if node is None and (baseline := trace.baseline) is not None:
    node = baseline.lazy_view(before, key, (number, at.form, INT, statics), at)
if node is None or not node.lazy_view or node.lazy_view > SEVERAL or a._share is not share:
    return record_on(trace, CALLS_BY_NUMBER[number], (a, start), statics)
@numbered FRESH_VIEW start
""",
)


def _require_tensors(number: int, *given: Any) -> None:
    """The error of the first operand that is no tensor."""
    call = CALLS_BY_NUMBER[number]
    for name, x in zip(call.operands, given, strict=True):
        tensor_of(call.name, name, x)


def _look_up(trace: Trace, number: int, operands: tuple[Any, ...], *entries: TrieNode) -> tuple[Page, TrieNode]:
    """The entry of a call on operands with these entries, and its page: where the trie leads, or a new one."""
    before = trace.node
    key = (number, *[x.ix for x in entries])
    node = before.get(key)
    if node is None:
        if before and (baseline := trace.baseline) is not None:
            node = baseline.usual_call(before, number, *entries)
        return (trace.page, node) if node is not None else miss(trace, key, operands)
    if node.can_fail:
        note_line(trace, node)
    elif not node.view:
        cache_next(before, node, number, *entries)
    return trace.page, node
