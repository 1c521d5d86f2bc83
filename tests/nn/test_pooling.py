from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn
F = nn.functional


@pytest.mark.parametrize(
    ("module", "function"),
    [
        (nn.MaxPool1d(2), lambda x: F.max_pool1d(x, 2)),
        (nn.MaxPool2d(3, 2, 1, ceil_mode=True), lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True)),
        (nn.MaxPool2d(2, dilation=2), lambda x: F.max_pool2d(x, 2, dilation=2)),
        (nn.AvgPool1d(2, 1), lambda x: F.avg_pool1d(x, 2, 1)),
        (nn.AvgPool2d(2, divisor_override=3), lambda x: F.avg_pool2d(x, 2, divisor_override=3)),
        (
            nn.AvgPool2d(3, 2, 1, count_include_pad=False),
            lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        ),
        (nn.AdaptiveAvgPool1d(3), lambda x: F.adaptive_avg_pool1d(x, 3)),
        (nn.AdaptiveAvgPool2d((2, None)), lambda x: F.adaptive_avg_pool2d(x, (2, None))),
    ],
)
def test_a_pooling_is_its_function(module: nn.Module, function: object) -> None:
    x = nb.randn(2, 5, 7)
    assert module(x).tolist() == function(x).tolist()


def test_a_global_mean_leaves_one_element_for_each_channel() -> None:
    x = nb.randn(2, 3, 4, 4)
    assert nn.AdaptiveAvgPool2d(1)(x).shape == (2, 3, 1, 1)


def test_poolings_print_their_arguments() -> None:
    assert repr(nn.MaxPool2d(2)) == "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"
    assert repr(nn.AvgPool2d(2)) == "AvgPool2d(kernel_size=2, stride=2, padding=0)"
    assert repr(nn.AvgPool1d(2)) == "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"
    assert repr(nn.AdaptiveAvgPool2d(1)) == "AdaptiveAvgPool2d(output_size=1)"
