from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import f32

nn = nb.nn
MODES = {"Constant": "constant", "Zero": "constant", "Reflection": "reflect", "Replication": "edge", "Circular": "wrap"}


@pytest.mark.parametrize("name", [n for n in nn.__all__ if "Pad" in n])
def test_margins_are_numpys(name: str) -> None:
    dims = int(name[-2])
    mode = MODES[name[:-5]]
    x = f32(2, 3, 4, 5)[0] if dims == 1 else f32(2, 3, 4, 5)
    value: tuple[float, ...] = (1.5,) if name.startswith("Constant") else ()
    sides = (1, 2, 0, 3, 1, 1)[: 2 * dims]
    for padding, pairs in ((2, [(2, 2)] * dims), (sides, [sides[i : i + 2] for i in range(0, 2 * dims, 2)])):
        around = [(0, 0)] * (x.ndim - dims) + list(reversed(pairs))
        options: dict[str, Any] = {"constant_values": value[0] if value else 0.0} if mode == "constant" else {}
        got = getattr(nn, name)(padding, *value)(nb.tensor(x))
        assert got.tolist() == np.pad(x, around, mode, **options).tolist()  # type: ignore[call-overload]


def test_modules_say_what_they_do() -> None:
    assert repr(nn.ConstantPad1d(1, 2.0)) == "ConstantPad1d(padding=(1, 1), value=2.0)"
    assert repr(nn.ZeroPad2d((1, 2, 3, 4))) == "ZeroPad2d((1, 2, 3, 4))"
    assert repr(nn.PixelShuffle(2)) == "PixelShuffle(upscale_factor=2)"
    assert repr(nn.Softsign()) == "Softsign()"


def test_margins_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="4 of them"):
        nn.ZeroPad2d((1, 2))
    with pytest.raises(ValueError, match="2D or 3D input"):
        nn.ReflectionPad1d(1)(nb.ones(4))
    with pytest.raises(RuntimeError, match="out of range"):
        nn.ReflectionPad1d(4)(nb.ones(1, 4))


def test_pixels_become_channels_and_pixels_again() -> None:
    x = nb.arange(2 * 4 * 4 * 6).reshape(2, 4, 4, 6)
    shuffled = nn.PixelShuffle(2)(x)
    assert shuffled.shape == (2, 1, 8, 12)
    assert shuffled[0, 0, :2, :2].tolist() == [[0, 24], [48, 72]]
    assert nb.equal(nn.PixelUnshuffle(2)(shuffled), x)
    assert nn.Softsign()(nb.tensor([3.0])).item() == 0.75
