"""The short road of a per-operator map: operands that are whole row-major values or repeated single numbers.

It writes what the general road (operands.py, append.py) would, without taking the operands apart first. A structure
that has not been seen is made of such maps for the most part, and waits for its tape.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import ALL
from nbgrad.graph.geometry import is_contiguous
from nbgrad.graph.node import Node
from nbgrad.graph.op import Kind
from nbgrad.tape.block import CONSTS
from nbgrad.tape.build import Place, TapeBuilder
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText, Operand, Stmt
from nbgrad.tape.tape import SPLIT, Instruction
from nbgrad.tape.texts import intern
from nbgrad.tape.work import CHUNK_ELEMENTS, chunk_items, element_ps


class Template(NamedTuple):
    """The kernel of one operator and what it costs, in picoseconds an element."""

    text: KernelText
    cost: int


MOST_TEMPLATES: Final = 1 << 14
_ITEMSIZES: Final = {dtype.name: dtype.itemsize for dtype in ALL}
_templates: dict[Any, Template] = {}


def lower_map(t: TapeBuilder, node: Node) -> bool:
    """Append the map ``node``; False, and nothing done, where it has an operand of another kind."""
    if node.op.name == "take":
        return False
    places = t.places
    operands = []
    for x in node.inputs:
        place = places.get(x)
        if place is None:
            place = _place_of(t, x)
            if place is None:
                return False
            places[x] = place
        operands.append(place)
    size = node.spec.size
    template = _template(node, operands, size == 1)
    block = t.value_block(node)
    places[node] = Place(block, 0, bool(node.spec.shape))
    operands.append(Place(block, 0, True))
    words, now = t.words, len(t.instructions)
    at = len(words)
    words.append(size)
    for (block, offset, moves), operand in zip(operands, template.text.operands, strict=True):
        if block.slot == CONSTS:
            t.const_words.append(len(words))
            words.append(offset)
        else:
            t.relocs.append((len(words), block, offset))
            block.last = now
            words.append(0)
        words.append(_ITEMSIZES[operand.dtype] if moves or size == 1 else 0)
    if size <= CHUNK_ELEMENTS:
        t.instructions.append(Instruction(template.text, at, size, size, template.cost, 0, (node,)))
    else:
        chunk = chunk_items(size, 1, template.cost)
        t.instructions.append(Instruction(template.text, at, size, chunk, template.cost, SPLIT, (node,)))
    return True


def _place_of(t: TapeBuilder, x: Node) -> Place | None:
    """Where ``x`` lies; None for an index ramp, strides, a run-time offset, or a copy still to be made."""
    g = t.geometry(x)
    block, start = t.memory.get(g.base), 0
    if block is None:
        if g.base.op.kind is not Kind.SOURCE or g.base.op.name == "iota":
            return None
        found, start = t.source(g.base)
        assert found is not None
        block = found
    if g.terms:
        return None
    start += g.offset * x.spec.dtype.itemsize
    if g.base.op.name in ("const", "scalar"):
        return Place(block, start, False)
    if not x.spec.shape:
        return Place(block, start, False)
    if is_contiguous(x.spec.shape, g.strides):
        return Place(block, start, True)
    return None if any(g.strides) else Place(block, start, False)


def _template(node: Node, operands: list[Place], single: bool) -> Template:
    key = (node.op, node.params, single, *[(x.spec.dtype, p.moves) for x, p in zip(node.inputs, operands, strict=True)])
    found = _templates.get(key)
    if found is None:
        if len(_templates) >= MOST_TEMPLATES:
            _templates.clear()
        found = _templates[key] = _made(node, operands, single)
    return found


def _made(node: Node, operands: list[Place], single: bool) -> Template:
    count = len(operands)
    reads = [
        Operand(x.spec.dtype.name, STRIDE_ONE if p.moves or single else STRIDE_ZERO, "in")
        for x, p in zip(node.inputs, operands, strict=True)
    ]
    dtype = node.spec.dtype
    stmt = Stmt(node.op.name, tuple(range(count)), node.params, dtype.name)
    out = Operand(dtype.name, STRIDE_ONE, "out")
    text = intern(KernelText("map", 1, 0, (*reads, out), (stmt,), ((count + 1, count),)))
    moved = dtype.itemsize + sum([x.spec.dtype.itemsize for x, p in zip(node.inputs, operands, strict=True) if p.moves])
    return Template(text, element_ps([node.op.name], moved))
