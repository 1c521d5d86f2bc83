"""Recording: one look-up per operation on what was seen before; building on what was not.

What programs mostly consist of has ways of its own, see fast.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from nbgrad.calls.arguments import masked, refused, require_fits
from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.calls.key import COMPLEX, INT, MARKS, NONE, split_key
from nbgrad.calls.views import row_bytes, shares_memory, view_node
from nbgrad.errors import DTypeError, NbgradError, NumberError, user_instruction
from nbgrad.graph.geometry import base_of
from nbgrad.graph.op import Kind
from nbgrad.graph.spec import Shape
from nbgrad.number import Number, value_of
from nbgrad.trace import history, saved, storage
from nbgrad.trace.detached import detach
from nbgrad.trace.enter import enter
from nbgrad.trace.flushing import flush
from nbgrad.trace.grow import SEGMENT_LENGTH, grow, note_line
from nbgrad.trace.handle import (
    FRESH_VIEW,
    INFERENCE,
    NO_GRAD,
    PLAIN,
    SEVERAL,
    Handle,
    Share,
    later,
    make_tensor,
    spec_of,
)
from nbgrad.trace.nested import in_hand
from nbgrad.trace.now import note_known
from nbgrad.trace.segment import Page
from nbgrad.trace.thread import Trace, turn_page
from nbgrad.trace.trie import Leaf, TrieNode

# Ctrl-C is heard after a call returns: ``trace.node = ...; trace.live.append(...)``, in this order, is never torn. The
# numbers of an entry are written down between the two: Python hears nothing after an ``append`` that it met before, and
# ``+=`` is no call.

# A segment longer than SEGMENT_LENGTH flushes where the instruction that began it comes round again; at this length it
# flushes anywhere. Long enough to fuse across many steps of a loop, short enough to plan in well under a second.
SEGMENT_LIMIT = 6000
# What will be differentiated is kept anyway, and cutting it costs: every later segment takes the earlier ones in again.
DIFFERENTIABLE_LENGTH = 100_000
GROWTH = 250  # entries by which it grows, then, before that is asked again

_OF_SEVERAL = ("split", "unbind")  # calls that functions make which give several views

tensor_types: set[type] = set()


def tensor_of(function: str, argument: str, value: Any) -> Any:
    """``value``; DTypeError where it is no tensor."""
    if type(value) in tensor_types:
        return value
    error = refused(function, argument, value, "Tensor")
    raise error if as_operand(value) is NotImplemented else DTypeError(f"{error.args[0]}; nbgrad.tensor() makes one")


def as_operand(value: Any) -> Any:
    """A tensor or a Python number from what the user gave; NotImplemented where it is neither."""
    kind = type(value)
    if kind in tensor_types or kind in (float, int, bool, Number):
        return value
    if isinstance(value, (int, float)):  # of a class of its own, such as IntEnum; NumPy's float64 is one, too
        return float(value) if isinstance(value, float) else int(value)
    if isinstance(value, complex):
        return complex(value)
    convert = getattr(value, "__array__", None)
    if convert is not None:
        if hasattr(value, "filled"):
            raise masked("operand")
        array = convert()
        if array.dtype.kind in "biufc":
            return array.item() if array.ndim == 0 else later.from_array(array)
    return NotImplemented


# The result of a call on tensors, numbers and None, recorded.
record: Final[Callable[..., Any]] = in_hand(
    "", "call, operands, statics=()", "return record_on(trace, call, operands, statics)", globals()
)()


def record_on(trace: Trace, call: Call, operands: tuple[Any, ...], statics: tuple[Any, ...]) -> Any:
    """The result of ``call`` on tensors, numbers and None, recorded on a trace that the caller has in hand."""
    first: Any = operands[0] if operands else None
    if type(first) in tensor_types and (
        trace.inference
        or first._at.inference
        or ((share := first._share) is not None and share.storage.export is not None and storage.is_exported(first))
    ):
        shown = without_entry(trace, call, first, operands[1:], statics)
        if shown is not None:
            return shown
    begun = trace.page
    refs, numbers = references(trace, call, operands)
    key = (call.number, *refs, statics) if statics else (call.number, *refs)
    node = trace.node.get(key)
    segment = begun.segment
    if node is None:
        baseline = trace.baseline
        node = None if baseline is None else baseline.known(trace.node, key)
    if node is None:
        page, node = miss(trace, key, operands)
        if page.segment is not segment:  # the operands are other entries there
            begun, segment, refs = page, page.segment, list(split_key(node.key)[0])
    if numbers and (call.fits or COMPLEX in refs):
        _require_fitting(call, operands, node)
    if node.can_fail:
        note_line(trace, node)
    if node.view:
        a = operands[0]
        if node.lazy_view is None:
            # whether it shows the memory of ``a``: the same for all tensors that come this way
            shows = storage.shows_memory(a, (call, tuple(refs[1:]), tuple(numbers), statics))
            kind = _kind(trace, call) if shows else 0
            node.lazy_view = a._at.lazy_view or PLAIN if kind == PLAIN else kind
            if shows:
                node.be_alias()
        if node.lazy_view:
            return _view(trace, a, node, numbers, begun)
    return _result(trace, node, numbers)


def _kind(trace: Trace, call: Call) -> int:
    """How a view is made that a call gives."""
    return NO_GRAD if not trace.grad_enabled else SEVERAL if call.name in _OF_SEVERAL else PLAIN


def without_entry(
    trace: Trace, call: Call, a: Handle, numbers: tuple[Any, ...], statics: tuple[Any, ...]
) -> Handle | None:
    """A view of memory that others see, or of inference mode: reading it makes an entry (now.py), each time where
    others may have written it. None where the call gives no view."""
    marks: list[int] = []
    given: list[Any] = []
    for x in numbers:
        if x is None:
            marks.append(NONE)
        elif type(x) is int or type(x) is Number:
            marks.append(INT)
            given.append(check_number(x))  # type: ignore[arg-type]
        else:
            return None
    return shown_without_entry(trace, call, a, tuple(marks), tuple(given), statics)


def shown_without_entry(
    trace: Trace, call: Call, a: Handle, key: tuple[int, ...], given: tuple[Any, ...], statics: tuple[Any, ...]
) -> Handle | None:
    """The same by the type marks and values of the numbers."""
    share, at = a._share, a._at
    memory = FRESH_VIEW.storage if share is None else share.storage  # held: others go on to show it
    is_own = share is not None and share is not FRESH_VIEW
    is_root = is_own and share.root is None and share.above is None and not share.steps  # type: ignore[union-attr]
    strides = memory.strides if is_root else None
    is_inference = trace.inference or at.inference
    wanted = trace.grad_enabled and not at.inference and (at.requires_grad if is_root else history.requires_grad(a))
    leaf, moves = _view_of(at.spec, call, key, statics, wanted, at.inference, strides)
    step = call, key, given, statics
    if leaf is None or not (is_root or storage.shows_memory(a, step)):
        return None
    if wanted:
        if storage.is_view(a):
            return None  # it has its place in the graph
        history.require_kept(a)
    if at.inference and at.requires_grad:  # what it shows has no history
        a = detach(a)
    y = make_tensor()
    y._at = leaf
    kind = INFERENCE if is_inference else _kind(trace, call)
    if is_root and share.kind == PLAIN and a._share is share:  # type: ignore[union-attr]
        shown = Share(memory, a, (step,), kind, share.counter)  # type: ignore[union-attr]
    else:
        shown = storage.seen_through(a, (step,), kind)
    y._share = shown
    shown.seen = -1
    if moves and is_root and type(given[0]) is int:
        shown.rows = given[0] * moves
    return y


@lru_cache(10_000)
def _view_of(
    base: Any,
    call: Call,
    marks: tuple[int, ...],
    statics: tuple[Any, ...],
    wanted: bool,
    inference: bool,
    strides: Shape | None,
) -> tuple[Leaf | None, int]:
    """The state of what a call shows of a tensor, None where that is no view of it; and its ``row_bytes``. A root with
    others' memory has its ``strides``."""
    step = call, marks, (0,) * marks.count(INT), statics
    try:
        node = view_node(base, (step,))
    except NbgradError:  # a mistake of the user's, which is explained where it is recorded
        return None, 0
    if node.op.kind is not Kind.VIEW or base_of(node).op.name != "input":
        return None, 0
    if strides is not None and not shares_memory(base, (step,), strides):
        return None, 0
    leaf = Leaf.of(node.spec.on(base.place), wanted, not wanted, inference)
    return leaf, sum(row_bytes(base, (step,))) if marks == (INT,) else 0


def _view(trace: Trace, a: Handle, node: TrieNode, numbers: list[float | int], begun: Page) -> Any:
    """A tensor that shows what ``a`` does, through the call that was just recorded."""
    own, share, kind = a._share, FRESH_VIEW, node.lazy_view
    if own is not None and own is not FRESH_VIEW and own not in begun.known and not storage.is_alone(a, trace):
        note_known(trace, a, own, a._at)  # type: ignore[arg-type]
        if own not in begun.known:
            assert kind is not None
            share = storage.seen_through(a, (storage.step_of(node, numbers),), kind, trace)
    y = _result(trace, node, numbers)
    y._share, y._page = share, begun  # where nested code has written since, it is read anew
    if share is not FRESH_VIEW:
        if trace.page is not begun:
            share.seen = -1
        if node.requires_grad and storage.is_exported(a):
            turn_page(trace)  # others may write it until it is read
    return y


def _result(trace: Trace, node: TrieNode, numbers: list[float | int]) -> Any:
    """The tensor that stands for a new entry, which has these numbers."""
    y = later.tensor()
    y._at, y._page, y._grad, y._share = node, trace.page, None, None
    trace.node = node
    trace.segment.scalars += numbers
    trace.live.append(y)
    return y


def references(trace: Trace, call: Call, operands: tuple[Any, ...]) -> tuple[list[int], list[float | int]]:
    """Entry numbers and type marks of ``operands``, and the numbers among them."""
    refs: list[int] = []
    numbers: list[float | int] = []
    for a in operands:
        kind = type(a)
        if kind in tensor_types:
            refs.append((a._at if a._page is trace.page else enter(trace, a)).ix)
        elif a is None:
            name = _argument(call, len(refs))
            if name not in call.optional:
                raise refused(call.name, name, a, "Tensor or number")
            refs.append(NONE)
        elif kind is float or kind is int or kind is bool:
            refs.append(MARKS[kind])
            numbers.append(check_number(a))
        else:
            value = as_operand(a)
            if value is NotImplemented:
                raise refused(call.name, _argument(call, len(refs)), a, "Tensor or number")
            if type(value) in tensor_types:  # made of an array
                refs.append(enter(trace, value).ix)
                continue
            if type(value) is complex:
                refs.append(COMPLEX)
                numbers += (value.real, value.imag)
                continue
            refs.append(MARKS.get(type(value_of(value)), INT))
            numbers.append(check_number(value))
    return refs, numbers


def _require_fitting(call: Call, operands: tuple[Any, ...], node: TrieNode) -> None:
    """NumberError for a number that does not fit where the call converts it."""
    assert node.spec is not None
    dtype = node.spec.dtype.computed if call.wide else node.spec.dtype
    for place, a in enumerate(operands):
        kind = type(a)
        if a is None or kind in tensor_types:
            continue
        number = a if kind is float or kind is int else as_operand(a)
        if type(number) in tensor_types:
            continue
        is_cut = type(number) is complex and not dtype.is_complex and dtype.kind != "b"
        if is_cut or _argument(call, place) in call.fits:
            require_fits(number, dtype)


def _argument(call: Call, place: int) -> str:
    return call.operands[0 if call.variadic else place]


def check_number(value: float | int) -> float | int:
    """``value``, or the error PyTorch gives for an integer that does not fit in 64 bits."""
    plain = value_of(value)
    if type(plain) is int and not -(1 << 63) <= plain < 1 << 63:
        raise NumberError("Overflow when unpacking long: the number does not fit in 64 bits")
    return value


def miss(trace: Trace, key: tuple[Any, ...], operands: tuple[Any, ...]) -> tuple[Page, TrieNode]:
    """A call not recorded here before. May flush first where the segment has grown long, and enter the operands
    anew."""
    page = trace.page  # nested code may turn it, and what is made then is read anew
    if cut(trace, operands):
        page, (_, statics) = trace.page, split_key(key)
        call = CALLS_BY_NUMBER[key[0]]
        refs = references(trace, call, operands)[0]
        key = (call.number, *refs, statics) if statics else (call.number, *refs)
        node = trace.node.get(key)
        if node is not None:
            return page, note_line(trace, node) if node.can_fail else node
    if trace.grad_enabled:
        saved.refuse(trace.node, key, operands)
    for place in CALLS_BY_NUMBER[key[0]].numbers:
        if place < len(operands) and isinstance(a := operands[place], Handle) and spec_of(a).shape:
            call = CALLS_BY_NUMBER[key[0]]
            raise refused(call.name, call.operands[place], a, "Number")
    node = grow(trace, key)
    if node.can_fail:
        note_line(trace, node)
    if node.requires_grad:
        for a in operands:
            if isinstance(a, Handle):
                history.require_kept(a)
    return page, node


def cut(trace: Trace, operands: tuple[Any, ...] = ()) -> bool:
    """End a segment that has grown long before a call on ``operands``, or a block, that was not recorded here before;
    gives whether it did. That is where the instruction at which it began to be new comes round again, where one like it
    ended before, or anywhere in the end."""
    may_end = trace.node.ix >= SEGMENT_LENGTH and _may_end(trace, operands)
    here = user_instruction() if may_end or trace.start is None else None
    if not may_end or not (trace.node.ix >= SEGMENT_LIMIT or trace.node.plans is not None or here == trace.start):
        trace.start = trace.start or here
        return False
    flush(trace)
    trace.start = here
    return True


def _may_end(trace: Trace, operands: tuple[Any, ...]) -> bool:
    """Whether a long segment may end before a call on ``operands``. Where it may not, it goes on as it began."""
    length = trace.node.ix
    is_one = (
        trace.watcher is not None or trace.in_block or trace.transforms or trace.vmaps
    )  # what will be run again is one segment, or in one
    differentiable = trace.node.requires_grad or any(type(a) in tensor_types and a._at.requires_grad for a in operands)
    if not is_one and (not differentiable or length >= DIFFERENTIABLE_LENGTH):
        return True
    if trace.baseline is not None:
        trace.baseline.go_on_until(length + GROWTH)
    return False
