"""Looking at values: what ``item``, ``numpy`` and ``print`` need."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.calls.transfer import TRANSFER
from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.dtypes import ALL, DType, as_dtype
from nbgrad.graph.geometry import resolve
from nbgrad.graph.spec import HOST, Spec, contiguous_strides, place_name
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.trace.alias import base_of, enter_rare
from nbgrad.trace.export import Array, Export, export_buffer, hand_over_exported
from nbgrad.trace.flush import flush
from nbgrad.trace.handle import Chapter, Handle, Rare, local, rare_of, require_value, threads
from nbgrad.trace.record import make_tensor, record
from nbgrad.trace.trie import Leaf
from nbgrad.trace.views import forget_entries, is_plain, show_all_windows
from nbgrad.trace.watch import looked, refuse
from nbgrad.trace.window import view_array, view_node

_NUMBERS: dict[DType, Any] = {dtype: np.ctypeslib.as_ctypes_type(dtype.numpy) for dtype in ALL}  # one, in memory
_MOST_PLACES = 4096  # of one dtype


class _Numbers(dict[int, Any]):
    """What reads the number at an address, by the address: a program's results come to lie at the same few, and to make
    such an object takes twice as long as to find it."""

    def __init__(self, dtype: DType) -> None:
        super().__init__()
        self._at = _NUMBERS[dtype].from_address

    def __missing__(self, address: int) -> Any:
        if len(self) >= _MOST_PLACES:
            self.clear()
        found = self[address] = self._at(address)
        return found


known_numbers: dict[Spec | None, _Numbers] = {}  # by the spec of one element on the host


def settle(a: Handle) -> None:
    """Bring ``a`` (not a view) into memory: runs what its thread has recorded, and again what other threads write to it
    meanwhile."""
    while True:
        require_value(a)
        if a.rare is not None and a.rare.stale:
            enter_rare(local.trace, a)
        chapter = a.chapter
        if chapter is None:
            return
        if chapter is local.trace.chapter:
            flush(local.trace)
        else:
            _settle_foreign(a, chapter)


def _settle_foreign(a: Handle, chapter: Chapter) -> None:
    """Give ``a`` the value that it waits for in another thread's ``chapter``, unless somebody writes it meanwhile."""
    entry = a.at
    twin = record(CALLS["clone"], (a,))
    flush(local.trace)
    require_value(twin)
    at, history = twin.at, twin.history
    if entry.is_leaf:  # as it stays, whatever its copy is
        at, history = Leaf.of(at.spec, entry.requires_grad, True, entry.inference), None
    if a.rare is not None and a.rare.export is not None:
        hand_over_exported(a, chapter, entry, twin.buffer, history, at)
        return
    with threads.writing:  # whoever writes it finds it pending, or in memory
        if a.chapter is chapter and a.at is entry:  # the other thread has neither run nor written it meanwhile
            a.buffer, a.history, a.at, a.chapter = twin.buffer, history, at, None


def values(a: Handle) -> Array:
    """The values of ``a`` as an array nobody may write; a copy only where it must be."""
    spec = a.at.spec
    assert spec is not None
    looked()
    base = base_of(a)
    settle(base)
    array = _array_of(base)
    return array if base is a else view_array(a, array)


def number_of(a: Handle) -> Any:
    """The value of a tensor with one element, as a Python number."""
    looked()
    if a.chapter is not None or not is_plain(a) or a.at.spec.place:  # type: ignore[union-attr]
        if base_of(a) is not a or (a.rare is not None and a.rare.export is not None) or a.at.spec.place:  # type: ignore[union-attr]
            return values(a).item()
        settle(a)
    spec = a.at.spec
    assert spec is not None
    numbers = known_numbers.setdefault(spec, _Numbers(spec.dtype))
    return numbers[a.buffer.address].value


def _array_of(base: Handle) -> Array:
    spec = base.at.spec
    assert spec is not None
    if base.rare is not None and base.rare.export is not None:
        array: Array | None = base.rare.export.array()
        if array is not None:
            return array
    return host_array(base.buffer, spec)


def host_array(buffer: Any, spec: Spec) -> Array:
    """The values in ``buffer`` as an array nobody may write; a copy where they lie on a device."""
    on_host: Buffer = at_place(buffer, spec.place, HOST)
    return on_host.array(spec.shape, spec.dtype.numpy)


def exported(a: Handle) -> Array:
    """An array that shares ``a``'s memory: writes on either side are seen on the other."""
    place = a.at.spec.place  # type: ignore[union-attr]
    if place:
        raise DTypeError(
            f"can't convert {place_name(place)} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
            "host memory first."
        )
    show_all_windows()
    looked()
    if local.trace.watcher is not None:
        local.trace.watcher.writes(a)  # or whoever sees that memory may
    if threads.several:
        with threads.writing:  # whoever writes either sees that it is exported, or is done before
            return _exported(a)
    return _exported(a)


def _exported(a: Handle) -> Array:
    base = base_of(a)
    settle(base)
    rare = rare_of(base)
    array = rare.export.array() if rare.export is not None else None
    if array is None:
        array = _export(base, rare)
    return array if base is a else view_array(a, array)


def _export(base: Handle, rare: Rare) -> Array:
    spec = base.at.spec
    assert spec is not None
    members = [m for ref in rare.shared.members if (m := ref()) is not None] if rare.shared is not None else [base]
    for member in members:
        settle(member)  # written through another one, it takes what was written
        if member.rare is not None and member.rare.export is not None and not member.rare.export.alive():
            member.rare.export = None  # it would count as a holder
    holders = len([m for m in members if m.chapter is None and m.buffer is base.buffer])
    buffer, array, export = export_buffer(base.buffer, spec.shape, spec.dtype.numpy, holders + 2)
    for member in members:
        assert member.rare is not None
        member.buffer = buffer
        member.rare.export = export
        forget_entries(member.rare)
    return array


def from_values(array: Array, dtype: DType | None = None, *, requires_grad: bool = False, place: int = HOST) -> Handle:
    """A tensor in the memory of ``place`` with a copy of ``array``."""
    kind = as_dtype(array.dtype) if dtype is None else dtype
    if array.dtype != kind.numpy:
        with np.errstate(invalid="ignore", over="ignore"):
            array = array.astype(kind.numpy)
    y = make_tensor()
    y.buffer = at_place(Buffer.from_numpy(array), HOST, place)
    y.at = Leaf.of(Spec.of(array.shape, kind).on(place), requires_grad, True, local.trace.inference)
    if local.trace.watcher is not None:
        local.trace.watcher.born(y)
    return y


def at(a: Handle, place: int) -> Handle:
    """``a``, or a copy of it, at ``place``; differentiable.

    A value that is there, and asks for no derivative, is copied at once: a model goes to its device without a program
    for each of its parameters.
    """
    spec = a.at.spec
    assert spec is not None
    wanted = spec.on(place)
    if wanted is spec:
        return a
    trace = local.trace
    if (
        a.chapter is None
        and a.rare is None
        and not (a.at.requires_grad and trace.grad_enabled)
        and trace.watcher is None
    ):
        y = make_tensor()
        y.buffer = at_place(a.buffer, spec.place, place)
        y.at = Leaf.of(wanted, False, True, trace.inference)
        return y
    return record(TRANSFER, (a,), (place,))  # type: ignore[no-any-return]


def imported(array: Array) -> Handle:
    """A tensor that shares ``array``'s memory."""
    if not array.flags.writeable:
        raise RunError(
            "from_numpy: the array is read-only, so its memory cannot be shared; use nbgrad.tensor(array) for a copy"
        )
    refuse("from_numpy() shares memory that may change between calls: pass its result as an argument")
    y = make_tensor()
    y.rare = Rare()
    y.buffer = Buffer.wrap(array)
    y.rare.export = Export(array, y.buffer, imported=True)
    y.at = Leaf.of(Spec.of(array.shape, as_dtype(array.dtype)), False, True, local.trace.inference)
    return y


def address_of(a: Handle) -> int:
    """Where the first element of ``a`` lies, which may be on a device."""
    base = base_of(a)
    settle(base)
    if base is a:
        return base.buffer.address
    spec = base.at.spec
    assert spec is not None
    offset = resolve(view_node(a, spec), {}).offset
    return base.buffer.address + int(offset) * spec.dtype.itemsize


def strides_of(a: Handle) -> tuple[int, ...]:
    """Steps between the elements of ``a`` along each dim, in elements."""
    spec = a.at.spec
    assert spec is not None
    base = base_of(a)
    if base.rare is not None and base.rare.export is not None and not spec.place:
        array = _array_of(base)
        window = array if base is a else view_array(a, array)
        return tuple([s // window.itemsize for s in window.strides])
    if base is a:
        return contiguous_strides(spec.shape)
    base_spec = base.at.spec
    assert base_spec is not None
    return resolve(view_node(a, base_spec), {}).strides
