"""Values of tensors whose memory others see: copied when they are read, written where the others look."""

from __future__ import annotations

import ctypes
from typing import Any

from nbgrad.calls.views import view_array
from nbgrad.graph.spec import HOST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.trace.handle import Handle, spec_of
from nbgrad.trace.segment import Segment
from nbgrad.trace.trie import Leaf


def hand_over_exported(y: Handle, segment: Segment, at: object, buffer: Any, history: Any, leaf: Leaf) -> bool:
    """Let ``y``, whose memory others may see, have the value that it waits for: entry ``at`` of ``segment``. False
    where somebody has taken it or written it meanwhile, who is left alone."""
    export = None if y._share is None else y._share.storage.export
    if export is not None and export.alive() and y._segment is segment and y._at is at:
        export.store(buffer)
        buffer = export.buffer
    if y._segment is not segment or y._at is not at:
        return False
    y._buffer, y._history, y._at, y._page = buffer, history, leaf, None  # with no call since the question
    return True


def has_rows(root: Handle) -> bool:
    """Whether the memory of ``root``, which others may see, is this machine's and row-major: it can be read where it
    is."""
    return not spec_of(root).place and (root._share is None or root._share.storage.strides is None)


def stretch(a: Handle, root: Handle) -> Buffer:
    """Memory like that of ``root``, in which what ``a``, a view of it, shows is copied, and nothing else."""
    spec = root._at.spec
    assert spec is not None and a._share is not None
    array = root._buffer.array(spec.shape, spec.dtype.numpy)
    shown = Buffer.wrap(view_array(spec, a._share.steps, array))
    copied = Buffer.alloc(root._buffer.nbytes)
    ctypes.memmove(copied.address + shown.address - root._buffer.address, shown.address, shown.nbytes)
    return copied


def snapshot(a: Handle) -> Buffer:
    """What exported memory shows through ``a`` now, copied."""
    share = a._share
    root = a if share is None or share.root is None else share.root
    spec, export = root._at.spec, None if share is None else share.storage.export
    assert spec is not None
    if share is not None and share.rows >= 0 and export is not None and share.storage.strides is None:
        return Buffer.copied(export.buffer.address + share.rows, spec_of(a).size_bytes)
    if export is None:  # another thread is about to export it again
        array = at_place(root._buffer, spec.place, HOST).array(spec.shape, spec.dtype.numpy)
    elif spec.place and root is a:
        return export.copied()  # type: ignore[no-any-return]
    else:
        array = export.shown()
    shown = Buffer.from_numpy(view_array(spec, () if share is None else share.steps, array))
    return at_place(shown, HOST, spec.place)  # type: ignore[no-any-return]
