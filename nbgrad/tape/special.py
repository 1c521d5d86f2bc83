"""Special functions on the tape: SciPy's function by its address, then its operands, all row-major."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from nbgrad.errors import RunError
from nbgrad.graph.node import Node
from nbgrad.ops.special import FUNCTIONS
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.capsules import exported, opened
from nbgrad.tape.kernel import SPECIALS
from nbgrad.tape.operands import contiguous
from nbgrad.tape.work import chunk_items

_FUSED: Final = r"(__pyx_fuse_\d)?(\w+)"  # Cython's name of one for several types, and its own
_FOUR: Final = "double *, double *, double *, double *"
CALL_PS: Final = 60_000  # of SciPy's functions, which take from 6 to 400 ns


def lower_special(t: TapeBuilder, node: Node) -> None:
    """One instruction, an item for each element."""
    if not node.spec.size:
        t.value_block(node)
        return
    (name,), count = node.params, len(node.inputs)
    given = [contiguous(t, x, name) for x in node.inputs]
    address, place = found(name, count)
    dtype, items = node.spec.dtype, node.spec.size
    arguments = [*[Argument(x, dtype) for x in given], Argument(t.value_block(node).start, dtype, writes=True)]
    form, head = SPECIALS[count - 1 if place is None else -1], [address] if place is None else [address, place]
    t.library(form, node, head, arguments, items, CALL_PS, chunk_items(items, CALL_PS))


@cache
def found(function: str, count: int) -> tuple[int, int | None]:
    """Where what computes ``function`` of ``count`` float64 numbers starts, and which of its results that is."""
    routine, _, place = FUNCTIONS[function]
    numbers = "double, " * count
    wanted = f"double ({numbers}int __pyx_skip_dispatch)" if place is None else f"void ({numbers}{_FOUR})"
    for name, capsule in exported("special.cython_special").items():
        known = re.fullmatch(_FUSED, name)
        if known is not None and known[2] == routine:
            signature, at = opened(capsule)
            if signature == wanted:
                return at, place
    raise RunError(f"{routine}: SciPy's cython_special has no such function of {count} float64 numbers")
