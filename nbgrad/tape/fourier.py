"""Fourier transforms on the tape: the address of what computes rows, then how these lie."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from math import log2, prod
from typing import Any, Final

from nbgrad.graph.node import Node
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import STRIDE_ONE, KernelText, Operand
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
    block, at, size = t.value_block(node), len(t.words), node.spec.dtype.itemsize
    sides = [(x, routine != "rfft"), (node, routine != "irfft")]  # and whether numbers are complex there
    rows = [y.spec.shape[-2 if is_complex else -1] for y, is_complex in sides]
    steps = [size * (1 + is_complex) for _, is_complex in sides]
    items = prod(x.spec.shape[: -2 if routine != "rfft" else -1])
    t.words += [*_routines().found(routine, n, node.spec.dtype), *rows]
    t.words += [rows[0] * steps[0], rows[1] * steps[1], *steps]
    t.push_ref(source, ())
    t.push_ref(Ref(block, 0, (), ()), (), writes=True)
    operands = tuple([Operand(node.spec.dtype.name, STRIDE_ONE, role) for role in ("in", "out")])
    cost = int(PS * n * (1 + log2(n))) + CALL_PS
    t.call(KernelText("fourier", 0, 0, operands), at, items, cost, node, chunk_items(items, cost))
