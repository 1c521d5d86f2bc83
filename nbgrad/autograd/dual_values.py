"""What duals begin with: the same value at a place of its own, in the same memory where it can be; and how tangents
lie."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.graph.spec import Spec
from nbgrad.trace import (
    Handle,
    Trace,
    advance_as,
    detach,
    entry_of,
    holder_of,
    holding,
    is_exported,
    new_tensor,
    offset_of,
    record,
    requires_grad,
    spec_of,
    strides_of,
)


@holding
def placed(trace: Trace, a: Handle) -> Handle:
    """The value and history of ``a`` at a place of its own."""
    return new_tensor(trace, "dual", entry_of(trace, a).ix)


def cast(t: Handle, spec: Spec) -> Handle:
    """``t`` in the dtype of ``spec``."""
    return t if spec_of(t).dtype is spec.dtype else record(CALLS["to_dtype"], (t,), (spec.dtype,))


def layout(a: Handle) -> Any:
    """How ``a`` lies in its memory: PyTorch keeps a copy of a tangent that lies otherwise than its primal."""
    holder, steps = holder_of(a)
    return (spec_of(holder).size, strides_of(a), offset_of(a)) if steps else ()


def beside(a: Handle) -> Handle | None:
    """The same, in the memory of ``a``; None unless that has it alone, and no history that a write would add to."""
    holder, steps = holder_of(a)
    if requires_grad(a) or holder is not a or steps or is_exported(a):
        return None
    y = detach(a)
    _move(y, a)
    return y


@holding
def _move(trace: Trace, y: Handle, a: Handle) -> None:
    advance_as(trace, y, ("dual", entry_of(trace, a).ix))
