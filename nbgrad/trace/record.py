"""Recording: one look-up per operation on what was seen before; building on what was not.

The methods that ``fast_binary`` and ``fast_unary`` make are the hot path of user code: about half a microsecond each.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from nbgrad.calls.arguments import refused
from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.errors import NbgradError, NumberError, ShapeError, at_user_line, user_frame, user_line
from nbgrad.trace import inference
from nbgrad.trace.builder import OWN, Builder
from nbgrad.trace.handle import Chapter, Handle, Rare, Trace, ViewStep, local
from nbgrad.trace.sight import NO_SIGHT, Sight, Unsupported, first_sight_allowed
from nbgrad.trace.trie import BOOL, FLOAT, INT, NONE, Leaf, Record, TrieNode, path_between, split_key

# Ctrl-C is heard after a call returns: ``trace.node = ...; trace.live.append(...)``, in this order, is never torn.
from nbgrad.trace.window import shares_memory, snapshot

new = object.__new__

# A chapter longer than this flushes where the instruction that began it comes round again; at the second length it
# flushes anywhere. Long enough to fuse across many steps of a loop, short enough to plan in well under a second.
CHAPTER_LENGTH = 2000
CHAPTER_LIMIT = 6000
# What will be differentiated is kept anyway, and cutting it costs: every later chapter takes the earlier ones in again.
DIFFERENTIABLE_LENGTH = 100_000


tensor_types: set[type] = set()
_tensor: type[Handle] = Handle
_flush: Callable[[Trace], None]
_foreign: Callable[[Trace, Handle], TrieNode]
_enter_rare: Callable[[Trace, Handle], TrieNode | None]
_from_array: Callable[[Any], Handle]


def use(
    tensor: type[Handle],
    flush: Callable[[Trace], None],
    foreign: Callable[[Trace, Handle], TrieNode],
    enter_rare: Callable[[Trace, Handle], TrieNode | None],
    from_array: Callable[[Any], Handle],
) -> None:
    """Say which class results have, who flushes, reads other threads' values, knows aliases, and takes in arrays."""
    global _tensor, _flush, _foreign, _enter_rare, _from_array
    _tensor, _flush, _foreign, _enter_rare, _from_array = tensor, flush, foreign, enter_rare, from_array


def fast_binary(call: Call, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The operator method of a call with two operands."""
    number = call.number

    def method(a: Any, b: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        at = a.at if a.chapter is chapter else enter(trace, a)
        kind = type(b)
        if kind in tensor_types:
            other = b.at if b.chapter is chapter else enter(trace, b)
            key = (number, other.ix, at.ix) if reflected else (number, at.ix, other.ix)
            node = trace.node.get(key)
            if node is None:
                chapter, node = miss(trace, key, (b, a) if reflected else (a, b))
        elif kind is float or kind is int:
            mark = FLOAT if kind is float else INT
            if mark == INT and not -(1 << 63) <= b < 1 << 63:
                check_number(b)
            key = (number, mark, at.ix) if reflected else (number, at.ix, mark)
            node = trace.node.get(key)
            if node is None:
                chapter, node = miss(trace, key, (b, a) if reflected else (a, b))
            chapter.scalars.append(b)
        else:
            other_value = b if kind is bool else as_operand(b)
            if other_value is NotImplemented:
                return NotImplemented
            return record(call, (other_value, a) if reflected else (a, other_value))
        y = new(_tensor)
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def fast_unary(call: Call) -> Callable[[Any], Any]:
    """The method of a call with one operand and no arguments."""
    number = call.number

    def method(a: Any) -> Any:
        trace = local.trace
        chapter = trace.chapter
        at = a.at if a.chapter is chapter else enter(trace, a)
        key = (number, at.ix)
        node = trace.node.get(key)
        if node is None:
            chapter, node = miss(trace, key, (a,))
        if node.view:
            return record(call, (a,))
        y = new(_tensor)
        y.at = node
        y.chapter = chapter
        y._grad = None
        y.rare = None
        trace.node = node
        trace.live.append(y)
        return y

    return method


def as_operand(value: Any) -> Any:
    """A tensor or a Python number from what the user gave; NotImplemented where it is neither."""
    kind = type(value)
    if kind in tensor_types or kind in (float, int, bool):
        return value
    convert = getattr(value, "__array__", None)
    if convert is not None:
        array = convert()
        if array.dtype.kind in "biuf":
            return array.item() if array.ndim == 0 else _from_array(array)
    return NotImplemented


def record(call: Call, operands: tuple[Any, ...], statics: tuple[Any, ...] = ()) -> Any:
    """The result of ``call`` on tensors, numbers and None, recorded."""
    trace = local.trace
    refs, numbers = references(trace, call, operands)
    key = (call.number, *refs, statics) if statics else (call.number, *refs)
    node = trace.node.get(key)
    if node is None:
        _, node = miss(trace, key, operands)
    chapter = trace.chapter
    chapter.scalars.extend(numbers)
    if node.view and _shares(operands[0], call, refs, numbers, statics):
        y = _view(trace, operands[0], node, call, refs, numbers, statics)
        if chapter.unread:
            y.rare.entered = None  # its entry has no value; reading it makes another
            chapter.unread.clear()
        return y
    if chapter.unread:
        _read(chapter)
    y = new(_tensor)
    y.at = node
    y.chapter = chapter
    y._grad = None
    y.rare = None
    trace.node = node
    trace.live.append(y)
    return y


def _shares(a: Handle, call: Call, refs: list[int], numbers: list[float | int], statics: tuple[Any, ...]) -> bool:
    """Whether a view call gives a window on ``a``'s memory; otherwise its result is a value of its own."""
    if any(r >= 0 for r in refs[1:]):
        return False
    rare = a.rare
    if rare is None or rare.base is None:
        return True  # one view over row-major memory
    spec = rare.base.at.spec
    assert spec is not None
    if shares_memory(spec, (*rare.chain, (call, tuple(refs[1:]), tuple(numbers), statics))):
        return True
    if call.name == "view":
        raise at_user_line(
            ShapeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        )
    return False


def references(trace: Trace, call: Call, operands: tuple[Any, ...]) -> tuple[list[int], list[float | int]]:
    """Entry numbers and type marks of ``operands``, and the numbers among them."""
    refs: list[int] = []
    numbers: list[float | int] = []
    chapter = trace.chapter
    chapter.unread.clear()  # of a call that raised
    for a in operands:
        kind = type(a)
        if kind in tensor_types:
            refs.append((a.at if a.chapter is chapter else _enter_unread(trace, a)).ix)
        elif a is None:
            name = _argument(call, len(refs))
            if name not in call.optional:
                raise refused(call.name, name, a, "Tensor or number")
            refs.append(NONE)
        elif kind is float or kind is int or kind is bool:
            refs.append(FLOAT if kind is float else INT if kind is int else BOOL)
            numbers.append(check_number(a))
        else:
            value = as_operand(a)
            if value is NotImplemented:
                raise refused(call.name, _argument(call, len(refs)), a, "Tensor or number")
            if type(value) in tensor_types:  # made of an array
                refs.append(enter(trace, value).ix)
                continue
            refs.append(FLOAT if type(value) is float else BOOL if type(value) is bool else INT)
            numbers.append(check_number(value))
    return refs, numbers


def _argument(call: Call, place: int) -> str:
    return call.operands[0 if call.variadic else place]


def check_number(value: float | int) -> float | int:
    """``value``, or the error PyTorch gives for an integer that does not fit in 64 bits."""
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        raise NumberError("Overflow when unpacking long: the number does not fit in 64 bits")
    return value


def enter(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that the running chapter has not made: it comes in from memory."""
    node = _enter_unread(trace, a)
    if trace.chapter.unread:
        _read(trace.chapter)
    return node


def _read(chapter: Chapter) -> None:
    """Copy the memory of exported tensors that came in: others may write it before the chapter runs."""
    for place, a in chapter.unread:
        chapter.inputs[place] = snapshot(a)
    chapter.unread.clear()


def _enter_unread(trace: Trace, a: Handle) -> TrieNode:
    """The same, without the copy of exported memory, which a view of it does not read."""
    if trace.start is None:
        trace.start = _instruction()
    mend(trace)
    if a.rare is not None:
        found = _enter_rare(trace, a)
        if found is not None:
            return found
    if a.chapter is not None:
        return a.at if a.chapter is trace.chapter else _foreign(trace, a)  # type: ignore[return-value]
    chapter = trace.chapter
    known = chapter.entered.get(id(a))
    buffer = a.buffer
    if known is not None and known[2] is buffer:  # another thread may have written it meanwhile
        return known[1]
    node = enter_value(trace, a)
    chapter.entered[id(a)] = (a, node, buffer)
    return node


def mend(trace: Trace) -> None:
    """Drop what an operation that Ctrl-C cut short had written down: its numbers and inputs come before its entry."""
    node, chapter = trace.node, trace.chapter
    if len(chapter.scalars) != node.n_scalars or len(chapter.inputs) != node.n_inputs:
        del chapter.scalars[node.n_scalars :]
        del chapter.inputs[node.n_inputs :]


def enter_foreign(trace: Trace, a: Handle) -> TrieNode:
    """The entry of a tensor that another thread has recorded."""
    return _foreign(trace, a)


def enter_value(trace: Trace, a: Handle) -> TrieNode:
    """A new entry for a tensor in memory. A history (trace/past.py) waits until a derivative asks for it."""
    chapter = trace.chapter
    chapter.inputs.append(a.buffer)
    leaf = a.at
    assert isinstance(leaf, Leaf)
    if a.history is not None:
        past = ("history", leaf.spec)
        node = advance(trace, past, past)
        chapter.past[node.ix] = a.history
        return node
    if not leaf.requires_grad:
        return advance(trace, leaf, ("leaf", leaf))
    known = chapter.leaf_places.get(id(a))
    record: Record = ("leaf", leaf) if known is None else ("again", leaf, *known)
    node = advance(trace, leaf if known is None else record, record)
    chapter.leaves[node.ix] = a
    if known is None:
        chapter.leaf_places[id(a)] = (OWN, node.ix)
    return node


def advance(trace: Trace, key: Any, given: Record | None = None) -> TrieNode:
    """Record an entry that no tensor stands for (yet): a call, or what is ``given``."""
    node = trace.node.get(key)
    if node is None:
        node = grow(trace, key, given)
    trace.node = node
    trace.live.append(None)
    return node


def advance_as(trace: Trace, y: Handle, key: Any, record: Record) -> None:
    """Record an entry and let ``y`` stand for its value."""
    node = trace.node.get(key)
    if node is None:
        node = grow(trace, key, record)
    unlive(trace, y)
    y.at = node
    y.chapter = trace.chapter
    trace.node = node
    trace.live.append(y)


def unlive(trace: Trace, y: Handle) -> None:
    """``y`` will stand for another entry: nobody holds the value it stood for."""
    if y.chapter is trace.chapter:
        trace.live[y.at.ix] = []  # a fresh object: the liveness bits see that only the list holds it


def miss(trace: Trace, key: tuple[Any, ...], operands: tuple[Any, ...]) -> tuple[Chapter, TrieNode]:
    """A call not recorded here before. May flush first where the chapter has grown long, and enter the operands
    anew."""
    if trace.start is None:
        trace.start = _instruction()
    if trace.node.ix >= CHAPTER_LENGTH and _is_time_to_flush(trace):
        _flush(trace)
        _, statics = split_key(key)
        call = CALLS_BY_NUMBER[key[0]]
        refs = references(trace, call, operands)[0]
        key = (call.number, *refs, statics) if statics else (call.number, *refs)
        node = trace.node.get(key)
        if node is not None:
            return trace.chapter, node
    if inference.is_known and trace.grad_enabled:
        inference.refuse(key, operands)
    return trace.chapter, grow(trace, key)


def _is_time_to_flush(trace: Trace) -> bool:
    """Whether a long chapter ends here: where its first instruction comes round again, or anywhere in the end."""
    length = trace.node.ix
    if trace.node.requires_grad and length < DIFFERENTIABLE_LENGTH:
        return False
    return length >= CHAPTER_LIMIT or _instruction() == trace.start


def grow(trace: Trace, key: Any, given: Record | None = None) -> TrieNode:
    """A new trie node: finds out what the entry gives, and raises the user's mistakes.

    What is no call is ``given``. It stays what it was, in inference mode too: views, aliases, tensors written in place.
    """
    node = trace.node
    entry = TrieNode(node, key, given)
    if trace.sight is NO_SIGHT or not _at_first_sight(trace, entry):
        _by_graph(trace, entry)
    if given is None:
        if trace.inference:
            entry.inference = True
    else:
        kind = given[0]
        if kind == "stop":
            entry.inference = given[2]
        elif kind in ("leaf", "again"):
            entry.inference = given[1].inference
            entry.n_inputs += 1
        elif kind == "history":
            entry.n_inputs += 1
    node[key] = entry
    return entry


def _at_first_sight(trace: Trace, entry: TrieNode) -> bool:
    """Take the entry in without building its graph; False where that is not to be had in this chapter."""
    sight: Sight | None = trace.sight
    if sight is None:
        if not first_sight_allowed():
            trace.sight = NO_SIGHT
            return False
        sight = trace.sight = Sight()
    try:
        if sight.at is not trace.node:
            sight.sync(trace.node)
        if sight.call(entry) if entry.given is None else sight.step(entry):
            entry.site = user_line()
    except (Unsupported, NbgradError):  # a mistake of the user's is found again, and explained, by the graph
        trace.sight = NO_SIGHT
        entry.meta = None
        return False
    except BaseException:  # it may be half-way through an entry
        trace.sight = NO_SIGHT
        raise
    return True


def _by_graph(trace: Trace, entry: TrieNode) -> None:
    builder = builder_of(trace, trace.node)
    builder.site = entry.site = user_line()
    try:
        builder.step(entry)
        if entry.given is None:
            entry.n_scalars += sum([NONE < r < 0 for r in entry.record[2]])
    except NbgradError as error:
        trace.builder = None  # it may be half-way through an entry
        raise at_user_line(error) from None
    except BaseException:
        trace.builder = None
        raise


def builder_of(trace: Trace, node: TrieNode) -> Builder:
    """The graph of the running chapter up to ``node``."""
    if trace.builder is None or path_between(trace.builder.at, node) is None:  # ahead, where Ctrl-C came between
        trace.builder = Builder()
    builder: Builder = trace.builder
    try:
        return builder.sync(node)
    except BaseException:  # it may be half-way through an entry
        trace.builder = None
        raise


def _instruction() -> tuple[Any, int] | None:
    frame = user_frame()
    return None if frame is None else (frame.f_code, frame.f_lasti)


def _view(
    trace: Trace,
    a: Handle,
    node: TrieNode,
    call: Call,
    refs: list[int],
    numbers: list[float | int],
    statics: tuple[Any, ...],
) -> Any:
    """A tensor that shows the memory of ``a``'s base through one more call."""
    trace.node = node
    trace.live.append(None)
    y: Any = new(_tensor)
    y.chapter = None
    y._grad = None
    y.history = None
    assert node.spec is not None
    y.at = Leaf.of(node.spec, node.requires_grad, not node.requires_grad, a.at.inference)
    link(y, a, (call, tuple(refs[1:]), tuple(numbers), statics))
    rare: Rare = y.rare
    rare.entered = (trace.chapter.token, node)
    base = rare.base
    assert base is not None
    rare.no_history = base.at.requires_grad and not node.requires_grad
    if node.requires_grad:
        trace.chapter.shown.append((node.ix, weakref.ref(y)))
    return y


def link(y: Handle, a: Handle, step: ViewStep) -> None:
    """Make ``y`` a view of ``a``'s base."""
    rare = y.rare = Rare()
    if a.rare is not None and a.rare.base is not None:
        rare.base, rare.chain = a.rare.base, (*a.rare.chain, step)
    else:
        rare.base, rare.chain = a, (step,)
    if rare.base.rare is None:
        rare.base.rare = Rare()
    rare.base.rare.views.append(weakref.ref(y))


def make_tensor() -> Handle:
    """A tensor object without a value yet."""
    y: Handle = new(_tensor)
    y.chapter = None
    y.history = None
    y._grad = None
    y.rare = None
    return y


def flush_now(trace: Trace) -> None:
    _flush(trace)
