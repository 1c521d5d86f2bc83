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
