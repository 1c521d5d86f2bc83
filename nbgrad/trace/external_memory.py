"""Memory of devices that others see: tensors given to other libraries for GPUs, and taken from them.

As with NumPy's memory (export.py), an operation that reads such a tensor reads a copy taken when it was recorded, and
what is written to it goes to the memory that the others see.
"""

from __future__ import annotations

import weakref
from typing import Any

from nbgrad.calls.views import Array
from nbgrad.graph.spec import Spec
from nbgrad.runtime.cuda.copies import duplicate, follow, overwrite
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.dlpack import Memory
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.places import on_host
from nbgrad.trace.handle import Handle, spec_of, tensor_in
from nbgrad.trace.nested import holding
from nbgrad.trace.read import address_of, materialize, share_memory, strides_of
from nbgrad.trace.storage import root_of, sharing
from nbgrad.trace.thread import Trace, local, threads
from nbgrad.trace.trie import Leaf
from nbgrad.trace.watch import looked, refuse


class Borrower:
    """Lives as long as somebody outside may use what was lent."""

    __slots__ = ("__weakref__",)


class DeviceExport:
    """Memory that others may read or write while one of its borrowers lives; always where it is theirs."""

    __slots__ = ("_borrowers", "_is_theirs", "_kind", "buffer")

    def __init__(self, buffer: DeviceBuffer, shape: tuple[int, ...], dtype: Any, *, is_theirs: bool) -> None:
        self.buffer = buffer
        self._kind = shape, dtype
        self._is_theirs = is_theirs
        self._borrowers: list[weakref.ref[object]] = []

    def alive(self) -> bool:
        return self._is_theirs or any(ref() is not None for ref in self._borrowers)

    def lend_to(self, borrower: object) -> None:
        """Others may use it while ``borrower`` lives."""
        self._borrowers = [ref for ref in self._borrowers if (held := ref()) is not None and held is not borrower]
        self._borrowers.append(weakref.ref(borrower))

    def array(self) -> Array | None:
        """What is there now, copied to the CPU; None where nobody else sees it any more."""
        return self.shown() if self.alive() else None

    def shown(self) -> Array:
        """The same, also where its last borrower is just gone."""
        return on_host(self.copied()).array(*self._kind)

    def copied(self) -> DeviceBuffer:
        """What is there now, copied on its device."""
        return duplicate(self.buffer)

    def store(self, buffer: DeviceBuffer) -> None:
        """Write a new value where the others see it."""
        overwrite(self.buffer, buffer)


@holding
def lent(trace: Trace, a: Handle, borrower: object) -> Memory:
    """Where ``a``, a tensor of a device, lies, for others to read and write as long as ``borrower`` lives."""
    looked(trace)
    with threads.lock:  # also while something runs
        materialize(trace, a)
        share = sharing(a)
        export: DeviceExport | None = share.storage.export
        if export is None or not export.alive():
            export = share_memory(trace, root_of(a), share.storage, _share)[1]
    export.lend_to(borrower)
    follow(export.buffer)  # they are told of the current stream, not of the one that made it
    spec = spec_of(a)
    return Memory(address_of(a), spec.place - 1, spec.dtype, spec.shape, strides_of(a))


def _share(
    buffer: DeviceBuffer, shape: tuple[int, ...], dtype: Any, is_ours: bool
) -> tuple[DeviceBuffer, None, DeviceExport]:
    """As ``export_buffer`` does on the CPU."""
    buffer = buffer if is_ours else duplicate(buffer)
    return buffer, None, DeviceExport(buffer, shape, dtype, is_theirs=False)


def borrowed(function: str, memory: Memory, keep: object) -> Handle:
    """A tensor that shares row-major memory of a device, which ``keep`` owns."""
    shape, dtype = memory.shape, memory.dtype
    refuse(f"{function}() shares memory that may change between calls: pass its result as an argument")
    owner = gpu(memory.device)
    spec = Spec.of(shape, dtype).on(memory.device + 1)
    buffer: Any = DeviceBuffer.wrap(owner.pool, memory.address, spec.size_bytes, keep, owner.stream)
    y = tensor_in(buffer, Leaf.of(spec, False, True, local.trace.inference))
    sharing(y).storage.export = DeviceExport(buffer, shape, dtype.numpy, is_theirs=True)
    return y
