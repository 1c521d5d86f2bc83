from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

interpolate = nb.nn.functional.interpolate


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape)


SIZES: list[dict[str, Any]] = [
    {"size": 4},
    {"size": (8, 3, 6)},
    {"scale_factor": 1.7},
    {"scale_factor": 1.3, "recompute_scale_factor": True},
    {"scale_factor": (0.6, 2.0, 1.0)},
    {"scale_factor": (3.0, 41.0, 2.0)},
]


@pytest.mark.parametrize("options", SIZES)
@pytest.mark.parametrize(
    ("shape", "mode"),
    [
        ((2, 3, 5), "linear"),
        ((1, 2, 5, 7), "bilinear"),
        ((1, 2, 3, 4, 5), "trilinear"),
        ((1, 2, 5, 7), "nearest"),
        ((2, 3, 9), "nearest-exact"),
    ],
)
def test_other_sizes_are_pytorchs(shape: tuple[int, ...], mode: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    x, spatial = floats(*shape).astype("f"), len(shape) - 2
    cut = {k: v[:spatial] if isinstance(v, tuple) else v for k, v in options.items()}
    for align in [None] if "nearest" in mode else [False, True]:
        got = interpolate(nb.tensor(x), mode=mode, align_corners=align, **cut).numpy()
        want = torch.nn.functional.interpolate(torch.tensor(x), mode=mode, align_corners=align, **cut).numpy()
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6)


def test_lines_are_numpys_and_the_nearest_are_repeated() -> None:
    x = floats(5)
    got = interpolate(nb.tensor(x).reshape(1, 1, 5), 9, mode="linear", align_corners=True)
    np.testing.assert_allclose(got[0, 0].numpy(), np.interp(np.linspace(0, 4, 9), np.arange(5), x), rtol=1e-12)
    image = floats(1, 2, 3, 4)
    twice = interpolate(nb.tensor(image), scale_factor=2)
    assert twice.tolist() == image.repeat(2, 2).repeat(2, 3).tolist()


def test_it_has_derivatives_of_any_order() -> None:
    x = nb.tensor(floats(1, 1, 3, 2), requires_grad=True)
    assert nb.autograd.gradcheck(lambda a: interpolate(a, (4, 5), mode="bilinear") ** 2, (x,))
    assert nb.autograd.gradgradcheck(lambda a: interpolate(a, (2, 3), mode="nearest") ** 3, (x,))


def test_mistakes_are_told() -> None:
    x = nb.zeros(1, 1, 3, 3)
    mistakes: list[dict[str, Any]] = [
        {},
        {"size": 2, "scale_factor": 2.0},
        {"size": 2, "mode": "lanczos"},
        {"size": 2, "mode": "linear"},
        {"size": 2, "mode": "nearest", "align_corners": True},
        {"size": (1, 2, 3)},
        {"size": 2, "mode": "area", "antialias": True},
        {"size": 2, "recompute_scale_factor": True},
    ]
    for options in mistakes:
        with pytest.raises(ValueError, match=r"interpolat|align_corners|size"):
            interpolate(x, **options)


def test_images_of_no_size_are_refused() -> None:
    for shape, size in (((1, 1, 3, 3), 0), ((1, 1, 0, 3), 2)):
        with pytest.raises(RuntimeError):
            interpolate(nb.zeros(*shape), size)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("shape", [(1, 1, 4, 4), (2, 3, 17, 23), (1, 3, 64, 48), (1, 5, 9, 9)])
@pytest.mark.parametrize("antialias", [False, True])
def test_images_of_bytes_become_pytorchs_bytes(mode: str, shape: tuple[int, ...], antialias: bool) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    image = np.random.default_rng(5).integers(0, 256, shape).astype(np.uint8)
    for options in (
        {"size": (3, 5)},
        {"size": (40, 7)},
        {"size": (8, 31), "align_corners": True},
        {"scale_factor": 0.6},
        {"scale_factor": (2.3, 3), "align_corners": not antialias},
    ):
        found = [
            m.nn.functional.interpolate(m.tensor(image), mode=mode, antialias=antialias, **options) for m in (torch, nb)
        ]
        assert found[1].dtype is nb.uint8
        np.testing.assert_array_equal(found[1].numpy(), found[0].numpy())


@pytest.mark.parametrize(("shape", "mode"), [((1, 1, 4), "linear"), ((1, 1, 2, 3, 4), "trilinear")])
def test_signals_and_volumes_of_bytes_are_refused(shape: tuple[int, ...], mode: str) -> None:
    with pytest.raises(NotImplementedError, match="expected a floating point input, got uint8"):
        nb.nn.functional.interpolate(nb.ones(shape, dtype=nb.uint8), scale_factor=2, mode=mode)
