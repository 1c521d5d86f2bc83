"""Windows of signals beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import windows

import nbgrad as nb

OTHERS = {
    "bartlett_window": windows.bartlett,
    "blackman_window": windows.blackman,
    "hamming_window": windows.hamming,
    "hann_window": windows.hann,
    "kaiser_window": lambda n, sym: windows.kaiser(n, 12.0, sym),
}


@pytest.mark.parametrize("name", OTHERS)
def test_windows_are_scipys(name: str) -> None:
    made = getattr(nb, name)
    for n in (0, 1, 2, 7, 8):
        for periodic in (True, False):
            got = made(n, periodic, dtype=nb.float64)
            np.testing.assert_allclose(got.numpy(), OTHERS[name](n, sym=not periodic), atol=1e-15)
    assert made(5).dtype is nb.get_default_dtype()
    assert made(5, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match=f"{name} requires non-negative"):
        made(-1)
    with pytest.raises(RuntimeError, match=f"{name} expects floating point"):
        made(5, dtype=nb.int64)


def test_their_parameters() -> None:
    assert nb.hamming_window(4, True, 0.6, 0.4).tolist() == pytest.approx([0.2, 0.6, 1.0, 0.6])
    assert nb.kaiser_window(5, False, 3.0).tolist() == pytest.approx(windows.kaiser(5, 3.0))


SHAPED = {
    "exponential": {"tau": 2.0},
    "gaussian": {"std": 2.0},
    "general_cosine": {"a": [0.5, 0.3, 0.2]},
    "general_hamming": {"alpha": 0.6},
    "kaiser": {"beta": 9.0},
}


@pytest.mark.parametrize("name", nb.signal.windows.__all__)
def test_windows_of_signal_are_scipys(name: str) -> None:
    made, shape = getattr(nb.signal.windows, name), SHAPED.get(name, {})
    for n in (0, 1, 8):
        for sym in (True, False):
            got = made(n, sym=sym, dtype=nb.float64, **shape)
            np.testing.assert_array_equal(got.numpy(), getattr(windows, name)(n, sym=sym, **shape))
    assert made(5, requires_grad=True, **shape).requires_grad
    for wrong in ((-1, {}), (5, {"dtype": nb.int64})):
        with pytest.raises(ValueError, match=f"{name} (requires non-negative|expects float32 or float64)"):
            made(wrong[0], **shape, **wrong[1])


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("exponential", {"tau": -1.0}, "Tau must be positive"),
        ("exponential", {"center": 1.0}, "Center must be None"),
        ("gaussian", {"std": 0.0}, "Standard deviation must be positive"),
        ("kaiser", {"beta": -1.0}, "beta must be non-negative"),
        ("general_cosine", {"a": []}, "Coefficients cannot be empty"),
    ],
)
def test_parameters_that_no_window_has(name: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        getattr(nb.signal.windows, name)(3, **given)
