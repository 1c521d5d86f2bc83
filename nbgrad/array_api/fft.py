"""The standard's extension for Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import nbgrad.fft as transforms
from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.fft import fftfreq, rfftfreq
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import found_at

_ALONG_ONE: Final = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")
_ALONG_SEVERAL: Final = ("fftn", "ifftn", "irfftn", "rfftn")

__all__ = [*_ALONG_ONE, *_ALONG_SEVERAL, "fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _along_one(name: str) -> Callable[..., Any]:
    function = getattr(transforms, name)

    def applied(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
        return function(x, n, axis, norm)

    applied.__doc__ = function.__doc__
    return found_at(applied, "nbgrad.array_api.fft", name)


def _along_several(name: str) -> Callable[..., Any]:
    function = getattr(transforms, name)

    def applied(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> Any:
        return function(x, s, axes, norm)

    applied.__doc__ = function.__doc__
    return found_at(applied, "nbgrad.array_api.fft", name)


globals().update({name: _along_one(name) for name in _ALONG_ONE})
globals().update({name: _along_several(name) for name in _ALONG_SEVERAL})


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """The frequency 0 in the middle of ``axes``."""
    return transforms.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """What ``fftshift`` was given."""
    return transforms.ifftshift(x, axes)


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.array_api.fft'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
