"""Short-time Fourier transforms: of overlapping frames of a signal, and back."""

from __future__ import annotations

from typing import Any

import nbgrad.calls.fft  # noqa: F401  declares them
from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import RunError, ShapeError, warn_here
from nbgrad.functions.complex_numbers import view_as_real
from nbgrad.functions.creation import ones
from nbgrad.functions.ramps import arange
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

_fft, _rfft, _ifft, _irfft, _pad = (
    function_of(CALLS[name]) for name in ("fft_fft", "fft_rfft", "fft_ifft", "fft_irfft", "pad")
)


def _sizes(name: str, n_fft: Any, hop_length: Any, win_length: Any) -> tuple[int, int, int]:
    n = int_of(name, "n_fft", n_fft)
    width = n if win_length is None else int_of(name, "win_length", win_length)
    hop = (n if name == "stft" else width) // 4 if hop_length is None else int_of(name, "hop_length", hop_length)
    if hop <= 0:
        raise RunError(f"{name}: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n:
        raise RunError(f"{name}: expected 0 < win_length <= n_fft, but got win_length={width}")
    return n, hop, width


def _window(name: str, window: Tensor | None, width: int, n: int, like: Any) -> Any:
    """The window in the middle of ``n`` elements."""
    if window is None:
        warn_here(f"{name}: A window was not provided: it is rectangular, window=ones({n})", UserWarning)
        shape: Any = ones(width, dtype=like.dtype.to_real(), device=like.device)
    else:
        shape = tensor_of(name, "window", window)
    if tuple(shape.shape) != (width,):
        raise ShapeError(
            f"{name}: expected a 1D window tensor of size equal to win_length={width}, but got window with size "
            f"{list(shape.shape)}"
        )
    before = (n - width) // 2
    return _pad(shape, (before, n - width - before)) if width < n else shape


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """The Fourier transforms of frames of ``n_fft`` elements, ``hop_length`` (n_fft / 4) apart, times ``window``.

    Shapes: input (L) or (B, L); the result (N, T) or (B, N, T) with N = n_fft / 2 + 1 frequencies, all n_fft of complex
    numbers or where ``onesided`` is False. ``center``: frames lie around their places, and the signal is padded as
    ``pad_mode`` says. ``normalized`` divides by sqrt(n_fft). RuntimeError for sizes that do not fit.

    >>> nbgrad.stft(nbgrad.ones(8), 4, window=nbgrad.ones(4), return_complex=True).shape
    nbgrad.Size([3, 9])
    """
    x: Any = tensor_of("stft", "input", input)
    n, hop, width = _sizes("stft", n_fft, hop_length, win_length)
    if not x.dtype.is_inexact:
        raise RunError(f"stft: expected a tensor of floating point or complex values, got {x.dtype.name}")
    if x.dim() not in (1, 2):
        raise RunError(f"stft: expected a 1D or 2D tensor, got {list(x.shape)}")
    weights: Any = None if window is None else tensor_of("stft", "window", window)
    is_complex = x.is_complex() or (weights is not None and weights.is_complex())
    if return_complex is None and not is_complex:
        raise RunError("stft requires the return_complex parameter be given for real inputs: True")
    half = not is_complex if onesided is None else flag_of("stft", "onesided", onesided)
    if half and is_complex:
        raise RunError("Cannot have onesided output if window or input is complex")
    shape = _window("stft", window, width, n, x)
    if flag_of("stft", "center", center):
        x = _pad(x, (n // 2, n // 2), mode=pad_mode)
    if not 0 < n <= x.shape[-1]:
        raise RunError(f"stft: expected 0 < n_fft <= {x.shape[-1]}, but got n_fft={n}")
    frames = x.unfold(-1, n, hop) * shape
    norm = "ortho" if flag_of("stft", "normalized", normalized) else "backward"
    found: Any = (_rfft if half else _fft)(frames, norm=norm).mT
    if return_complex is False:
        warn_here("stft with return_complex=False is deprecated: use view_as_real", UserWarning)
        return view_as_real(found)  # type: ignore[no-any-return]
    return found  # type: ignore[no-any-return]


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose ``stft`` is ``input``: of all signals that whose transform is nearest.

    Shapes: input (N, T) or (B, N, T); the result (L) or (B, L), ``length`` elements where that is given. It looks at
    the window: RuntimeError where that leaves out a place. Source: Griffin and Lim 1984, "Signal estimation from
    modified short-time Fourier transform".

    >>> x, w = nbgrad.arange(8.0), nbgrad.hann_window(4)
    >>> nbgrad.istft(nbgrad.stft(x, 4, window=w, return_complex=True), 4, window=w).allclose(x, atol=1e-6)
    True
    """
    x: Any = tensor_of("istft", "input", input)
    n, hop, width = _sizes("istft", n_fft, hop_length, win_length)
    if not x.is_complex():
        raise RunError("istft requires a complex-valued input tensor matching the output from stft")
    if x.dim() not in (2, 3) or not x.numel():
        raise ShapeError(f"istft: expected a tensor with 2 or 3 dims and elements, got {list(x.shape)}")
    if hop > width:
        raise RunError(f"istft: expected 0 < hop_length <= win_length, got {hop} and {width}")
    is_complex = flag_of("istft", "return_complex", return_complex)
    half = x.shape[-2] != n if onesided is None else flag_of("istft", "onesided", onesided)
    if half and is_complex:
        raise RunError("Cannot have onesided output if window or input is complex")
    wanted = n // 2 + 1 if half else n
    if x.shape[-2] != wanted:
        raise ShapeError(f"istft: expected {wanted} frequencies for n_fft={n}, onesided={half}, got {x.shape[-2]}")
    shape = _window("istft", window, width, n, x)
    norm = "ortho" if flag_of("istft", "normalized", normalized) else "backward"
    frames = x.mT
    if is_complex:
        frames = _ifft(frames, norm=norm)
    else:  # of all frequencies of a real signal those above the middle say nothing more
        frames = _irfft(frames[..., : n // 2 + 1], n=n, norm=norm)
    count = x.shape[-1]
    places = (arange(count, device=x.device).unsqueeze(1) * hop + arange(n, device=x.device)).reshape(-1)
    total = n + hop * (count - 1)

    def added(rows: Any) -> Any:
        flat = rows.reshape(*rows.shape[:-2], count * n)
        return flat.new_zeros(*flat.shape[:-1], total).index_add(-1, places, flat)

    signal, weight = added(frames * shape), added((shape * shape).expand(count, n))
    first = n // 2 if flag_of("istft", "center", center) else 0
    last = total - first if length is None else min(first + int_of("istft", "length", length), total)
    signal, weight = signal[..., first:last], weight[first:last]
    if bool((weight.detach().abs() < 1e-11).any()):
        raise RunError("istft: window overlap add min: some place has no weight: give another window or hop_length")
    found: Any = signal / weight
    if length is not None and last - first < length:
        warn_here("istft: the signal is shorter than length, and is padded with zeros", UserWarning)
        found = _pad(found, (0, length - (last - first)))
    return found  # type: ignore[no-any-return]
