"""Those who take part in the table of convolutions compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from bench import onednn
from bench.convolutions import Layer, by_columns

LAYERS = pytest.mark.parametrize(
    "layer",
    [Layer("plain", 2, 3, 9, 8, 3, padding=1), Layer("stride 2", 2, 8, 8, 16, 3, 2, 1)],
    ids=lambda layer: layer.name,
)


def arrays(layer: Layer) -> list[Any]:
    """Input, filters and the result's cotangent."""
    x, w = (layer.batch, layer.channels, layer.size, layer.size), (layer.filters, layer.channels, *[layer.kernel] * 2)
    shapes = x, w, onednn.Window(x, w, layer.stride, layer.padding).y
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def results(layer: Layer, x: Any, w: Any, g: Any) -> list[Any]:
    """nbgrad's result and gradients."""
    x, w = nb.tensor(x, requires_grad=True), nb.tensor(w, requires_grad=True)
    y = nb.nn.functional.conv2d(x, w, None, layer.stride, layer.padding)
    return [t.detach().numpy() for t in (y, *nb.autograd.grad(y, (x, w), nb.tensor(g)))]


@LAYERS
def test_a_product_of_columns_is_the_convolution(layer: Layer) -> None:
    x, w, g = arrays(layer)
    np.testing.assert_allclose(by_columns(layer, x, w), results(layer, x, w, g)[0], rtol=0, atol=1e-4)


@pytest.mark.skipif(bool(onednn.why_absent()), reason=onednn.why_absent() or "is installed")
@LAYERS
def test_onednn_gives_the_same_results_and_gradients(layer: Layer) -> None:
    x, w, g = arrays(layer)
    convolution = onednn.Convolution(onednn.Window(x.shape, w.shape, layer.stride, layer.padding), x, w, g)
    convolution.step(gradients=True, moves=True)()
    for theirs, ours in zip(convolution.results, results(layer, x, w, g), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-3)
