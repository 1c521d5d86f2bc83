"""Operators with kernels of their own, by their names (``_LOWER``): concatenation, scans, sorting, writes."""

from __future__ import annotations

from math import prod

from nbgrad.graph.dtypes import int64
from nbgrad.graph.geometry import add_terms, affine
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.tape.append import append
from nbgrad.tape.block import ARENA, Ref
from nbgrad.tape.build import Argument, TapeBuilder
from nbgrad.tape.fourier import lower_fourier
from nbgrad.tape.kernel import SCANS
from nbgrad.tape.lapack import lower_lapack
from nbgrad.tape.lapack_words import LAYOUTS
from nbgrad.tape.library_product import lower_library_product
from nbgrad.tape.loop import Access, Loop, row_major
from nbgrad.tape.native import lower_native
from nbgrad.tape.operands import contiguous, copy, overwritten, ref_of
from nbgrad.tape.pieces import cat_places
from nbgrad.tape.product import lower_product
from nbgrad.tape.scatter_rows import lower_scatter_rows
from nbgrad.tape.special import lower_special
from nbgrad.tape.work import PS_PER_SERIAL_BYTE, PS_PER_SORTED_BYTE, chunk_items


def lower_library(t: TapeBuilder, node: Node) -> None:
    """Append the instructions of one library operator."""
    _LOWER[node.op.name](t, node)


def _cat(t: TapeBuilder, node: Node) -> None:
    """Copies of the inputs that were not made in their places."""
    block = t.memory.get(node) or t.value_block(node)
    for x, offset in cat_places(node):
        if x not in t.pieces:
            copy(t, x, Ref(block, offset, (), row_major(node.spec), is_part=True), (node,))


def _put_slice(t: TapeBuilder, node: Node) -> None:
    x, w, start = node.inputs
    block = overwritten(t, node, x)
    dim, _, step = node.params
    strides = row_major(node.spec)
    found = affine(start)
    assert found is not None, "canonicalize leaves only affine starts"
    first, terms = found
    along = strides[dim]
    places: Shape = (*strides[:dim], along * step, *strides[dim + 1 :])
    copy(t, w, Ref(block, first * along, add_terms((), terms, along), places), (node,))


def _scan(t: TapeBuilder, node: Node) -> None:
    dim, backwards = node.params
    x, links = node.inputs[-1], node.inputs[:-1]
    source = contiguous(t, x, "a scan")
    factors = [contiguous(t, a, "a scan") if a.spec.size else source for a in links]  # none: nothing is read there
    shape, dtype = node.spec.shape, node.spec.dtype
    length, inner, items = shape[dim], prod(shape[dim + 1 :]), prod(shape[:dim])
    out = Argument(t.value_block(node).start, dtype, writes=True)
    arguments = [Argument(source, dtype), out, *[Argument(factor, dtype) for factor in factors]]
    cost = length * inner * len(arguments) * dtype.itemsize * PS_PER_SERIAL_BYTE + 1
    head = [length, inner, int(backwards)]
    t.library(node.op.name, node, head, arguments, items, cost, chunk_items(items, cost))


def _order(t: TapeBuilder, node: Node) -> None:
    (keys,) = node.inputs
    source = contiguous(t, keys, "sorting")
    length, kept = keys.spec.shape[-1], node.spec.shape[-1]
    items, dtype = prod(node.spec.shape[:-1]), keys.spec.dtype
    block, scratch = t.value_block(node), t.temporary(2 * items * length * node.spec.dtype.itemsize, ARENA)
    outs = [Argument(made.start, int64, writes=True) for made in (block, scratch)]
    cost = length * dtype.itemsize * (PS_PER_SORTED_BYTE if 2 * kept > length else PS_PER_SERIAL_BYTE) + 1
    t.library("order", node, [length, kept], [Argument(source, dtype), *outs], items, cost, 1)


def _pad(t: TapeBuilder, node: Node) -> None:
    x, fill = node.inputs
    (around,) = node.params
    block, strides = t.value_block(node), row_major(node.spec)
    copy(t, apply("expand", fill, params=(node.spec.shape,)), Ref(block, 0, (), strides), (node,))
    offset = sum([low * s for (low, _), s in zip(around, strides, strict=True)])
    copy(t, x, Ref(block, offset, (), strides), (node,))


def _overlap_add(t: TapeBuilder, node: Node) -> None:
    """One instruction for each place of the windows, so that sums have one order; plain copies where none meet."""
    (parts,) = node.inputs
    dim, n, step, dilation = node.params
    *shape, size = parts.spec.shape
    ref = ref_of(t, parts, parts.spec.rank)
    if ref.block is None:
        ref = contiguous(t, parts, "a sum of windows")
    block, strides, dtype = t.value_block(node), row_major(node.spec), node.spec.dtype
    apart = step >= size and dilation == 1
    if not (apart and shape[dim] * size == n):
        copy(t, zeros_of(node.spec), Ref(block, 0, (), strides), (node,))
    places = (*strides[:dim], strides[dim] * step, *strides[dim + 1 :])
    for k in range(size) if parts.spec.size else ():
        loop = Loop(tuple(shape), (), (node,))
        to = Ref(block, k * dilation * strides[dim], (), places, is_part=apart)
        part = ref._replace(offset=ref.offset + k * ref.strides[-1], strides=ref.strides[:-1])
        value = loop.read(Access(dtype, "in", part))
        loop.write(value if apart else loop.add(loop.read(Access(dtype, "in", to)), value, dtype), dtype, to)
        append(t, loop)


def _scatter(t: TapeBuilder, node: Node) -> None:
    form = node.op.name if not node.params else "scatter_max" if node.params[0] else "scatter_min"
    x, index, values = node.inputs
    places, sources = contiguous(t, index, "a scatter"), contiguous(t, values, "a scatter")
    block = overwritten(t, node, x)
    dtype, n = node.spec.dtype, index.spec.size
    out = Argument(block.start, dtype, [node.spec.size], writes=True)
    cost = n * (2 * dtype.itemsize + 8) * PS_PER_SERIAL_BYTE + 1
    t.library(form, node, [n], [out, Argument(places, int64, [n]), Argument(sources, dtype, [n])], 1, cost, 1)


def _scatter_recurrence(t: TapeBuilder, node: Node) -> None:
    """In one block what the elements became, and behind it what was before each value."""
    x, index, factors, added = node.inputs
    places, *sources = [contiguous(t, each, "a scatter") for each in (index, factors, added)]
    block, dtype, length, n = t.value_block(node), node.spec.dtype, x.spec.size, index.spec.size
    copy(t, x, Ref(block, 0, (), row_major(x.spec)), (node,))
    arguments = [
        Argument(block.start, dtype, [length], writes=True),
        Argument(places, int64, [n]),
        Argument(sources[0], dtype, [n]),
        Argument(sources[1], dtype),
        Argument(Ref(block, length * dtype.itemsize, (), row_major(index.spec)), dtype, writes=True),
    ]
    cost = n * (4 * dtype.itemsize + 8) * PS_PER_SERIAL_BYTE + 1
    t.library(node.op.name, node, [n], arguments, 1, cost, 1)


_LOWER = {
    "library_matmul": lower_library_product,
    "matmul": lower_product,
    "matmul_sum": lower_product,
    **dict.fromkeys(LAYOUTS, lower_lapack),
    "cat": _cat,
    "fourier": lower_fourier,
    **dict.fromkeys(SCANS, _scan),
    "native": lower_native,
    "order": _order,
    "overlap_add": _overlap_add,
    "pad": _pad,
    "put_slice": _put_slice,
    **dict.fromkeys(("scatter_add", "scatter_extreme", "scatter_product", "scatter_put"), _scatter),
    "scatter_recurrence": _scatter_recurrence,
    "scatter_rows": lower_scatter_rows,
    "special": lower_special,
}
