"""Rows added to rows of a table, made while they are added: a pass puts it in the place of ``scatter_add``."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import by_name
from nbgrad.graph.node import Node
from nbgrad.graph.op import ALWAYS, LIBRARY, Op, Params, lookup
from nbgrad.graph.spec import Shape

Steps = tuple[tuple[str, tuple[int, ...], Params, str], ...]  # operator, operands, params, name of the dtype


class RowProgram(NamedTuple):
    """What is made for each element of ``shape``: operands count up from 0, the results of ``steps`` down from -1.

    ``start`` is where a row goes in the table, ``value`` what is added there. ``is_aligned``: each start is a multiple
    of the row's length, and so is the table's length.
    """

    shape: Shape
    steps: Steps
    start: int
    value: int
    is_aligned: bool


def _reference(table: Any, *args: Any) -> Any:
    *operands, program = args
    made: list[Any] = []

    def of(code: int) -> Any:
        return operands[code] if code >= 0 else made[-1 - code]

    for name, codes, params, dtype in program.steps:
        made.append(np.asarray(lookup(name).reference(*map(of, codes), *params)).astype(by_name(dtype).numpy))
    starts = np.broadcast_to(of(program.start), program.shape)
    out = np.array(table)
    np.add.at(out, starts + np.arange(program.shape[-1]), np.broadcast_to(of(program.value), program.shape))
    return out


# (table, operands...), params (RowProgram,): users never write it, so it isn't in the table of operators.
SCATTER_ROWS: Final = Op("scatter_rows", LIBRARY, lambda specs, params: specs[0], _reference, can_fail=ALWAYS)


def program_of(node: Node) -> RowProgram:
    """What a ``scatter_rows`` adds."""
    (program,) = node.params
    assert isinstance(program, RowProgram)
    return program
