"""Where a kernel finds its operands: through views where strides express them, in copies where not."""

from __future__ import annotations

from nbgrad.graph.geometry import is_contiguous
from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE, VIEW
from nbgrad.graph.spec import Shape
from nbgrad.passes.group import PLACED, Group
from nbgrad.tape.append import append
from nbgrad.tape.block import ARENA, Block, Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.loop import Access, Loop, row_major


def lower_loop(t: TapeBuilder, group: Group) -> None:
    """Append the kernel of a group of maps and reductions."""
    loop = Loop(group.shape, group.dims, group.nodes)
    stored = set(group.stores)
    codes, shape = loop.codes, loop.shape
    for node in group.nodes:
        if node.op.name in PLACED:
            args = [
                codes[x] if x in codes and not reads_memory(node, i) else loop.read(access_of(t, node, i, shape))
                for i, x in enumerate(node.inputs)
            ]
        else:
            args = [codes[x] if x in codes else loop.read(element(t, x, shape)) for x in node.inputs]
        if node.op.kind is REDUCE:
            loop.fold(node, args, node in stored)
        else:
            loop.compute(node, args)
    for node in group.stores:
        if node in codes:
            loop.write(codes[node], node.spec.dtype, t.place(node))
    append(t, loop)


def along(kept: Shape, shape: Shape, strides: Shape) -> Shape:
    """``strides`` over ``shape`` as strides over ``kept``, which differs in dims of 1 element, or from a 0-d shape."""
    if not shape:
        return (0,) * len(kept)
    moving = iter([s for n, s in zip(shape, strides, strict=True) if n > 1])
    return tuple([next(moving) if n > 1 else 0 for n in kept])


def reads_memory(node: Node, i: int) -> bool:
    """Whether ``node`` finds its input ``i`` in memory, also where its loop computes it."""
    return i == 0 and node.op.name in PLACED


def access_of(t: TapeBuilder, node: Node, i: int, shape: Shape) -> Access:
    """How a loop over ``shape`` reads input ``i`` of ``node``."""
    x = node.inputs[i]
    if not reads_memory(node, i):
        return element(t, x, shape)
    if node.op.name == "guard":
        return element(t, x, shape)._replace(role="guarded")
    return Access(x.spec.dtype, "table", contiguous(t, x, "a table")._replace(strides=(x.spec.size,)))


def element(t: TapeBuilder, x: Node, shape: Shape) -> Access:
    """How a loop over ``shape`` reads the elements of ``x``: from memory, or as an index ramp."""
    ref = ref_of(t, x, len(shape))
    return Access(x.spec.dtype, "index" if ref.block is None else "in", ref)


def copy(t: TapeBuilder, x: Node, to: Ref, nodes: tuple[Node, ...]) -> None:
    """Append a kernel that writes the elements of ``x`` to ``to`` (strides over x's shape)."""
    if x.spec.size:
        loop = Loop(x.spec.shape, (), nodes)
        loop.write(loop.read(element(t, x, x.spec.shape)), x.spec.dtype, to)
        append(t, loop)


def ref_of(t: TapeBuilder, x: Node, rank: int) -> Ref:
    """Where the elements of ``x`` lie, in bytes; a 0-d value does not move along any of the ``rank`` dims."""
    if x.op.kind is not VIEW and x.spec.shape:
        block = t.source(x)[0] if x.op.name == "input" else t.memory.get(x)
        if block is not None:
            return Ref(block, 0, (), row_major(x.spec))
    g = t.geometry(x)
    place, start = _place_of(t, g.base)
    unit = 1 if place is None else x.spec.dtype.itemsize
    strides = tuple([s * unit for s in g.strides]) if x.spec.shape else (0,) * rank
    terms = tuple([(p, c * unit) for p, c in g.terms]) if g.terms else ()
    return Ref(place, start + g.offset * unit, terms, strides)


def _place_of(t: TapeBuilder, base: Node) -> tuple[Block | None, int]:
    """(block, byte offset) of a base's memory. A reshape that strides cannot express is copied here."""
    block = t.memory.get(base)
    if block is not None:
        return block, 0
    if base.op.kind is not VIEW:
        return t.source(base)
    x = base.inputs[0]
    t.notes.append(f"copied {x.spec} for a reshape to {base.spec}: no strides give that order")
    block = t.memory[base] = copied(t, x, (base,))
    return block, 0


def contiguous(t: TapeBuilder, x: Node, why: str) -> Ref:
    """Memory where the elements of ``x`` follow each other: its own, or that of a copy, which is noted."""
    ref = ref_of(t, x, x.spec.rank)
    if ref.block is not None and is_contiguous(x.spec.shape, t.geometry(x).strides):
        return ref
    return copy_for(t, x, why, "its elements do not follow each other")


def copy_for(t: TapeBuilder, x: Node, what: str, why: str) -> Ref:
    """The elements of ``x`` in memory of their own, where they follow each other; who asks and why is noted."""
    block = t.copies.get(x)
    if block is None:
        t.notes.append(f"copied {x.spec} for {what}: {why}")
        block = t.copies[x] = copied(t, x, (x,))
    return Ref(block, 0, (), row_major(x.spec))


def copied(t: TapeBuilder, x: Node, nodes: tuple[Node, ...]) -> Block:
    """New memory with the elements of ``x`` in row-major order."""
    return copied_to(t, x, row_major(x.spec), x.spec.size_bytes, nodes)


def copied_to(t: TapeBuilder, x: Node, strides: Shape, nbytes: int, nodes: tuple[Node, ...]) -> Block:
    """New memory of ``nbytes`` with the elements of ``x``, which lie by ``strides``, in bytes."""
    loop = Loop(x.spec.shape, (), nodes)
    code = loop.read(element(t, x, x.spec.shape))  # may copy, too, so it comes before the new memory is born
    block = t.temporary(nbytes, ARENA)
    loop.write(code, x.spec.dtype, Ref(block, 0, (), strides))
    append(t, loop)
    return block


def overwritten(t: TapeBuilder, node: Node, x: Node) -> Block:
    """Memory with the elements of ``x`` that ``node`` may write into: x's own, if nobody else reads that any more."""
    g = t.geometry(x)
    block = t.memory.get(g.base)
    if block is not None and block.slot == ARENA and node not in t.outputs and t.last_reader.get(g.base) is node:
        whole = g.is_whole and g.base.spec.size == x.spec.size and is_contiguous(x.spec.shape, g.strides)
        if whole and sum([t.geometry(y).base is g.base for y in node.inputs]) == 1:  # x itself may also be what is put
            t.memory[node] = block
            return block
    block = t.value_block(node)
    copy(t, x, Ref(block, 0, (), row_major(x.spec)), (node,))
    return block
