"""Leaves that lie in memory without gaps, but not row-major, such as a transposed matrix: gradients are laid out alike.

Few programs have any, so it is written down where a tensor becomes one, and a backward looks only then.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from math import prod
from typing import Final

from nbgrad.trace.handle import Handle, spec_of
from nbgrad.trace.read import strides_of

permuted_leaves: Final[dict[int, weakref.ref[Handle]]] = {}  # by ids


def note_layout(a: Handle) -> None:
    """``a`` is a leaf from here on."""
    if order_of(a) is not None:
        key = id(a)
        permuted_leaves[key] = weakref.ref(a, lambda _: permuted_leaves.pop(key, None))


def has_permuted(leaves: Iterable[Handle]) -> bool:
    """Whether one of the leaves may lie otherwise than row-major."""
    return bool(permuted_leaves) and any(id(x) in permuted_leaves for x in leaves)


def order_of(a: Handle) -> tuple[int, ...] | None:
    """The order of dims in which ``a`` lies row-major and without gaps; None where that is its own, or none is."""
    shape, strides = spec_of(a).shape, strides_of(a)
    dims = range(len(shape))
    order = tuple(sorted(dims, key=lambda d: (-strides[d], d)))
    if order == tuple(dims) or 0 in shape:
        return None
    sizes = [shape[d] for d in order]
    is_dense = all(shape[d] == 1 or strides[d] == prod(sizes[k + 1 :]) for k, d in enumerate(order))
    return order if is_dense else None
