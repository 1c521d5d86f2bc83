"""A matrix product that a device's library multiplies: an instruction without code of ours, see
``nbgrad/ops/library_product.py``."""

from __future__ import annotations

from math import gcd, prod
from typing import Final

from nbgrad.graph.node import Node
from nbgrad.tape.block import Ref
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.descriptor import collapse
from nbgrad.tape.kernel import LIBRARY_PRODUCT, STRIDE_ONE, KernelText, Operand
from nbgrad.tape.operands import contiguous, copy_for, ref_of
from nbgrad.tape.work import PS_PER_FLOP

# Words: these, batch sizes[rank], then for a, b and c: bytes from row to row, address, batch strides[rank] in bytes.
# Elements of a row follow each other; a is (k, m) where flip_a is 1, b (n, k) where flip_b is 1.
LIBRARY_WORDS: Final = ("m", "n", "k", "flip_a", "flip_b")
_WHO: Final = "a library's matrix product"  # what copies are noted for
LARGEST_READ: Final = 16  # bytes that kernels of a library read at once, where addresses allow it


def lower_library_product(t: TapeBuilder, node: Node) -> None:
    """Append the instruction of ``node``, whose factors are copied where a library could not read them."""
    a, b = node.inputs
    left, right = _factor(t, a), _factor(t, b)
    to = t.place(node)
    *batch, m, n = node.spec.shape
    k = a.spec.shape[-2 if node.params[0] else -1]
    refs = [left, right, to]
    sizes, rows = collapse(batch, [ref.strides[:-2] for ref in refs])
    t.words += [m, n, k, *[int(flip) for flip in node.params], *sizes]
    for ref, row in zip(refs, rows, strict=True):
        t.words.append(ref.strides[-2])
        t.push_ref(ref, row, ref is to)
    dtype = node.spec.dtype.name
    operands = tuple([Operand(dtype, STRIDE_ONE, role) for role in ("in", "in", "out")])
    cost = 2 * prod(batch) * m * n * k * PS_PER_FLOP[dtype] + 1
    t.call(KernelText(LIBRARY_PRODUCT, len(sizes), 0, operands), 1, cost, node)


def alignment_of(columns: int, itemsize: int) -> int:
    """What the address of every row is divisible by, of whole matrices that begin where any can be read from."""
    return gcd(LARGEST_READ, columns * itemsize)


def _factor(t: TapeBuilder, x: Node) -> Ref:
    """Where ``x`` lies, or a copy: row by row, no row over another, none at an address that a copy's would not have.

    So a library is told the same whether other views of the value were moved or not. A slice that begins where a run
    says is copied, too: it would be told another address in each run, and a graph knows one.
    """
    ref = ref_of(t, x, x.spec.rank)
    *_, rows, columns = x.spec.shape
    size = x.spec.dtype.itemsize
    *batch, row, column = ref.strides
    row = columns * size if rows == 1 else row
    steps = [row, ref.offset, *batch]
    is_apart = row >= columns * size and (columns == 1 or column == size) and all(step >= 0 for step in batch)
    if ref.terms:
        return copy_for(t, x, _WHO, "where it begins is known when it runs")
    if ref.block is None or not is_apart or any(step % alignment_of(columns, size) for step in steps):
        return contiguous(t, x, _WHO)
    return ref._replace(strides=(*batch, row, size))
