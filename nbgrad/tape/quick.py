"""The short road of a per-operator map: operands that are whole row-major values or repeated single numbers.

It writes what the general road (operands.py, append.py) would, without taking the operands apart first. A structure
that has not been seen is made of such maps for the most part, and waits for its tape.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from nbgrad.graph.dtypes import ALL, DType
from nbgrad.graph.geometry import is_contiguous
from nbgrad.graph.node import Node
from nbgrad.graph.op import SOURCE
from nbgrad.tape.block import CONSTS
from nbgrad.tape.build import InPlace, Place, TapeBuilder
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText, Operand, Stmt
from nbgrad.tape.tape import SPLIT, Instruction
from nbgrad.tape.texts import intern
from nbgrad.tape.work import SHARE_PS, chunk_items, element_ps, is_shared


class Template(NamedTuple):
    """The kernel of one operator and what it costs, in picoseconds an element; each operand's bytes to the next one."""

    text: KernelText
    cost: int
    strides: tuple[int, ...]


MOST_TEMPLATES: Final = 1 << 14
_NUMBERS: Final = {dtype: 2 * i for i, dtype in enumerate(ALL)}
_templates: dict[Any, Template] = {}


def lower_map(t: TapeBuilder, node: Node) -> bool:
    """Append the map ``node``; False, and nothing done, where it has an operand of another kind."""
    op = node.op
    if op.name in ("take", "guard"):
        return False
    known = t.places
    places = []
    for x in node.inputs:
        place = known.get(x)
        if place is None:
            place = _place_of(t, x)
            if place is None:
                return False
            known[x] = place
        places.append(place)
    spec, now = node.spec, len(t.instructions)
    size = spec.size
    key = (op, node.params, size == 1, *[p.kind for p in places])
    template = _templates.get(key) or _template(key, node, places)
    out = known[node] = Place(t.value_block(node), 0, _kind(spec.dtype, bool(spec.shape)))
    if out.block.slot in t.ties:
        _offer_in_place(t, places, out)
    places.append(out)
    words, relocs = t.words, t.relocs
    at = len(words)
    words.append(size)
    for (block, offset, _), stride in zip(places, template.strides, strict=True):
        if block.slot == CONSTS:
            t.const_words.append(len(words))
            words += (offset, stride)
        else:
            relocs.append((len(words), block, offset))
            block.last = now
            words += (0, stride)
    cost = template.cost
    if size * cost < SHARE_PS:
        t.instructions.append(Instruction(template.text, at, size, size, cost, 0, (node,)))
    else:
        flags = SPLIT if is_shared(size, cost) else 0
        t.instructions.append(Instruction(template.text, at, size, chunk_items(size, cost), cost, flags, (node,)))
    return True


def _offer_in_place(t: TapeBuilder, places: list[Place], out: Place) -> None:
    """Note an input, whole and read once, whose memory the result may take."""
    for place in places:
        block = place.block
        whole = place.kind % 2 == 1 and place.offset == 0 and block.nbytes == out.block.nbytes
        if whole and t.may_share(block, out.block) and [p.block.slot for p in places].count(block.slot) == 1:
            t.in_place.append(InPlace(len(t.instructions), out.block, block))


def _kind(dtype: DType, moves: bool) -> int:
    return _NUMBERS[dtype] + moves


def _place_of(t: TapeBuilder, x: Node) -> Place | None:
    """Where ``x`` lies; None for an index ramp, strides, a run-time offset, or a copy still to be made."""
    g = t.geometry(x)
    block, start = t.memory.get(g.base), 0
    if block is None:
        if g.base.op.kind is not SOURCE or g.base.op.name == "iota":
            return None
        found, start = t.source(g.base)
        assert found is not None
        block = found
    if g.terms:
        return None
    dtype, shape = x.spec.dtype, x.spec.shape
    start += g.offset * dtype.itemsize
    if not shape or g.base.op.name in ("const", "scalar"):
        return Place(block, start, _kind(dtype, False))
    if g.strides == x.spec.strides or is_contiguous(shape, g.strides):
        return Place(block, start, _kind(dtype, True))
    return None if any(g.strides) else Place(block, start, _kind(dtype, False))


def _template(key: Any, node: Node, places: list[Place]) -> Template:
    if len(_templates) >= MOST_TEMPLATES:
        _templates.clear()
    template = _templates[key] = _made(node, [p.kind % 2 == 1 for p in places], node.spec.size == 1)
    return template


def _made(node: Node, moving: list[bool], single: bool) -> Template:
    """``moving`` says which inputs have an element for each one of the result."""
    count = len(moving)
    dtypes = [x.spec.dtype for x in node.inputs]
    reads = [
        Operand(dtype.name, STRIDE_ONE if moves or single else STRIDE_ZERO, "in")
        for dtype, moves in zip(dtypes, moving, strict=True)
    ]
    dtype = node.spec.dtype
    stmt = Stmt(node.op.name, tuple(range(count)), node.params, dtype.name)
    out = Operand(dtype.name, STRIDE_ONE, "out")
    text = intern(KernelText("map", 1, 0, (*reads, out), (stmt,), ((count + 1, count),), is_draft=True))
    moved = dtype.itemsize + sum([d.itemsize for d, moves in zip(dtypes, moving, strict=True) if moves])
    strides = [d.itemsize if moves or single else 0 for d, moves in zip(dtypes, moving, strict=True)]
    return Template(text, element_ps([node.op.name], moved), (*strides, dtype.itemsize))
