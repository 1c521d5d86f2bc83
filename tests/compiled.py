"""Graphs through plans: compiled kernels on NumPy arrays, and what "the same bits" means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nbgrad.graph.node import Node
from nbgrad.pipeline import make_plan
from nbgrad.runtime.buffers import Buffer
from tests.samples import Array


def buffer_of(x: Array) -> Buffer:
    """A buffer that holds ``x`` row by row."""
    buffer = Buffer.alloc(x.nbytes)
    buffer.array(x.shape, x.dtype)[...] = x
    return buffer


def run_plan(roots: Sequence[Node], inputs: Sequence[Array], scalars: Sequence[float | int] = ()) -> list[Array]:
    """The values of ``roots`` from compiled kernels."""
    buffers = make_plan(roots).run([buffer_of(x) for x in inputs], scalars)
    return [b.array(r.spec.shape, r.spec.dtype.numpy).copy() for b, r in zip(buffers, roots, strict=True)]


def bits(x: Array) -> bytes:
    """The bits of an array; every NaN counts as the same one."""
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return x.tobytes()
