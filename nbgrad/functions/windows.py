"""Windows of signals, by NumPy in float64, then rounded: of places 0 to 1, the last of which periodic ones have not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.errors import RunError
from nbgrad.functions.creation import tensor
from nbgrad.functions.ramps import arange
from nbgrad.graph.dtypes import DType, float64, get_default_dtype
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import found_at

Shape = Callable[[Any], Any]


def _window(name: str, size: Any, periodic: Any, shape: Shape, dtype: DType | None, **how: Any) -> Tensor:
    n, is_periodic = int_of(name, "window_length", size), flag_of(name, "periodic", periodic)
    if n < 0:
        raise RunError(f"{name} requires non-negative window_length, got window_length={n}")
    if not (dtype or get_default_dtype()).is_floating_point:
        raise RunError(f"{name} expects floating point dtypes, got: {dtype}")
    places = arange(n, dtype=float64).numpy()
    values = shape(places / (n + is_periodic - 1)) if n > 1 else np.ones(n)
    return tensor(values, dtype=dtype or get_default_dtype(), **how)


def _cosines(*weights: float) -> Shape:
    return lambda x: sum(w * np.cos(2 * np.pi * k * x) for k, w in enumerate(weights))


# The shape, in words, and what a window of length 4 is behind its first element.
_SHAPES: Final = {
    "bartlett_window": (lambda x: 1 - abs(2 * x - 1), "1 - abs(2 x - 1)", "0.5000, 1.0000, 0.5000"),
    "blackman_window": (
        _cosines(0.42, -0.5, 0.08),
        "0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x)",
        "0.3400, 1.0000, 0.3400",
    ),
    "hann_window": (_cosines(0.5, -0.5), "0.5 - 0.5 cos(2 pi x)", "0.5000, 1.0000, 0.5000"),
}


def _of_shape(name: str) -> Callable[..., Tensor]:
    shape, formula, shown = _SHAPES[name]

    def made(
        window_length: int,
        periodic: bool = True,
        *,
        dtype: DType | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        how = {"layout": layout, "device": device, "requires_grad": requires_grad}
        return _window(name, window_length, periodic, shape, dtype, **how)

    made.__doc__ = f"""{formula} for ``window_length`` places x from 0 to 1, without the last one where it is
    ``periodic``. RuntimeError for a negative length or a dtype that is no floating point one.

    >>> nbgrad.{name}(4)[1:]
    tensor([{shown}])
    """
    return found_at(made, __name__, name)


globals().update({name: _of_shape(name) for name in _SHAPES})


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """alpha - beta cos(2 pi x) for ``window_length`` places x from 0 to 1, without the last one where it is
    ``periodic``. RuntimeError for a negative length or a dtype that is no floating point one.

    >>> nbgrad.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    how = {"layout": layout, "device": device, "requires_grad": requires_grad}
    weights = float_of("hamming_window", "alpha", alpha), -float_of("hamming_window", "beta", beta)
    return _window("hamming_window", window_length, periodic, _cosines(*weights), dtype, **how)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """I0(beta sqrt(1 - (2 x - 1)^2)) / I0(beta) for ``window_length`` places x from 0 to 1, without the last one where
    it is ``periodic``. RuntimeError for a negative length or a dtype that is no floating point one.

    >>> nbgrad.kaiser_window(4, beta=2.0)
    tensor([0.4387, 0.8567, 1.0000, 0.8567])
    """
    b = float_of("kaiser_window", "beta", beta)

    def shape(x: Any) -> Any:
        return np.i0(b * np.sqrt(1 - (2 * x - 1) ** 2)) / np.i0(b)

    how = {"layout": layout, "device": device, "requires_grad": requires_grad}
    return _window("kaiser_window", window_length, periodic, shape, dtype, **how)
