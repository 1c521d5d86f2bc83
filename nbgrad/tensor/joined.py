"""``cat`` and ``stack`` of many small tensors in memory, at once: such lists, of what was drawn from a store for one,
are others each time, and what is recorded of one would never come again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbgrad.trace import (
    FRESH_VIEW,
    Handle,
    from_values,
    holder_of,
    local,
    requires_grad,
    spec_of,
    stacked_values,
    way_of_look,
)

MANY: Final = 8
MOST_BYTES: Final = 1 << 20  # to copy more takes longer than to record it


def stacked_at_once(tensors: Sequence[Handle], dim: object) -> Any:
    """The result of ``stack``; None where it is to be recorded."""
    return from_values(stacked_values(tensors), spec_of(tensors[0]).dtype) if _may_be(tensors, dim) else None


def joined_at_once(tensors: Sequence[Handle], dim: object) -> Any:
    """The result of ``cat``; None where it is to be recorded."""
    first = spec_of(tensors[0])
    if not first.shape or not _may_be(tensors, dim):
        return None
    rows = stacked_values(tensors)
    return from_values(rows.reshape(-1, *first.shape[1:]), first.dtype)


def _may_be(tensors: Sequence[Handle], dim: object) -> bool:
    """Whether all are small values in memory, of one shape and dtype, of which no derivative is wanted."""
    trace, spec = local.trace, spec_of(tensors[0])
    if trace.watcher is not None or trace.duals is not None or trace.vmaps or trace.inference:
        return False
    if dim != 0 or spec.place or not 0 < spec.size_bytes * len(tensors) <= MOST_BYTES:
        return False
    if not all([a._at.spec is spec and not a._at.inference and _is_in_memory(a) for a in tensors]):  # noqa: C419  (half the time)
        return False
    return not trace.grad_enabled or not any(map(requires_grad, tensors))


def _is_in_memory(a: Handle) -> bool:
    share = a._share
    if share is FRESH_VIEW:
        root = way_of_look(a)[0]
        return root._share is None and root._page is None
    return a._page is None and (share is None or (share.error is None and holder_of(a)[0]._page is None))
