"""Matrix products that a device's library multiplies, each in the one form that it is called in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from nbgrad.graph.geometry import Geometry, resolve
from nbgrad.graph.node import Node, apply, rewritten, toposort
from nbgrad.graph.op import VIEW
from nbgrad.ops.library import transposed
from nbgrad.ops.library_product import LIBRARY_MATMUL, is_taken
from nbgrad.passes.collect import COPIES

MOST_COLLECTED: Final = 1 << 28  # bytes of a convolution's columns: larger ones are never copied, see ``collect``


def to_library(roots: Sequence[Node], has_library: Callable[[], bool]) -> list[Node]:
    """Products of large matrices as calls of a library, which is asked for only where there are such.

    Needs: a canonical graph.   Gives: no ``matmul`` that a library takes, where there is one. Whether a factor is given
    transposed is decided here, for every tier: a library may choose another order of additions by that.
    Keeps: shapes, sites; this pass defines the values' bits.   Cost: one walk, O(nodes).
    """
    geometries: dict[Node, Geometry] = {}
    order = toposort(roots)
    taken = {x for x in order if x.op.name == "matmul" and _is_taken(x, geometries)}
    if not taken or not has_library():
        return list(roots)
    return rewritten(roots, order, lambda node, new: _call(node, new, geometries) if node in taken else None)


def _is_taken(node: Node, geometries: dict[Node, Geometry]) -> bool:
    a, b = node.inputs
    *batch, m, n = node.spec.shape
    if not is_taken(node.spec.dtype, tuple(batch), m, n, a.spec.shape[-1]):
        return False
    return not any(_is_collected(resolve(x, geometries).base) for x in (a, b))


def _is_collected(base: Node) -> bool:
    return base.op.name in COPIES and base.inputs[0].op.kind is VIEW and base.spec.size_bytes > MOST_COLLECTED


def _call(node: Node, new: dict[Node, Node], geometries: dict[Node, Geometry]) -> Node:
    """``node`` by a library, over ``new`` inputs."""
    flips = tuple([_lies_by_columns(x, geometries) for x in node.inputs])
    factors = [transposed(new[x]) if flip else new[x] for x, flip in zip(node.inputs, flips, strict=True)]
    return apply(LIBRARY_MATMUL, *factors, params=flips, site=node.site)


def _lies_by_columns(x: Node, geometries: dict[Node, Geometry]) -> bool:
    """Whether the elements of a column follow each other, and those of a row do not."""
    *_, row, column = resolve(x, geometries).strides
    return row == 1 and column > 1 and x.spec.shape[-2] > 1
