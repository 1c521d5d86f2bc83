from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override

nn = nb.nn


def test_a_convolution_has_a_filter_for_each_output_channel() -> None:
    layer = nn.Conv2d(4, 6, (3, 2), groups=2)
    assert layer.weight.shape == (6, 2, 3, 2)
    assert layer.bias.shape == (6,)
    assert layer(nb.zeros(5, 4, 8, 8)).shape == (5, 6, 6, 7)


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.Conv1d(2, 3, 3, stride=2, padding=1), nb.randn(4, 2, 9)),
        (nn.Conv2d(2, 3, 3, stride=(1, 2), dilation=2), nb.randn(4, 2, 9, 8)),
        (nn.Conv3d(1, 2, 2), nb.randn(2, 1, 3, 4, 3)),
    ],
)
def test_a_convolution_is_its_function(layer: nn.Module, x: nb.Tensor) -> None:
    function = getattr(nn.functional, type(layer).__name__.lower())
    expected = function(x, layer.weight, layer.bias, layer.stride, layer.padding, layer.dilation, layer.groups)
    np.testing.assert_array_equal(layer(x).detach().numpy(), expected.detach().numpy())


def test_large_layers_have_the_same_bits_in_the_baseline_tier_unfused_and_fused() -> None:
    rng = np.random.default_rng(0)
    shapes = (3, 32, 20, 22), (40, 32, 3, 3), (32, 40, 3, 3), (33, 32, 1, 1)
    arrays = [rng.standard_normal(shape).astype("f") for shape in shapes]

    def gradients(calls: int, **switches: object) -> list[bytes]:
        with override(**switches):
            for _ in range(calls):
                x, *weights = [nb.tensor(a, requires_grad=True) for a in arrays]
                y = nn.functional.conv2d(x, weights[0], padding=1).relu()
                y = nn.functional.conv2d(y, weights[1], stride=2, padding=1).relu()
                nn.functional.conv2d(y, weights[2]).sin().mean().backward()
            return [t.grad.numpy().tobytes() for t in (x, *weights)]

    first = gradients(1)
    assert gradients(3, compile="eager") == first
    assert gradients(3, compile="eager", num_threads=1) == first
    assert gradients(3, compile="never") == first


def test_a_convolution_starts_within_one_over_the_root_of_its_fan_in() -> None:
    nb.manual_seed(0)
    layer = nn.Conv2d(4, 32, 5)
    for p in (layer.weight, layer.bias):
        values = p.detach().numpy()
        assert np.abs(values).max() <= 0.1
        assert values.std() > 0.045  # uniform in +-0.1 has deviation 0.058


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_other_paddings_go_on_with_the_input(mode: str) -> None:
    layer = nn.Conv2d(1, 1, 3, padding=1, padding_mode=mode)
    x = nb.randn(1, 1, 4, 5)
    by_hand = nn.functional.conv2d(nn.functional.pad(x, (1, 1, 1, 1), mode=mode), layer.weight, layer.bias)
    np.testing.assert_allclose(layer(x).detach().numpy(), by_hand.detach().numpy(), rtol=1e-6)
    same = nn.Conv2d(1, 1, 3, padding="same", padding_mode=mode)
    assert same(x).shape == x.shape


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 0}, "groups must be a positive integer"),
        ({"groups": 3}, "in_channels must be divisible by groups"),
        ({"padding": "full"}, "Invalid padding string"),
        ({"padding_mode": "mirror"}, "padding_mode must be one of"),
        ({"padding": "same", "stride": 2}, "not supported for strided convolutions"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nn.Conv2d(4, 4, 3, **options)


def test_convolutions_print_their_arguments() -> None:
    assert repr(nn.Conv2d(2, 3, 3)) == "Conv2d(2, 3, kernel_size=(3, 3), stride=(1, 1))"
    assert repr(nn.Conv1d(2, 3, 3, padding=1)) == "Conv1d(2, 3, kernel_size=(3,), stride=(1,), padding=(1,))"
    assert repr(nn.Conv2d(2, 4, 3, padding="same", groups=2, bias=False)) == (
        "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=same, groups=2, bias=False)"
    )
