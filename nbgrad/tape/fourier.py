"""Fourier transforms on the tape: the address of what computes rows, then how these lie."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from math import log2, prod
from typing import Any, Final

from nbgrad.graph.node import Node
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.operands import contiguous
from nbgrad.tape.work import chunk_items

PS: Final = 1500  # of each of n log2(n) steps
CALL_PS: Final = 200_000


@cache
def _routines() -> Any:
    return import_module("nbgrad.tape.fourier_routines")


def lower_fourier(t: TapeBuilder, node: Node) -> None:
    """One instruction, an item for each row."""
    (routine, n), (x,) = node.params, node.inputs
    source = contiguous(t, x, routine)
    dtype, size = node.spec.dtype, node.spec.dtype.itemsize
    sides = [(x, routine != "rfft"), (node, routine != "irfft")]  # and whether numbers are complex there
    rows = [y.spec.shape[-2 if is_complex else -1] for y, is_complex in sides]
    steps = [size * (1 + is_complex) for _, is_complex in sides]
    items = prod(x.spec.shape[: -2 if routine != "rfft" else -1])
    head = [*_routines().found(routine, n, dtype), *rows, rows[0] * steps[0], rows[1] * steps[1], *steps]
    arguments = [Argument(source, dtype), Argument(t.value_block(node).start, dtype, writes=True)]
    cost = int(PS * n * (1 + log2(n))) + CALL_PS
    t.library("fourier", node, head, arguments, items, cost, chunk_items(items, cost))
