"""Tensors in pinned memory: copies between them and a device are not waited for."""

from __future__ import annotations

from typing import Any

from nbgrad.graph.spec import HOST
from nbgrad.runtime.cuda import pinned as memory
from nbgrad.runtime.cuda.copies import Arrival, to_pinned
from nbgrad.trace import (
    Handle,
    Leaf,
    from_values,
    holder_of,
    local,
    make_tensor,
    materialize,
    may_be_copied_now,
    seems_alone,
    sharing,
    spec_of,
    values,
)


def pinned(a: Handle) -> Handle:
    """A copy of ``a``, which is on the CPU, in pinned memory."""
    made = from_values(values(a), spec_of(a).dtype, place=HOST)
    made._buffer = memory.pin(made._buffer)
    return made


def is_pinned(a: Handle) -> bool:
    """Whether ``a`` lies in pinned memory, or will when what writes it in place has run."""
    return memory.ever.is_pinned and memory.is_pinned(getattr(holder_of(a)[0], "_buffer", None))


def fetched(a: Handle) -> Handle | None:
    """A copy of ``a``, a tensor of a device, on its way into pinned memory; None where it has to be recorded."""
    if not _can_be_copied_now(a):
        return None
    y = make_tensor()
    _receive(y, a)
    return y


def refilled(a: Handle, source: Handle) -> bool:
    """Let ``a``, a pinned tensor, have the value of ``source``, of the same shape and dtype, and stay pinned. What
    comes from a device is on its way. False, with nothing done, where it has to be recorded."""
    if a._page is not None or a._at.requires_grad or not _is_alone(a) or local.trace.node.aliases is not None:
        return False
    if not (memory.is_pinned(a._buffer) and _can_be_copied_now(source)):
        return False
    if source._at.spec.place == HOST:  # type: ignore[union-attr]
        a._buffer = memory.pin(source._buffer)
    else:
        _receive(a, source)
    return True


def _is_alone(a: Handle) -> bool:
    """Whether nobody else shows the memory of ``a``, whose value may be on its way."""
    share = a._share
    return share is None or (isinstance(share.storage.export, Arrival) and seems_alone(share))


def _can_be_copied_now(a: Handle) -> bool:
    """Whether ``a`` may be copied without a record. Brings it into memory."""
    if not may_be_copied_now(local.trace, a):
        return False
    materialize(local.trace, a)
    return a._share is None


def _receive(y: Handle, a: Handle) -> None:
    spec: Any = a._at.spec
    y._buffer, arrival = to_pinned(a._buffer)  # type: ignore[arg-type]
    y._share = None
    y._at = Leaf.of(spec.on(HOST), False, True, local.trace.inference)
    sharing(y).storage.export = arrival
