"""Fourier transforms beside PyTorch: values and gradients of every kind, and second gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = tuple([name + end for end in ("2", "n") for name in ONE])
REAL = ("rfft", "ihfft")
NORMS = ("backward", "ortho", "forward")


def _numbers(name: str, *shape: int) -> Any:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return x if name.startswith(REAL) else x + 1j * rng.standard_normal(shape)


def _value_and_gradient(m: Any, name: str, array: Any, how: dict[str, Any]) -> list[Any]:
    x = m.tensor(array, requires_grad=True)
    y = getattr(m.fft, name)(x, **how)
    weight = np.random.default_rng(1).standard_normal((*y.shape, 2)).view(np.complex128)[..., 0]
    (g,) = m.autograd.grad((y * m.tensor(weight)).real.sum(), x)
    return [(t.resolve_conj() if hasattr(t, "resolve_conj") else t).detach().numpy() for t in (y, g)]


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_values_and_gradients_are_torchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    if name in ONE:
        cases: list[Any] = [
            ((3, n), {"norm": norm, **how})
            for n, norm in zip((8, 7, 12), NORMS, strict=True)
            for how in ({}, {"n": 5}, {"n": 16}, {"dim": 0})
        ]
    else:
        cases = [((3, 4, 6), {"norm": "ortho"}), ((3, 4, 6), {"s": (5, 4)}), ((3, 4, 6), {"dim": (0, 2)})]
    for shape, how in cases:
        array = _numbers(name, *shape)
        for x, y in zip(*[_value_and_gradient(m, name, array, how) for m in (nb, torch)], strict=True):
            assert x.dtype == y.dtype and x.shape == y.shape
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12, err_msg=f"{how}")


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fftn"])
def test_second_gradients_and_forward_mode_agree_with_differences(name: str) -> None:
    x = nb.tensor(_numbers(name, 2, 3), requires_grad=True)
    transform = getattr(nb.fft, name)
    assert nb.autograd.gradcheck(transform, x, check_forward_ad=True)
    assert nb.autograd.gradgradcheck(lambda x: transform(x) ** 2, x)


def test_float32_transforms_are_right_to_its_precision() -> None:
    for n in (64, 97, 1 << 12):
        x = _numbers("fft", n)
        found = nb.fft.fft(nb.tensor(x.astype(np.complex64)))
        want = np.fft.fft(x.astype(np.complex64).astype(np.complex128))
        assert found.dtype is nb.complex64
        assert np.abs(found.numpy() - want).max() < 2e-6 * np.abs(want).max()


def test_inverses_batches_and_compiled_functions() -> None:
    x = nb.tensor(_numbers("fft", 4, 9))
    assert nb.allclose(nb.fft.ifft(nb.fft.fft(x)), x)
    rows = nb.vmap(nb.fft.fft)(x)
    assert nb.equal(rows, nb.fft.fft(x))
    compiled = nb.compile(lambda x: nb.fft.irfft(nb.fft.rfft(x.real), 9) * 2)
    for _ in range(3):
        assert nb.allclose(compiled(x), x.real * 2)


def test_helpers_are_numpys() -> None:
    for n in (4, 5):
        np.testing.assert_allclose(nb.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5).astype(np.float32))
        np.testing.assert_allclose(nb.fft.rfftfreq(n).numpy(), np.fft.rfftfreq(n).astype(np.float32))
        x = np.arange(3 * n).reshape(3, n)
        for name in ("fftshift", "ifftshift"):
            for dim in (None, 0, (1,)):
                found = getattr(nb.fft, name)(nb.tensor(x), dim)
                np.testing.assert_array_equal(found.numpy(), getattr(np.fft, name)(x, dim))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: nb.fft.rfft(nb.ones(3, dtype=nb.complex64)), RuntimeError, "expects a real input"),
        (lambda: nb.fft.fft(nb.ones(3), n=0), RuntimeError, "Invalid number of data points"),
        (lambda: nb.fft.fft(nb.ones(3), norm="other"), RuntimeError, "Invalid normalization mode"),
        (lambda: nb.fft.fft(nb.ones(3), dim=1), IndexError, "out of range"),
        (lambda: nb.fft.fftn(nb.ones(3, 3), s=(2,), dim=(0, 1)), RuntimeError, "same length"),
        (lambda: nb.fft.fft("x"), TypeError, "Tensor"),
    ],
)
def test_mistakes_have_torchs_class(call: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_frequencies_of_samples_at_one_place_are_not_finite() -> None:
    assert nb.fft.fftfreq(4, 0.0).isfinite().any().item() is False
