"""What a convolution keeps for its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import float32
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, toposort
from nbgrad.graph.spec import Shape, Spec
from nbgrad.ops import convolution
from nbgrad.ops.convolution import SUM_LENGTH, sum_parts
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.transform.vjp import vjp
from tests.compiled import run_plan
from tests.samples import f32

SHAPES = ((2, 3, 9, 9), (4, 3, 3, 3))
PARAMS = ((1, 1), ((0, 0), (0, 0)), (1, 1), 1)


def roots() -> list[Node]:
    """A convolution and both of its derivatives, for a cotangent that depends on it."""
    x, w = [input_node(i, Spec.of(shape, float32)) for i, shape in enumerate(SHAPES)]
    y = apply("convolution", x, w, params=PARAMS)
    grads = vjp([y], [apply("tanh", y)], [x, w])
    assert all(grad is not None for grad in grads)
    return [y, *[grad for grad in grads if grad is not None]]


def copies(graph: list[Node]) -> list[str]:
    """The copies of windows, as (channels, window, batch, places)."""
    columns = (3, 3, 3, 2, 7, 7)
    return [n.op.name for n in toposort(graph) if n.op.name in ("copy", "after") and n.spec.shape == columns]


def test_small_columns_are_made_once_for_all_products() -> None:
    assert copies(optimise(canonicalize(roots()))) == ["copy"]


def test_large_columns_are_made_again_once_the_cotangent_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "KEPT_BYTES", 100)
    graph = optimise(canonicalize(roots()))
    assert sorted(copies(graph)) == ["after", "copy"]
    made = [{n.op.name for n in group.nodes} & {"copy", "after"} for group in grouped(graph)]
    assert {"copy", "after"} not in made, "one loop would make both at once and keep one"


def test_the_bits_do_not_depend_on_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [f32(*shape, seed=i) for i, shape in enumerate(SHAPES)]
    kept = run_plan(roots(), inputs, [])
    monkeypatch.setattr(convolution, "KEPT_BYTES", 100)
    for a, b in zip(kept, run_plan(roots(), inputs, []), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("batch", "length", "parts"), [(64, 6400, 8), (6, 6000, 6), (7, 7000, 7), (11, 9999, 1)])
def test_long_sums_are_cut_into_parts_of_whole_images(batch: int, length: int, parts: int) -> None:
    assert sum_parts(batch, length) == parts
    assert sum_parts(batch, SUM_LENGTH - 1) == 1


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups", "mirrors"),
    [
        ((1, 1), ((1, 1), (0, 2)), (1, 1), 1, True),
        ((1, 1), ((2, 1), (2, 2)), (2, 1), 1, True),
        ((1, 1), ((0, 0), (1, 1)), (1, 2), 2, True),
        ((2, 1), ((1, 1), (1, 1)), (1, 1), 1, False),
        ((1, 1), ((3, 0), (0, 0)), (1, 1), 1, False),
    ],
)
def test_large_layers_have_products_for_each_image_and_the_same_values(
    monkeypatch: pytest.MonkeyPatch, stride: Shape, padding: Any, dilation: Shape, groups: int, mirrors: bool
) -> None:
    arrays = [f32(3, 4, 8, 9, seed=0), f32(6, 4 // groups, 3, 3, seed=1)]
    params = (stride, padding, dilation, groups)

    def gradients() -> list[Node]:
        x, w = [input_node(i, Spec.of(a.shape, float32)) for i, a in enumerate(arrays)]
        y = apply("convolution", x, w, params=params)
        return [y, *[grad for grad in vjp([y], [apply("tanh", y)], [x, w]) if grad is not None]]

    small = gradients()
    want = interpret(small, arrays)
    for name in ("COLLECTED_ROWS", "COLLECTED_BYTES", "IMAGE_PLACES"):
        monkeypatch.setattr(convolution, name, 1)
    monkeypatch.setattr(convolution, "MIRRORED_PLACES", 9.0)
    large = gradients()
    assert sum(n.op.name == "convolution" for n in toposort(large)) == 1 + mirrors
    for got in (interpret(canonicalize(large), arrays), run_plan(large, arrays, [])):
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-4)
