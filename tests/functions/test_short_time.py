"""Short-time transforms beside PyTorch's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import theirs

RNG = np.random.default_rng(0)
SIGNALS = {"row": RNG.normal(size=50), "rows": RNG.normal(size=(2, 40)), "complex": RNG.normal(size=(2, 40)) * (1 + 1j)}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "hops": {"hop_length": 5, "normalized": True},
    "narrow window": {"win_length": 12, "hop_length": 3},
    "all frequencies": {"onesided": False},
}


def transformed(lib: Any, signal: Any, way: dict[str, Any], n: int) -> list[Any]:
    x = lib.tensor(signal, requires_grad=True)
    window = lib.hann_window(way.get("win_length", n), dtype=lib.float64)
    found = lib.stft(x, n, window=window, return_complex=True, **way)
    (found.abs() ** 2).sum().backward()
    back = lib.istft(found, n, window=window, return_complex=x.is_complex(), **way)
    return [found.detach().numpy(), x.grad.numpy(), back.detach().numpy()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SIGNALS)
def test_transforms_and_gradients_are_torchs(name: str, way: str) -> None:
    torch = theirs()
    for n in (16, 15):
        for ours, known in zip(*[transformed(lib, SIGNALS[name], WAYS[way], n) for lib in (nb, torch)], strict=True):
            assert ours.dtype == known.dtype and ours.shape == known.shape
            np.testing.assert_allclose(ours, known, atol=1e-12)


def test_a_signal_comes_back() -> None:
    x, window = nb.tensor(SIGNALS["row"], requires_grad=True), nb.hann_window(16, dtype=nb.float64)
    found = nb.istft(nb.stft(x, 16, window=window, return_complex=True), 16, window=window, length=50)
    np.testing.assert_allclose(found.detach().numpy(), SIGNALS["row"], atol=1e-14)
    assert nb.autograd.gradcheck(lambda x: x.stft(16, window=window, return_complex=True), (x,))
    with pytest.warns(UserWarning, match="shorter than length"):
        longer = x.stft(16, window=window, return_complex=True).istft(16, window=window, length=60)
    assert longer.shape == (60,) and not longer[56:].any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x, w: nb.stft(x, 16), "return_complex"),
        (lambda x, w: nb.stft(x, 0, return_complex=True, hop_length=1), "0 < win_length <= n_fft"),
        (lambda x, w: nb.stft(x, 200, center=False, return_complex=True), "0 < n_fft <= 50"),
        (lambda x, w: nb.stft(x, 16, 0, return_complex=True), "hop_length > 0"),
        (lambda x, w: nb.stft(x, 16, win_length=17, return_complex=True), "0 < win_length <= n_fft"),
        (lambda x, w: nb.stft(x, 16, window=w[:5], return_complex=True), "size equal to win_length=16"),
        (lambda x, w: nb.stft(x.reshape(1, 1, 50), 16, return_complex=True), "1D or 2D"),
        (lambda x, w: nb.stft(x.long(), 16, return_complex=True), "floating point or complex"),
        (lambda x, w: nb.stft(x.cdouble(), 16, onesided=True), "onesided"),
        (lambda x, w: nb.istft(x.reshape(5, 10), 16), "complex-valued"),
        (lambda x, w: nb.istft(nb.ones(9, 4, dtype=nb.complex128), 16, hop_length=17), "hop_length <= win_length"),
        (lambda x, w: nb.istft(nb.ones(7, 4, dtype=nb.complex128), 16, onesided=True), "expected 9 frequencies"),
        (lambda x, w: nb.istft(nb.ones(9, 4, dtype=nb.complex128), 16, window=w * 0), "window overlap add"),
    ],
)
def test_what_does_not_fit(call: Any, said: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match=said):
            call(nb.tensor(SIGNALS["row"]), nb.hann_window(16, dtype=nb.float64))


def test_all_frequencies_of_no_real_signal_are_read_as_pytorch_reads_them() -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    z = np.random.default_rng(0).normal(size=(6, 3, 2)) @ np.array([1.0, 1j])
    found, want = (m.istft(m.tensor(z), 6, onesided=False, window=m.ones(6, dtype=m.float64)) for m in (nb, torch))
    np.testing.assert_allclose(found.numpy(), want.numpy(), rtol=1e-12)
