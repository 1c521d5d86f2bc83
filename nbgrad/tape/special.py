"""Special functions on the tape: SciPy's function by its address, then its operands, all row-major."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from nbgrad.graph.node import Node
from nbgrad.system.free_memory import require_room_for_blas
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.kernel import SPECIALS
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
    address, place = _routines().found(name, count)
    dtype, items = node.spec.dtype, node.spec.size
    arguments = [*[Argument(x, dtype) for x in given], Argument(t.value_block(node).start, dtype, writes=True)]
    form, head = SPECIALS[count - 1 if place is None else -1], [address] if place is None else [address, place]
    t.library(form, node, head, arguments, items, CALL_PS, chunk_items(items, CALL_PS))
