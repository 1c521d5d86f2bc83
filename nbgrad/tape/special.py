"""Special functions on the tape: SciPy's function by its address, then its operands, all row-major."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from nbgrad.graph.node import Node
from nbgrad.system.free_memory import require_room_for_blas
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import SPECIALS, STRIDE_ONE, KernelText, Operand
from nbgrad.tape.operands import contiguous
from nbgrad.tape.work import chunk_items

CALL_PS: Final = 60_000  # of SciPy's functions, which take from 6 to 400 ns


@cache
def _routines() -> Any:
    require_room_for_blas()
    return import_module("nbgrad.tape.special_routines")


def lower_special(t: TapeBuilder, node: Node) -> None:
    """One instruction, an item for each element."""
    if not node.spec.size:
        t.value_block(node)
        return
    (name,), count = node.params, len(node.inputs)
    given = [contiguous(t, x, name) for x in node.inputs]
    block, at = t.value_block(node), len(t.words)
    address, place = _routines().found(name, count)
    t.words += [address] if place is None else [address, place]
    for source in given:
        t.push_ref(source, ())
    t.push_ref(Ref(block, 0, (), ()), (), writes=True)
    dtype, items = node.spec.dtype.name, node.spec.size
    operands = tuple([Operand(dtype, STRIDE_ONE, role) for role in (*["in"] * count, "out")])
    form = SPECIALS[count - 1 if place is None else -1]
    t.call(KernelText(form, 0, 0, operands), at, items, CALL_PS, node, chunk_items(items, CALL_PS))
