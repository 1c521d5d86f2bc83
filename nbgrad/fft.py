"""``nbgrad.fft``: discrete Fourier transforms with derivatives of any order, with PyTorch's names.

NumPy's pocketfft computes them, in float32 and float64. Along dims of any length; powers of small primes are quick.

>>> x = nbgrad.tensor([1.0, 2.0, 0.0, 0.0], requires_grad=True)
>>> nbgrad.fft.rfft(x).abs().sum().backward()
>>> x.grad
tensor([ 0.4472,  2.8944, -0.4472,  1.1056])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import nbgrad.calls.fft  # noqa: F401  declares them
from nbgrad.absent import AbsentError
from nbgrad.calls.arguments import float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.device import place_wanted
from nbgrad.errors import RunError
from nbgrad.functions.creation import leaf, options
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.graph.quiet import quietly
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import found_at, function_of
from nbgrad.trace import from_values, tensor_of

_NAMES: Final = [name.removeprefix("fft_") for name in CALLS if name.startswith("fft_")]
globals().update({name: found_at(function_of(CALLS[f"fft_{name}"]), "nbgrad.fft", name) for name in _NAMES})


@writes_out("fft.fftfreq", "dtype", "device")
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The frequencies of what ``fft`` gives of ``n`` samples ``d`` apart: those from 0 up, then the negative ones.

    >>> nbgrad.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies("fftfreq", np.fft.fftfreq, n, d, dtype, layout, device, requires_grad)


@writes_out("fft.rfftfreq", "dtype", "device")
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The same of ``rfft``.

    >>> nbgrad.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return _frequencies("rfftfreq", np.fft.rfftfreq, n, d, dtype, layout, device, requires_grad)


def _frequencies(
    name: str, of: Callable[..., Any], n: Any, d: Any, dtype: Any, layout: Any, device: Any, requires_grad: Any
) -> Tensor:
    kind = options(name, dtype, device, requires_grad, layout=layout) or get_default_dtype()
    count = int_of(name, "n", n)
    if count < 1:
        raise RunError(f"{name}(): expected n >= 1, got {count}")
    found = quietly(of, count, np.float64(float_of(name, "d", d)))
    made: Any = from_values(found, kind, place=place_wanted(device))
    return leaf(made, requires_grad)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The elements along ``dim``, all dims unless given, with the frequency 0 in the middle.

    >>> nbgrad.fft.fftshift(nbgrad.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _shifted("fftshift", input, dim, 0)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of ``fftshift``.

    >>> nbgrad.fft.ifftshift(nbgrad.tensor([-0.5, -0.25, 0.0, 0.25]))
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _shifted("ifftshift", input, dim, 1)


def _shifted(name: str, input: Tensor, dim: Any, more: int) -> Tensor:
    x = tensor_of(name, "input", input)
    dims = [*range(x.dim())] if dim is None else [dim] if isinstance(dim, int) else [*dim]
    if not dims:
        return x.clone()  # type: ignore[no-any-return]
    return x.roll([(x.size(d) + more) // 2 for d in dims], dims)  # type: ignore[no-any-return]


__all__ = sorted([*_NAMES, "fftfreq", "fftshift", "ifftshift", "rfftfreq"])


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.fft'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]
