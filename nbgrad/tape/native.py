"""A function of the user's own on the tape: its entry, then of each array the address and the sizes.

Where a GPU launches it, the entry's number; blocks begin when they like, so zeros are written before.
"""

from __future__ import annotations

from nbgrad.graph.node import Node
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.tape.block import Ref
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.kernel import LAUNCHED
from nbgrad.tape.loop import row_major
from nbgrad.tape.operands import contiguous, copy
from nbgrad.tape.work import PS_PER_SERIAL_BYTE


def lower_native(t: TapeBuilder, node: Node) -> None:
    """One instruction, of one item: what the function shares among threads is its own affair."""
    native, results = node.params
    given = [contiguous(t, x, native.name) if x.spec.size else None for x in node.inputs]
    block = t.value_block(node)
    if native.is_launched:
        copy(t, zeros_of(node.spec), Ref(block, 0, (), row_major(node.spec)), (node,))
    specs = [x.spec for x in node.inputs]
    arguments = []
    for source, spec in zip(given, specs, strict=True):  # of no elements: nothing is read there
        arguments.append(Argument(source or block.start, spec.dtype, spec.shape))
    place = 0
    for result in results:
        arguments.append(Argument(Ref(block, place, (), ()), result.dtype, result.shape, writes=True))
        place += result.size_bytes
    cost = sum([spec.size_bytes for spec in (*specs, *results)]) * PS_PER_SERIAL_BYTE + 1
    form = LAUNCHED if native.is_launched else "native"
    t.library(form, node, [native.address(specs, results)], arguments, 1, cost, 1)
