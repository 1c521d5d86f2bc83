"""NBGRAD_INTERPRET=1: a graph run in NumPy over the same buffers, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, toposort
from nbgrad.runtime.buffers import Array, Buffer


def run_interpreted(roots: Sequence[Node], inputs: Sequence[Buffer], scalars: Sequence[float | int]) -> list[Buffer]:
    """The values of ``roots`` in fresh buffers."""
    specs = {node.params[0]: node.spec for node in toposort(roots) if node.op.name == "input"}
    arrays = [
        b.array(specs[i].shape, specs[i].dtype.numpy) if i in specs else np.empty(0) for i, b in enumerate(inputs)
    ]
    values: list[Array] = interpret(roots, arrays, scalars)
    return [Buffer.from_numpy(v) for v in values]
