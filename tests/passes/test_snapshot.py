"""Parts of an array that are read after others were written."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.ops.source import scalar_node
from nbgrad.passes.snapshot import LEAST_WRITES, snapshot
from tests.passes.build import value

ROWS, WIDTH = 4, 3


def loop(writes: int, late: bool) -> Node:
    """A sum of rows as they were before each write, added up as they are read, or after all writes."""
    array = apply("tanh", value(ROWS, WIDTH))
    rows = []
    total = None
    for k in range(writes):
        start = scalar_node(k, int64)
        row = apply("slice", array, start, params=(0, 1, 1))
        if not late:
            total = row * 2.0 if total is None else total + row
        rows.append(row)
        array = apply("put_slice", array, apply("exp", row), start, params=(0, 1, 1))
    for row in rows if late else ():
        last = apply("slice", array, scalar_node(0, int64), params=(0, 1, 1))
        total = last + row if total is None else total + row
    assert total is not None
    return apply("tie", total, array) if late else total


@pytest.mark.parametrize(("writes", "copies"), [(LEAST_WRITES - 1, 0), (LEAST_WRITES, LEAST_WRITES)])
def test_what_is_read_late_is_copied_where_there_are_many_writes(writes: int, copies: int) -> None:
    (found,) = snapshot([loop(writes, late=True)])
    assert sum([node.op.name == "copy" for node in toposort([found])]) == copies


def test_what_is_read_in_time_is_read_where_it_lies() -> None:
    root = loop(20, late=False)
    assert snapshot([root]) == [root]


def test_values_stay() -> None:
    root = loop(12, late=True)
    x = np.linspace(-1, 1, ROWS * WIDTH, dtype="f").reshape(ROWS, WIDTH)
    numbers = [k % ROWS for k in range(12)]
    before, after = [interpret(roots, [x], numbers)[0] for roots in ([root], snapshot([root]))]
    assert before.tobytes() == after.tobytes()
