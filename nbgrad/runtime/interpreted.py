"""NBGRAD_INTERPRET=1: a graph run in NumPy over the same buffers, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nbgrad.errors import ArgumentError, TensorIndexError
from nbgrad.graph.interpret import CHECKS, interpret
from nbgrad.graph.node import Node, toposort
from nbgrad.runtime.buffers import Array, Buffer


def run_interpreted(roots: Sequence[Node], inputs: Sequence[Buffer], scalars: Sequence[float | int]) -> list[Buffer]:
    """The values of ``roots`` in fresh buffers."""
    values: list[Array] = interpret(roots, _arrays(roots, inputs), scalars)
    return [Buffer.from_numpy(v) for v in values]


def which_index(
    roots: Sequence[Node], inputs: Sequence[Buffer], scalars: Sequence[float | int], error: TensorIndexError
) -> TensorIndexError | ArgumentError:
    """A kernel has found an index out of range or a condition unmet (``error``), and cannot say which: the error of the
    reference, which can."""
    checks = [node for node in toposort(roots) if node.op.name in CHECKS]
    try:
        interpret(checks, _arrays(checks, inputs), scalars)
    except (TensorIndexError, ArgumentError) as found:
        return found
    return error


def _arrays(roots: Sequence[Node], inputs: Sequence[Buffer]) -> list[Array]:
    specs = {node.params[0]: node.spec for node in toposort(roots) if node.op.name == "input"}
    return [b.array(specs[i].shape, specs[i].dtype.numpy) if i in specs else np.empty(0) for i, b in enumerate(inputs)]
