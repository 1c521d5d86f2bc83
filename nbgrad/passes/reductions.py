"""Reductions in the two forms that kernels have: [kept.., reduced..] and [kept.., reduced.., kept..].

The order in which a kernel adds depends on the form, so the form follows from the logical shape and nothing else.
"""

from __future__ import annotations

from math import prod
from typing import Final

from nbgrad.errors import ShapeError
from nbgrad.graph.blocks import ROW_BLOCK
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.reduce import identity
from nbgrad.ops.view import expand_to, reshape_to

ARG_REDUCTIONS = ("argmax", "argmin")
# The sum of a whole array of long rows is that of its rows' sums: a row kernel that has the rows at hand makes them.
LONG_ROW: Final = 512  # from here on what a row's sum costs beside its elements is little
MANY_ROWS: Final = 16


def normalised(node: Node, x: Node) -> Node | None:
    """``node`` over ``x`` with its reduced dims in one run, none of size 1; several reductions where need be.

    None where it is so.
    """
    name, dims, shape = node.op.name, node.params[0], x.spec.shape
    out = node.spec.shape
    real = tuple([d for d in dims if shape[d] > 1])
    if not real:
        return expand_to(const(0, int64), out) if name in ARG_REDUCTIONS else reshape_to(x, out)
    runs = _parts(name, shape, real)
    if len(runs) == 1 and real == dims:
        return None
    if len(runs) > 1 and name in ARG_REDUCTIONS:
        return _reduced_last(node, x)
    for run in reversed(runs):  # from the innermost outwards: outer dims keep their numbers
        x = apply(name, x, params=(run,), site=node.site)
    return reshape_to(x, out)


def empty(name: str, node: Node) -> Node:
    """What no elements add up to."""
    if name in ARG_REDUCTIONS:
        raise ShapeError(f"{name}: cannot reduce over an empty dim: it has no largest or smallest element")
    return expand_to(const(identity(name, node.spec.dtype), node.spec.dtype), node.spec.shape)


def _parts(name: str, shape: Shape, dims: Shape) -> list[Shape]:
    """The dims that are reduced one after the other, the last of them first: runs, and long rows by themselves."""
    runs = _runs(shape, dims)
    whole = len(runs) == 1 and all(n == 1 for d, n in enumerate(shape) if d not in dims)
    if whole and name not in ARG_REDUCTIONS:
        while _is_of_rows([shape[d] for d in runs[0]]):
            outer, inner = runs[0][:-1], runs[0][-1:]
            runs = [outer, inner, *runs[1:]]
    return runs


def _is_of_rows(sizes: list[int]) -> bool:
    return prod(sizes[:-1]) >= MANY_ROWS and LONG_ROW <= sizes[-1] <= ROW_BLOCK


def _runs(shape: Shape, dims: Shape) -> list[Shape]:
    """``dims`` cut where a kept dim of more than one element lies between them."""
    runs: list[list[int]] = []
    for d in dims:
        between = shape[runs[-1][-1] + 1 : d] if runs else ()
        if runs and all(n == 1 for n in between):
            runs[-1].append(d)
        else:
            runs.append([d])
    return [tuple(run) for run in runs]


def _reduced_last(node: Node, x: Node) -> Node:
    """An index into several runs of dims: the reduced dims go last, where they are one run."""
    dims = node.params[0]
    kept = tuple([d for d in range(x.spec.rank) if d not in dims])
    moved = apply("permute", x, params=(kept + dims,))
    last = apply(node.op, moved, params=(tuple(range(len(kept), x.spec.rank)),), site=node.site)
    return normalised(last, moved) or last
