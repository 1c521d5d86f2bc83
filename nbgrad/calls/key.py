"""How calls stand in keys: (number of the call, operands..., static arguments if any). Small integers and tuples, which
the garbage collector need not look at.

A tensor operand is a number of whoever makes the key, 0 or more. Others are marks: what kind of number it is, never
which, or that it is left out.
"""

from __future__ import annotations

from typing import Any, Final

from nbgrad.graph import dtypes
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import scalar_node

FLOAT, INT, BOOL, NONE, COMPLEX = -1, -2, -3, -4, -5
MARKS: Final[dict[type, int]] = {float: FLOAT, int: INT, bool: BOOL}


def split_key(key: tuple[Any, ...]) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """(operands, static arguments) of the key of a call."""
    return (key[1:-1], key[-1]) if type(key[-1]) is tuple else (key[1:], ())


def count_of(mark: int) -> int:
    """How many numbers of a run an operand is: a complex one is two."""
    return 2 if mark == COMPLEX else int(NONE < mark < 0)


def number_node(place: int, mark: int) -> Node:
    """The number at ``place`` among the numbers of a run, of the kind that ``mark`` says: a complex one's first."""
    if mark == COMPLEX:
        return apply("complex", *[scalar_node(place + k, dtypes.float64) for k in (0, 1)])
    number = scalar_node(place, dtypes.float64 if mark == FLOAT else dtypes.int64)
    return cast_to(number, dtypes.bool_) if mark == BOOL else number
