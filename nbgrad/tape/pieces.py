"""Values that are written where a concatenation or a rearranged copy wants them, so that nothing is copied there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from nbgrad.graph.geometry import reshaped_strides
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import MAP
from nbgrad.graph.spec import Shape, contiguous_strides
from nbgrad.ops.product_sum import product_sum
from nbgrad.passes.group import Group
from nbgrad.tape.build import Piece, TapeBuilder
from nbgrad.tape.loop import row_major

LEAST_RUN: Final = 64  # elements in a row: a loop over shorter rows loses more than a copy costs
LEAST_ROW: Final = 16  # elements of a product's row that follow each other: fewer would fill cache lines bit by bit


def find_pieces(t: TapeBuilder, roots: Sequence[Node], groups: Sequence[Group]) -> None:
    """Enter in ``t.pieces`` the places of values that one ``cat`` reads, and nobody else, and those of products that
    one reshape or ``cat`` would copy.

    Heads of an attention are such products: transposed and joined to one row, or joined with those of other products.
    """
    firsts = [group.nodes[0] for group in groups]
    wholes = [node for node in firsts if node.op.name == "cat"]
    products = [node for node in firsts if product_sum(node) is not None]
    if not wholes and not products:
        return
    order = toposort(roots)
    readers = Counter([x for node in order for x in node.inputs])
    readers.update(roots)
    written = {node for group in groups for node in group.stores if node.op.kind is MAP and node not in group.finish}
    for whole in wholes:
        for x, offset in cat_places(whole):
            is_long = prod(x.spec.shape[whole.params[0] :]) >= LEAST_RUN
            if is_long and readers[x] == 1 and x in written:
                t.pieces[x] = Piece(whole, offset)
            elif (made := _column(x)) in written and readers[x] == readers[made] == 1 and x.spec.size >= LEAST_RUN:
                strides = row_major(whole.spec)[:-1]
                t.pieces[made] = t.pieces[x] = Piece(whole, offset, strides)
    reader = {x: node for node in order for x in node.inputs}
    for node in products:
        if node not in t.outputs and node.spec.shape[-1] >= LEAST_ROW:
            _place_product(t, node, readers, reader)


def _column(x: Node) -> Node | None:
    """What ``x`` shows as columns of one element, as complex numbers put their parts side by side."""
    if x.op.name != "reshape" or x.spec.shape[-1:] != (1,) or x.inputs[0].spec.shape != x.spec.shape[:-1]:
        return None
    return x.inputs[0]


def cat_places(node: Node) -> Iterator[tuple[Node, int]]:
    """The inputs of a ``cat`` and the bytes from its start to theirs."""
    dim, offset = node.params[0], 0
    for x in node.inputs:
        yield x, offset
        offset += x.spec.shape[dim] * row_major(node.spec)[dim]


def _place_product(t: TapeBuilder, node: Node, readers: Counter[Node], reader: dict[Node, Node]) -> None:
    """Follow the views of ``node`` to the last that needs a copy, or to the ``cat`` that reads them."""
    chain = [node]
    copied = 0
    while readers[chain[-1]] == 1 and chain[-1] in reader and reader[chain[-1]].op.name in ("permute", "reshape"):
        chain.append(reader[chain[-1]])
        if t.geometry(chain[-1]).base is chain[-1]:
            copied = len(chain)
    top = chain[-1]
    whole = reader.get(top) if readers[top] == 1 else None
    if whole is not None and whole.op.name == "cat":
        [offset] = [at for x, at in cat_places(whole) if x is top]
        strides = _strides(chain, contiguous_strides(whole.spec.shape))
        if strides is not None:
            t.pieces[node] = t.pieces[top] = Piece(whole, offset, strides)
            return
    if copied:
        whole = chain[copied - 1]
        strides = _strides(chain[:copied], contiguous_strides(whole.spec.shape))
        if strides is not None:
            t.pieces[node] = Piece(whole, 0, strides)


def _strides(chain: Sequence[Node], strides: Shape) -> Shape | None:
    """Bytes between the elements of ``chain[0]`` where those of its last view have ``strides``; None where the elements
    of a row would not follow each other.
    """
    for x, view in zip(chain[-2::-1], chain[:0:-1], strict=True):
        if view.op.name == "permute":
            moved = dict(zip(view.params[0], strides, strict=True))
            strides = tuple([moved[d] for d in range(x.spec.rank)])
        else:
            found = reshaped_strides(view.spec.shape, strides, x.spec.shape)
            if found is None:
                return None
            strides = found
    return tuple([s * chain[0].spec.dtype.itemsize for s in strides]) if strides[-1] == 1 else None
