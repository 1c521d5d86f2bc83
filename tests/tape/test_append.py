from __future__ import annotations

import pytest

from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.ops.view import reshape_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.group import one_by_one
from nbgrad.tape.kernel import ROOMY
from nbgrad.tape.lower import lower


@pytest.mark.parametrize(
    ("shape", "gpu", "sizes"),
    [
        ((64, 2), False, [2, 64]),
        ((3, 64, 7), False, [7, 192]),
        ((64, 8), False, [64, 8]),
        ((8, 2), False, [8, 2]),
        ((64, 2), True, [64, 2]),
    ],
)
def test_lanes_go_along_the_dim_before_the_last_where_rows_are_short(
    shape: tuple[int, ...], gpu: bool, sizes: list[int]
) -> None:
    x = input_node(0, Spec.of(shape[:-1], float32))
    repeated = apply("copy", apply("expand", reshape_to(x, (*shape[:-1], 1)), params=(shape,)))
    graph = canonicalize([repeated])
    tape = lower(graph, one_by_one(graph), padded=False, gpu=gpu)
    [instruction] = tape.instructions
    assert list(tape.words[instruction.at :][: len(sizes)]) == sizes


@pytest.mark.parametrize(
    ("columns", "name", "padded", "gpu", "is_roomy"),
    [
        (64, "tanh", False, False, True),
        (63, "tanh", False, False, False),
        (64, "neg", False, False, False),
        (64, "tanh", True, False, False),
        (64, "tanh", False, True, False),
    ],
)
def test_maps_of_functions_know_of_long_rows(columns: int, name: str, padded: bool, gpu: bool, is_roomy: bool) -> None:
    x = input_node(0, Spec.of((5, columns), float32))
    row = input_node(1, Spec.of((columns,), float32))
    total = apply("add", x, apply("expand", row, params=((5, columns),)))
    graph = canonicalize([apply(name, total)])
    tape = lower(graph, one_by_one(graph) if padded else fuse(graph), padded=padded, gpu=gpu)
    assert [ROOMY in i.text.traits for i in tape.instructions] == [is_roomy] * len(tape.instructions)
