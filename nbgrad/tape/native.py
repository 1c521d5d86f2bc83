"""A function of the user's own on the tape: its entry, then of each array the address and the sizes.

Where a GPU launches it, the entry's number; blocks begin when they like, so zeros are written before.
"""

from __future__ import annotations

from nbgrad.graph.node import Node
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.kernel import LAUNCHED, STRIDE_ONE, KernelText, Operand
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
    nowhere = Ref(block, 0, (), ())  # of no elements: nothing is read there
    specs = [x.spec for x in node.inputs]
    at = len(t.words)
    t.words.append(native.address(specs, results))
    for source, spec in zip(given, specs, strict=True):
        t.push_ref(source or nowhere, spec.shape)
    start = 0
    for result in results:
        t.push_ref(Ref(block, start, (), ()), result.shape, writes=True)
        start += result.size_bytes
    roles = [*[(spec, "in") for spec in specs], *[(result, "out") for result in results]]
    operands = tuple([Operand(spec.dtype.name, STRIDE_ONE, role) for spec, role in roles])
    cost = sum([spec.size_bytes for spec, _ in roles]) * PS_PER_SERIAL_BYTE + 1
    form = LAUNCHED if native.is_launched else "native"
    t.call(KernelText(form, 0, 0, operands), at, 1, cost, node)
