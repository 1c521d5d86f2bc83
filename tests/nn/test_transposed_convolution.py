from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb

nn = nb.nn


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.ConvTranspose1d(2, 3, 3, 2, 1, 1), nb.randn(4, 2, 5)),
        (nn.ConvTranspose2d(4, 6, (3, 2), stride=2, groups=2, dilation=(1, 2)), nb.randn(2, 4, 3, 4)),
        (nn.ConvTranspose3d(1, 2, 2, bias=False), nb.randn(2, 1, 2, 3, 2)),
    ],
)
def test_a_transposed_convolution_is_its_function(layer: nn.Module, x: nb.Tensor) -> None:
    function = getattr(nn.functional, f"conv_transpose{x.dim() - 2}d")
    options = (layer.stride, layer.padding, layer.output_padding, layer.groups, layer.dilation)
    np.testing.assert_array_equal(
        layer(x).detach().numpy(), function(x, layer.weight, layer.bias, *options).detach().numpy()
    )


def test_it_gives_back_the_shapes_that_a_convolution_took() -> None:
    down, up = nn.Conv2d(3, 5, 3, stride=2, padding=1), nn.ConvTranspose2d(5, 3, 3, stride=2, padding=1)
    for sizes in ((7, 8), (8, 7)):
        x = nb.randn(2, 3, *sizes)
        assert up(down(x), x.shape).shape == x.shape
    assert up(nb.zeros(2, 5, 4, 4)).shape == (2, 3, 7, 7)
    with pytest.raises(ValueError, match="valid sizes"):
        up(nb.zeros(2, 5, 4, 4), (9, 7))


def test_it_is_the_derivative_of_the_convolution() -> None:
    x, w = nb.randn(2, 3, 6, 5, dtype=nb.float64, requires_grad=True), nb.randn(4, 3, 3, 2, dtype=nb.float64)
    y = nn.functional.conv2d(x, w, stride=2, padding=1)
    g = nb.randn(*y.shape, dtype=nb.float64)
    (want,) = nb.autograd.grad(y, x, g)
    got = nn.functional.conv_transpose2d(g, w, stride=2, padding=1, output_padding=(1, 1))
    assert got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12, atol=1e-12)


def test_its_parameters_print_and_cannot_be_anything() -> None:
    layer = nn.ConvTranspose2d(4, 6, 3, groups=2, output_padding=1, stride=2)
    assert layer.weight.shape == (4, 3, 3, 3) and layer.bias.shape == (6,)
    assert repr(layer) == ("ConvTranspose2d(4, 6, kernel_size=(3, 3), stride=(2, 2), output_padding=(1, 1), groups=2)")
    for mistake in ({"padding_mode": "circular"}, {"groups": 3}, {"groups": 0}):
        with pytest.raises(ValueError, match=r"padding|groups"):
            nn.ConvTranspose2d(4, 6, 3, **mistake)
