"""The matrix product as it is carried out: a BLAS call whose transpose flags are part of the graph.

BLAS gives other bits for a transpose flag than for a transposed copy, so the flag is chosen once, from the graph alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.geometry import resolve
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import LIBRARY, VIEW, Op, Params
from nbgrad.graph.spec import Spec
from nbgrad.ops.library import transposed


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    (a, b), (trans_a, trans_b) = specs, params
    rows = a.shape[-1] if trans_a else a.shape[-2]
    cols = b.shape[-2] if trans_b else b.shape[-1]
    return Spec.of((*a.shape[:-2], rows, cols), a.dtype)


def _reference(a: Any, b: Any, trans_a: bool, trans_b: bool) -> Any:
    return np.matmul(np.swapaxes(a, -1, -2) if trans_a else a, np.swapaxes(b, -1, -2) if trans_b else b)


# params: (trans_a, trans_b): an operand with its flag set is stored with its two last dims swapped. Users never write
# it, so it isn't in the table of operators.
GEMM = Op("gemm", LIBRARY, _infer, _reference)


def gemm(a: Node, b: Node, site: str) -> Node:
    """``a @ b`` of floats, each operand read in the order in which its memory lies."""
    trans_a, trans_b = _is_transposed(a), _is_transposed(b)
    left, right = _untransposed(a, trans_a), _untransposed(b, trans_b)
    return apply(GEMM, left, right, params=(trans_a, trans_b), site=site)


def _is_transposed(x: Node) -> bool:
    """Whether the elements of a column follow each other, and those of a row do not."""
    if x.op.name != "permute" and not _ends_in_permute(x):
        return False
    strides = resolve(x, {}).strides
    rows, cols = x.spec.shape[-2:]
    return strides[-2] == 1 and rows > 1 and not (strides[-1] == 1 or cols == 1)


def _ends_in_permute(x: Node) -> bool:
    while x.op.kind is VIEW:
        if x.op.name == "permute":
            return True
        x = x.inputs[0]
    return False


def _untransposed(x: Node, flag: bool) -> Node:
    """``x`` with its last two dims swapped where ``flag``; a permute in front of it is taken back, not added to."""
    if not flag:
        return x
    if x.op.name != "permute":
        return transposed(x)
    dims = x.params[0]
    swapped = (*dims[:-2], dims[-1], dims[-2])
    inner = x.inputs[0]
    return inner if swapped == tuple(range(len(dims))) else apply("permute", inner, params=(swapped,))
