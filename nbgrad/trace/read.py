"""Looking at values: what ``item``, ``numpy`` and ``print`` need."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, Final

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.calls.transfer import TRANSFER
from nbgrad.calls.views import Array, geometry, row_bytes, view_array
from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.dtypes import ALL, DType, as_dtype
from nbgrad.graph.half import readable, stored
from nbgrad.graph.spec import HOST, Spec, contiguous_strides, place_name
from nbgrad.number import value_of
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.buffers import address_of as address
from nbgrad.runtime.places import at_place
from nbgrad.runtime.references import is_unique
from nbgrad.runtime.shared_memory import Export, export_buffer
from nbgrad.trace.export import hand_over_exported
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import FRESH_VIEW, Handle, Share, Storage, later, plain, spec_of, tensor_in
from nbgrad.trace.nested import holding
from nbgrad.trace.now import aside, read_foreign, value_at
from nbgrad.trace.recording import record
from nbgrad.trace.segment import Segment
from nbgrad.trace.storage import (
    Steps,
    entry_of,
    held_views,
    holder_of,
    is_alone,
    is_exported,
    roots_of,
    share_of,
    sharing,
    way_of_look,
)
from nbgrad.trace.thread import Trace, local, require_value, threads, turn_page
from nbgrad.trace.trie import Leaf, TrieNode
from nbgrad.trace.watch import looked, refuse

_IN_C = {"float32": "float", "float64": "double"}  # the others are called as here
_NUMBERS: dict[DType, Any] = {  # one, in memory; ctypes has no halves
    dtype: getattr(ctypes, f"c_{_IN_C.get(dtype.name, dtype.name)}", None) for dtype in ALL
}
# By the spec of one element on the host: what reads the number at an address.
known_numbers: dict[Spec | None, Callable[[int], Any]] = {}


def materialize(trace: Trace, a: Handle) -> None:
    """Bring what ``a`` shows into memory: runs what its thread has recorded, and again what other threads write to it
    meanwhile."""
    while a._page is not None or a._share is not None:
        held = a
        if a._share is not None:
            require_value(a)
            held = holder_of(a)[0]
            if held is not a:
                require_value(held)
        page = held._page
        if page is None:
            return
        segment = page.segment
        if segment is trace.segment:
            flush(trace)
        else:
            _settle_foreign(held, segment)


def bring_up_on(trace: Trace, a: Handle) -> None:
    """Bring ``a`` itself into memory, too: a root with what others have written of what it shows, a view with its state
    and history."""
    share = share_of(a)
    is_old = share is not None and share.root is None and share.seen != share.storage.version
    if is_old and share.storage.whole is not None and not is_exported(a):  # type: ignore[union-attr]
        entry_of(trace, a)
    materialize(trace, a)
    while (segment := a._segment) is not None:  # a view whose root is there; or nested code has written it
        if segment is not trace.segment:
            entry_of(trace, a)
        flush(trace)
        materialize(trace, a)


bring_up: Final = holding(bring_up_on)


@holding
def _settle_foreign(trace: Trace, a: Handle, segment: Segment) -> None:
    """Give ``a`` the value that it waits for in another thread's ``segment``, unless somebody writes it meanwhile."""
    found = read_foreign(trace, a, goes_on=True)
    entry = a._at
    if a._segment is not segment:
        return
    history = trace.segment.past.get(found.ix)
    twin = record(CALLS["clone"], (a,))
    flush(trace)
    require_value(twin)
    at = Leaf.of(twin._at.spec, entry.requires_grad, history is None, entry.inference)
    if hand_over_exported(a, segment, entry, twin._buffer, history, at):
        if segment.trace.duals is not None:
            segment.trace.duals.take(a, entry)
        if segment.trace.watcher is not None:  # which finds it no more among what was recorded
            segment.trace.watcher.refuse_at_end("code that came in between has looked at a tensor that is written")


@holding
def values(trace: Trace, a: Handle) -> Array:
    """The values of ``a`` as an array nobody may write; a copy only where it must be. Of bfloat16 they are float32."""
    looked(trace)
    if trace.vmaps:
        a = aside(trace, a)
    return readable(array_shown(a), spec_of(a).dtype)


@holding
def stacked_values(trace: Trace, tensors: Sequence[Handle]) -> Array:
    """The values of tensors of one spec below each other, in memory of their own. Rows of one tensor, as a data set
    mostly gives them, are taken from it at once."""
    looked(trace)
    if trace.vmaps:
        tensors = [aside(trace, a) for a in tensors]
    looks = [_settled(trace, a) for a in tensors]
    held, steps, buffer = looks[0]
    shown, chain = spec_of(tensors[0]), _of_zeros(steps)
    array, size = _array_held(tensors[0], held, buffer), shown.size_bytes
    moves = row_bytes(spec_of(held), chain) if size and array.flags.c_contiguous else ()
    if moves and all([h is held and _of_zeros(s) == chain for h, s, _ in looks]):  # noqa: C419  (half the time)
        places: Any = np.array([_numbers_of(s) for _, s, _ in looks]) @ moves
        if not (places % size).any():
            rows = array.reshape(-1, *shown.shape).take(places // size, 0)
            return readable(rows, shown.dtype)
    found = [view_array(spec_of(h), s, _array_held(a, h, b)) for a, (h, s, b) in zip(tensors, looks, strict=True)]
    return readable(np.stack(found), shown.dtype)


def _of_zeros(steps: Steps) -> Steps:
    """The steps with zeros for their numbers."""
    return tuple([(call, marks, (0,) * len(numbers), statics) for call, marks, numbers, statics in steps])


def _numbers_of(steps: Steps) -> list[int]:
    return [int(value_of(number)) for step in steps for number in step[2]]


def _settled(trace: Trace, a: Handle) -> tuple[Handle, Steps, Any]:
    """The tensor in memory that has what ``a`` shows, the steps from there, and that memory, whatever nested code
    writes meanwhile. A fresh view of a tensor that is there stays one."""
    if a._share is FRESH_VIEW:
        root, _, steps, _ = way_of_look(a)
        if root._share is None and root._page is None and trace.watcher is None:
            return root, steps, root._buffer
    while True:
        materialize(trace, a)
        held, steps = holder_of(a)
        buffer = getattr(held, "_buffer", None)
        if held._page is None:  # else nested code has written it, or what shows it
            return held, steps, buffer


@holding
def array_shown(trace: Trace, a: Handle) -> Array:
    """The values of a tensor, as they lie in memory."""
    held, steps, buffer = _settled(trace, a)
    return view_array(spec_of(held), steps, _array_held(a, held, buffer))


def _array_held(a: Handle, held: Handle, buffer: Any) -> Array:
    """The values in ``buffer``, of the tensor ``held`` that has those which ``a`` shows."""
    share = None if a._share is FRESH_VIEW else share_of(a)
    array: Array | None = None if share is None or share.storage.export is None else share.storage.export.array()
    return host_array(buffer, spec_of(held)) if array is None else array


def number_of(a: Handle) -> Any:
    """The value of a tensor with one element, as a Python number."""
    trace = local.trace
    looked(trace)
    spec: Any = a._at.spec
    kind = _NUMBERS.get(spec.dtype)
    if kind is None or spec.place or trace.vmaps:
        return values(a).item()
    if a._share is FRESH_VIEW and (row := _row_of(a)) is not None:
        buffer, offset = row
        return known_numbers.setdefault(spec, kind.from_address)(buffer.address + offset).value
    materialize(trace, a)
    held, steps = (a, ()) if a._share is None else holder_of(a)
    if steps or held._page is not None:
        return values(a).item()  # a part of it, or somebody has written it since
    buffer = held._buffer  # held: another thread may write the tensor
    return known_numbers.setdefault(spec, kind.from_address)(buffer.address).value


@holding
def _row_of(trace: Trace, a: Handle) -> tuple[Any, int] | None:
    """The memory of what a fresh view is of, and where in it the view begins; None where it is no rows of that."""
    held, steps, buffer = _settled(trace, a)
    moves = row_bytes(spec_of(held), _of_zeros(steps)) if a._share is FRESH_VIEW else ()
    return (buffer, sum(map(mul, moves, _numbers_of(steps)))) if moves else None


def host_array(buffer: Any, spec: Spec) -> Array:
    """The values in ``buffer`` as an array nobody may write; a copy where they lie on a device."""
    on_host: Buffer = at_place(buffer, spec.place, HOST)
    return on_host.array(spec.shape, spec.dtype.numpy)


@holding
def exported(trace: Trace, a: Handle) -> Array:
    """An array that shares ``a``'s memory: writes on either side are seen on the other."""
    place = a._at.spec.place  # type: ignore[union-attr]
    if place:
        raise DTypeError(
            f"can't convert {place_name(place)} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
            "host memory first."
        )
    looked(trace)
    dual = None if trace.duals is None else trace.duals.exporting(a)
    if trace.watcher is not None:
        trace.watcher.writes(a)  # or whoever sees that memory may
    if threads.several:
        with threads.lock:  # also while something runs
            array = _exported(trace, a)
    else:
        array = _exported(trace, a)
    if dual is not None:
        trace.duals.hold(dual)
    return array


def _exported(trace: Trace, a: Handle) -> Array:
    if trace.vmaps:
        _bring_up_alone(trace, a)
    materialize(trace, a)
    if is_alone(a, trace) and (alone := _export_alone(trace, a)) is not None:
        return alone
    share = sharing(a, trace)
    array: Array | None = share.storage.export.array() if share.storage.export is not None else None
    held, steps = holder_of(a)
    if array is None:
        array = share_memory(trace, held, share.storage, export_buffer)[0]
    return view_array(spec_of(held), steps, array)


def _bring_up_alone(trace: Trace, a: Handle) -> None:
    """Bring what ``a`` shows into memory inside a vmap, where nothing else can run: without the rest of what was
    recorded. RuntimeError where it is that of many examples."""
    held, _ = holder_of(a)
    entry = held._at
    if held._segment is trace.segment and isinstance(entry, TrieNode):
        y = value_at(trace, entry)
        trace.segment.moved[entry.ix], trace.live[entry.ix] = weakref.ref(held), []
        hand_over_exported(held, trace.segment, entry, y._buffer, y._history, entry.in_memory)


def _export_alone(trace: Trace, a: Handle) -> Array | None:
    """Share the memory of a tensor that nobody else shows or has recorded anything of: of most, just computed. None
    where that is not so."""
    if a._page is not None or trace.node.parent is not None:
        return None
    held, spec = a._buffer, spec_of(a)
    is_ours = is_unique(a, "_buffer", 2 + held.is_kept)
    storage = Storage()
    buffer, array, storage.export = export_buffer(held, spec.shape, spec.dtype.numpy, is_ours)
    storage.version, storage.roots = 1, [weakref.ref(a)]
    made = Share(storage)
    # In one line: somebody else may be about to make one, or to write it.
    if a._share is None and a._buffer is held and a._page is None: a._buffer, a._share = buffer, made  # fmt: skip  # noqa: E701  (nothing may come between)
    return array if a._share is made else None


def share_memory(trace: Trace, root: Handle, storage: Storage, export: Callable[..., Any]) -> tuple[Any, Any]:
    """Share the memory of a storage, with the value that ``root`` shows: all that show it have it from now on, whatever
    they had, in the buffer that ``export`` makes of theirs; (what others get, the export). A leaf that is a view has
    none."""
    spec = spec_of(root)
    while True:
        version = storage.version
        roots, held = _gather(trace, root, storage)
        if trace.node.aliases is not None:
            for a in held_views(trace):  # while their bases still stand for what they are of
                share_of(a)
        holders = len([x for x in roots if getattr(x, "_buffer", None) is held]) + getattr(held, "is_kept", 0)
        is_ours = is_unique(root, "_buffer", holders + 1)
        buffer, given, made = export(held, spec.shape, spec.dtype.numpy, is_ours)
        # In one line: nested code may have written it.
        if storage.version == version: storage.export = made; storage.version += 1; break  # fmt: skip  # noqa: E701, E702  (nothing may come between)
    for x in roots:  # what nested code writes from here on is where others see it
        x._buffer = buffer
        if x._share is not None:
            x._share.seen = storage.version
    turn_page(trace)
    return given, made


def _gather(trace: Trace, root: Handle, storage: Storage) -> tuple[list[Handle], Any]:
    """The roots of a storage, in memory, with the value that ``root`` shows; and that memory."""
    if storage.export is not None and not storage.export.alive():
        storage.export = None  # it would count as a holder
    if storage.whole is None and len(storage.roots) == 1 and root._page is None and not root._share.steps:  # type: ignore[union-attr]
        return [root], root._buffer
    version = storage.version
    held, _, buffer = _settled(trace, root)
    roots = [x for x in roots_of(storage) if x._share is not None and not x._share.steps]
    for x in roots:
        if x._page is not None and trace.vmaps:
            _bring_up_alone(trace, x)
        if x._page is not None:
            flush(trace) if x._segment is trace.segment else _settle_foreign(x, x._segment)  # type: ignore[arg-type]
        x._buffer = buffer
    whole = storage.whole
    if whole is not None and whole is not held:
        leaf = plain(whole)
        if storage.version == version: whole._buffer, whole._at, whole._page = buffer, leaf, None  # fmt: skip  # noqa: E701  (nothing may come between)
    return (roots if whole is None else [*roots, whole]), buffer


def from_values(array: Array, dtype: DType | None = None, *, requires_grad: bool = False, place: int = HOST) -> Handle:
    """A tensor in the memory of ``place`` with a copy of ``array``."""
    kind = as_dtype(array.dtype) if dtype is None else dtype
    array = stored(array, kind)
    leaf = Leaf.of(Spec.of(array.shape, kind).on(place), requires_grad, True, local.trace.inference)
    y = tensor_in(at_place(Buffer.from_numpy(array), HOST, place), leaf)
    if local.trace.watcher is not None:
        local.trace.watcher.born(y)
    return y


def at(a: Handle, place: int) -> Handle:
    """``a``, or a copy of it, at ``place``; differentiable.

    A value that is there, and asks for no derivative, is copied at once: a model goes to its device without a program
    for each of its parameters.
    """
    spec = spec_of(a)
    wanted = spec.on(place)
    if wanted is spec:
        return a
    trace = local.trace
    if a._page is None and may_be_copied_now(trace, a):
        return tensor_in(at_place(a._buffer, spec.place, place), Leaf.of(wanted, False, True, trace.inference))
    return record(TRANSFER, (a,), (place,))  # type: ignore[no-any-return]


def may_be_copied_now(trace: Trace, a: Handle) -> bool:
    """Whether a copy of ``a``, alone with its memory, has no derivative, and nobody writes down what is done."""
    return a._share is None and trace.watcher is None and not (a._at.requires_grad and trace.grad_enabled)


def imported(array: Array, dtype: DType | None = None) -> Handle:
    """A tensor that shares ``array``'s memory, which means ``dtype``."""
    if not array.flags.writeable:
        raise RunError(
            "from_numpy: the array is read-only, so its memory cannot be shared; use nbgrad.tensor(array) for a copy"
        )
    refuse("from_numpy() shares memory that may change between calls: pass its result as an argument")
    leaf = Leaf.of(Spec.of(array.shape, dtype or as_dtype(array.dtype)), False, True, local.trace.inference)
    y = tensor_in(Buffer.wrap(array), leaf)
    storage = sharing(y).storage
    storage.export = Export(array, y._buffer, imported=True)
    if not array.flags.c_contiguous:
        storage.strides = tuple([s // array.itemsize for s in array.strides])
    return y


@holding
def address_of(trace: Trace, a: Handle) -> int:
    """Where the first element of ``a`` lies, which may be on a device."""
    buffer: Buffer = _settled(trace, a)[2]
    if a._share is not None and a._share.storage.strides is not None:
        return address(array_shown(a))
    return buffer.address + offset_of(a) * spec_of(a).dtype.itemsize


@holding
def offset_of(trace: Trace, a: Handle) -> int:
    """Where the first element of ``a`` lies in the memory that it shows, in elements."""
    held, steps = holder_of(a)
    strides = None if a._share is None else a._share.storage.strides
    return int(geometry(spec_of(held), steps, strides).offset) if steps else 0


@holding
def strides_of(trace: Trace, a: Handle) -> tuple[int, ...]:
    """Steps between the elements of ``a`` along each dim, in elements."""
    share = share_of(a)
    if share is not None and share.storage.export is not None and not spec_of(a).place:
        window = array_shown(a)
        return tuple([s // window.itemsize for s in window.strides])
    held, steps = holder_of(a)
    if not steps:
        return contiguous_strides(spec_of(a).shape)
    return geometry(spec_of(held), steps).strides


later.from_array = from_values
