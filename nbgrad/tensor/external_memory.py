"""Memory of devices that others see: tensors given to other libraries for GPUs, and taken from them.

As with NumPy's memory (trace/export.py), an operation that reads such a tensor reads a copy taken when it was recorded,
and what is written to it goes to the memory that the others see.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.spec import Spec
from nbgrad.runtime.cuda.copies import follow
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.dlpack import Memory
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.shared_memory import DeviceExport, lend_buffer
from nbgrad.trace import (
    Handle,
    Leaf,
    Trace,
    address_of,
    holding,
    local,
    looked,
    materialize,
    refuse,
    root_of,
    share_memory,
    sharing,
    spec_of,
    strides_of,
    tensor_in,
    threads,
)


@holding
def lent(trace: Trace, a: Handle, borrower: object) -> Memory:
    """Where ``a``, a tensor of a device, lies, for others to read and write as long as ``borrower`` lives."""
    looked(trace)
    with threads.lock:  # also while something runs
        materialize(trace, a)
        share = sharing(a)
        export: DeviceExport | None = share.storage.export
        if export is None or not export.alive():
            export = share_memory(trace, root_of(a), share.storage, lend_buffer)[1]
    export.lend_to(borrower)
    follow(export.buffer)  # they are told of the current stream, not of the one that made it
    spec = spec_of(a)
    return Memory(address_of(a), spec.place - 1, spec.dtype, spec.shape, strides_of(a))


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
