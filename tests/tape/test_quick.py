"""The short road writes what the general road would."""

from __future__ import annotations

import pytest

from nbgrad.graph.dtypes import float32, int8, int64, uint8
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.source import iota_node
from nbgrad.ops.view import slice_at
from nbgrad.passes.group import Group
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.operands import lower_loop
from nbgrad.tape.quick import lower_map
from tests.passes.build import expanded, number, permuted, reshaped, start, value


def plain() -> dict[str, Node]:
    x, y = value(4, 5), value(4, 5, at=1)
    s = apply("cast", number(), params=("float32",))
    return {
        "two arrays": x + y,
        "an array and a constant": x * 2.0,
        "an array and a number": x * apply("scalar", params=(0, float32)),
        "a repeated number": x + expanded(value(at=2), 4, 5),
        "a reshaped array": apply("tanh", reshaped(x, 20)),
        "rows of an array": apply("tanh", slice_at(x, 1, 0, 2)),
        "a single element": apply("tanh", value(1, 1)),
        "a 0-d value": apply("tanh", value()),
        "a conversion": s,
        "many elements": apply("exp", value(300, 400)),
        "a choice": apply("where", apply("gt", x, y), x, const(0.0, float32)).inputs[0],
    }


@pytest.mark.parametrize("name", list(plain()))
def test_both_roads_write_the_same_instruction(name: str) -> None:
    node = plain()[name]
    short, general = TapeBuilder(padded=True), TapeBuilder(padded=True)
    assert lower_map(short, node)
    lower_loop(general, Group((node,), (node,), node.spec.shape, ()))
    (a,), (b,) = short.instructions, general.instructions
    assert (a.text, a.items, a.chunk, a.flags) == (b.text, b.items, b.chunk, b.flags)
    if node.spec.size > 1:  # the strides of a single element are read by nobody
        assert a == b
        assert short.words == general.words
    assert [(w, b.slot, b.nbytes, o) for w, b, o in short.relocs] == [
        (w, b.slot, b.nbytes, o) for w, b, o in general.relocs
    ]
    assert (short.const_words, short.consts, short.scalars) == (general.const_words, general.consts, general.scalars)


def test_dtypes_of_one_size_have_kernels_of_their_own() -> None:
    texts = []
    for dtype in (uint8, int8):
        t = TapeBuilder(padded=True)
        assert lower_map(t, apply("cast", value(3, dtype=dtype), params=("int16",)))
        texts.append(t.instructions[0].text)
    assert [text.operands[0].dtype for text in texts] == ["uint8", "int8"]


def test_other_operands_are_left_to_the_general_road() -> None:
    x = value(4, 5)
    for node in (
        apply("tanh", permuted(x, 1, 0)),
        x + expanded(value(5, at=1), 4, 5),
        apply("tanh", slice_at(x, 3, 0, 4, -1)),
        apply("tanh", apply("slice", x, start(), params=(0, 2, 1))),
        apply("neg", iota_node((4,), 0)),
        apply("tanh", reshaped(permuted(x, 1, 0), 20)),
        apply("take", value(9), value(3, at=1, dtype=int64)),
    ):
        t = TapeBuilder(padded=True)
        assert not lower_map(t, node)
        assert not t.instructions
        assert not t.words
