from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb


@pytest.mark.parametrize(
    "options",
    [
        {"scale_factor": 2},
        {"size": (3, 5), "mode": "bilinear", "align_corners": True},
        {"scale_factor": 1.5, "mode": "bilinear", "recompute_scale_factor": True},
    ],
)
def test_upsample_is_interpolate_as_a_module(options: dict[str, Any]) -> None:
    x = nb.arange(8.0).reshape(1, 2, 2, 2)
    assert nb.nn.Upsample(**options)(x).tolist() == nb.nn.functional.interpolate(x, **options).tolist()


def test_it_says_how_large_results_are() -> None:
    assert repr(nb.nn.Upsample(scale_factor=2.0)) == "Upsample(scale_factor=2.0, mode='nearest')"
    assert repr(nb.nn.Upsample((3, 4), mode="bilinear")) == "Upsample(size=(3, 4), mode='bilinear')"
