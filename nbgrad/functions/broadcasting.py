"""Shapes made equal: broadcast_tensors and broadcast_shapes."""

from __future__ import annotations

import functools
from typing import Any

from nbgrad.calls.arguments import ints_of
from nbgrad.errors import ArgumentError
from nbgrad.functions.several_forms import tensors_of
from nbgrad.graph import spec
from nbgrad.tensor import Size, Tensor


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as views; those that have it, as they are.

    RuntimeError where there is none.

    >>> [x.shape for x in nbgrad.broadcast_tensors(nbgrad.ones(2, 1), nbgrad.ones(3))]
    [nbgrad.Size([2, 3]), nbgrad.Size([2, 3])]
    """
    given = tensors_of("broadcast_tensors", "tensors", tensors)
    shape = broadcast_shapes(*[x.shape for x in given])
    return tuple([x if x.shape == shape else x.expand(shape) for x in given])


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes have after broadcasting; an int is a shape of one dim.

    RuntimeError for shapes that do not go together, ValueError for a negative size.

    >>> nbgrad.broadcast_shapes((2, 1), (3,), 1)
    nbgrad.Size([2, 3])
    """
    given = [ints_of("broadcast_shapes", "shapes", shape) for shape in shapes]
    for shape in given:
        if min(shape, default=0) < 0:
            raise ArgumentError(f"broadcast_shapes(): a shape has a negative size: {list(shape)}")
    return Size(functools.reduce(lambda a, b: spec.broadcast_shapes(a, b, "broadcast_shapes"), given, ()))
