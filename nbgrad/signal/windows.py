"""``nbgrad.signal.windows``: SciPy's windows of the same names as tensors, computed in float64, then rounded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from nbgrad.calls.arguments import flag_of, float_of, int_of
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.functions.creation import tensor
from nbgrad.graph.dtypes import DType, get_default_dtype
from nbgrad.graph.layout import strided
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import found_at


class _Window(NamedTuple):
    formula: str
    shown: str  # a symmetric one of 3
    parameters: Mapping[str, Any] = {}  # beside the length, with their defaults


_WINDOWS: Final = {
    "bartlett": _Window("1 - abs(2 x - 1)", "[0., 1., 0.]"),
    "blackman": _Window("0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x)", "[0., 1., 0.]"),
    "cosine": _Window("sin(pi (k + 1/2) / M)", "[0.5000, 1.0000, 0.5000]"),
    "exponential": _Window("exp(-abs(k - center) / tau)", "[0.3679, 1.0000, 0.3679]", {"center": None, "tau": 1.0}),
    "gaussian": _Window("exp(-(k - (M - 1) / 2)^2 / (2 std^2))", "[0.6065, 1.0000, 0.6065]", {"std": 1.0}),
    "general_cosine": _Window("sum_i (-1)^i a_i cos(2 pi i x)", "[0., 1., 0.]", {"a": inspect.Parameter.empty}),
    "general_hamming": _Window("alpha - (1 - alpha) cos(2 pi x)", "[0.0800, 1.0000, 0.0800]", {"alpha": 0.54}),
    "hamming": _Window("0.54 - 0.46 cos(2 pi x)", "[0.0800, 1.0000, 0.0800]"),
    "hann": _Window("0.5 - 0.5 cos(2 pi x)", "[0., 1., 0.]"),
    "kaiser": _Window(
        "I0(beta sqrt(1 - (2 x - 1)^2)) / I0(beta)", "[5.2773e-05, 1.0000e+00, 5.2773e-05]", {"beta": 12.0}
    ),
    "nuttall": _Window("the cosines of Nuttall 1981, with 4 terms", "[3.6280e-04, 1.0000e+00, 3.6280e-04]"),
}
_OPTIONS: Final = {"sym": True, "dtype": None, "layout": strided, "device": None, "requires_grad": False}


def _checked(name: str, shape: dict[str, Any], sym: bool) -> None:
    """ValueError for parameters that no window has."""
    for key, value in shape.items():
        if key == "a":
            if not isinstance(value, (list, tuple)):
                raise DTypeError("Coefficients must be a list/tuple")
            if not value:
                raise ArgumentError("Coefficients cannot be empty")
        elif value is not None:
            shape[key] = float_of(name, key, value)
    if shape.get("tau", 1.0) <= 0:
        raise ArgumentError(f"Tau must be positive, got: {shape['tau']} instead.")
    if shape.get("std", 1.0) <= 0:
        raise ArgumentError(f"Standard deviation must be positive, got: {shape['std']} instead.")
    if shape.get("beta", 0.0) < 0:
        raise ArgumentError(f"beta must be non-negative, got: {shape['beta']} instead.")
    if sym and shape.get("center") is not None:
        raise ArgumentError("Center must be None for symmetric windows")


def _made(name: str, length: Any, shape: dict[str, Any], sym: Any, dtype: DType | None, **how: Any) -> Tensor:
    from scipy.signal import windows  # most programs have no use for it

    size, is_symmetric = int_of(name, "M", length), flag_of(name, "sym", sym)
    kind = dtype or get_default_dtype()
    if size < 0:
        raise ArgumentError(f"{name} requires non-negative window length, got M={size}")
    if kind.name not in ("float32", "float64"):
        raise ArgumentError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    _checked(name, shape, is_symmetric)
    return tensor(getattr(windows, name)(size, **shape, sym=is_symmetric), dtype=kind, **how)


def _window(name: str) -> Callable[..., Tensor]:
    formula, shown, parameters = _WINDOWS[name]

    def made(M: int, **given: Any) -> Tensor:
        bound = signature.bind(M, **given)
        bound.apply_defaults()
        how = {key: bound.arguments[key] for key in _OPTIONS}
        return _made(name, M, {key: bound.arguments[key] for key in parameters}, **how)

    def parameter(key: str, default: Any) -> inspect.Parameter:
        return inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default)

    first = inspect.Parameter("M", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    known = [parameter(key, default) for key, default in (*parameters.items(), *_OPTIONS.items())]
    signature = inspect.Signature([first, *known])
    made.__signature__ = signature  # type: ignore[attr-defined]
    more = ", a=[0.5, 0.5]" if "a" in parameters else ""
    made.__doc__ = f"""{formula}, for the places k from 0 to ``M`` - 1 and x = k / (M - 1).

    Shape: (M). One that is not ``sym`` is periodic: the first M of M + 1. ValueError for a negative length, for a dtype
    that is neither float32 nor float64, and for parameters that no window has.

    >>> nbgrad.signal.windows.{name}(3{more})
    tensor({shown})
    """
    return found_at(made, __name__, name)


__all__ = list(_WINDOWS)
globals().update({name: _window(name) for name in _WINDOWS})
