"""NumPy's functions on tensors: ``np.sin(x)`` records ``x.sin()``, with PyTorch's dtypes and a derivative.

What stands in the tables is recorded. Anything else is NumPy's business: it computes with the tensors' values, and is
refused where a derivative would be lost.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from nbgrad import functions
from nbgrad.array_api import elementwise, special
from nbgrad.array_api.numpy_functions import FUNCTIONS
from nbgrad.calls.base import CALLS, Call
from nbgrad.errors import GradError
from nbgrad.tensor import Tensor
from nbgrad.trace import as_operand, from_values, get_mode, record

# What classes have that leave it to this one.
_KNOWN: Final = (None, np.ndarray.__array_ufunc__)

_signature = cache(inspect.signature)

_SAME: Final = (
    *("ceil", "copysign", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "floor", "floor_divide", "fmax", "fmin"),
    *("fmod", "heaviside", "hypot", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logaddexp"),
    *("logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul", "maximum", "minimum"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "rad2deg", "reciprocal", "remainder", "sign", "signbit", "sin"),
    *("sinh", "sqrt", "square", "tan", "tanh", "trunc"),
)
_CALL_OF: Final = {  # by the name that a ufunc has in NumPy
    **{name: name for name in _SAME},
    **{f"arc{name}": f"a{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    "absolute": "abs",
    "add": "add",
    "arctan2": "atan2",
    "degrees": "rad2deg",
    "divide": "div",
    "equal": "eq",
    "fabs": "abs",
    "greater": "gt",
    "greater_equal": "ge",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "subtract": "sub",
}
_UFUNCS: Final = {getattr(np, name): CALLS[call] for name, call in _CALL_OF.items()}


def of_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a ufunc gives of ``inputs``, one of which is a tensor."""
    for x in (*inputs, *options.get("out", ())):
        if getattr(type(x), "__array_ufunc__", None) not in _KNOWN and not isinstance(x, Tensor):
            return NotImplemented  # a class of another library's has the say
    if method == "__call__" and not options and (ours := _UFUNCS.get(ufunc) or _special(ufunc)) is not None:
        operands = tuple([as_operand(np.asarray(x) if isinstance(x, (list, tuple)) else x) for x in inputs])
        if ufunc is np.sign:
            return elementwise.sign(*operands)  # NaN of NaN
        if ufunc is np.power and isinstance(operands[0], Tensor):
            return functions.pow(*operands)
        if not isinstance(ours, Call):
            return ours(*operands)
        return record(ours, operands, (0,) if ufunc is np.rint else ())
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    shown = f"np.{name}" if getattr(np, ufunc.__name__, None) is ufunc else name
    given = [_array(shown, x) for x in inputs]
    out = options.pop("out", None)
    options = {key: _array(shown, x) for key, x in options.items()}
    if out is not None:
        options["out"] = tuple([_array(shown, x) for x in out])
    found = getattr(ufunc, method)(*given, **options)
    if out is not None:
        return out if len(out) > 1 else out[0]
    if found is None:  # of ``at``, which writes
        return None
    return tuple([_tensor(x) for x in found]) if isinstance(found, tuple) else _tensor(found)


def of_function(function: Callable[..., Any], types: Sequence[type], args: Any, named: Any) -> Any:
    """What a function of NumPy's gives of arguments among which there is a tensor."""
    if any(not issubclass(kind, (Tensor, np.ndarray)) for kind in types):
        return NotImplemented
    ours = FUNCTIONS.get(function)
    if ours is not None:
        try:
            bound = _signature(ours).bind(*args, **named)
        except TypeError:  # an argument that NumPy's function has and ours has not
            pass
        else:
            return ours(*[_as_tensor(x) for x in bound.args], **{key: _as_tensor(x) for key, x in bound.kwargs.items()})
    shown = f"{function.__module__.replace('numpy', 'np')}.{function.__name__}"
    return function(*[_array(shown, x) for x in args], **{key: _array(shown, x) for key, x in named.items()})


def _special(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """What stands for a ufunc of SciPy's."""
    name, scipy = ufunc.__name__, sys.modules.get("scipy.special")
    return getattr(special, name) if name in special.__all__ and getattr(scipy, name, None) is ufunc else None


def _array(function: str, x: Any) -> Any:
    """``x`` with arrays for the tensors in it. RuntimeError for one that requires grad."""
    if isinstance(x, Tensor):
        if x.requires_grad and get_mode()[0]:
            name = function.rpartition(".")[2]
            instead = f"nbgrad.{name}" if name in CALLS or hasattr(functions, name) else "a function of nbgrad"
            raise GradError(
                f"{function}: nothing here stands for it with these arguments, so the derivative of a tensor that "
                f"requires grad would be lost; use {instead}, or x.detach()"
            )
        return x.numpy()
    if type(x) in (list, tuple):
        return type(x)([_array(function, item) for item in x])
    return x


def _tensor(x: Any) -> Any:
    return from_values(np.asarray(x))


def _as_tensor(x: Any) -> Any:
    return functions.tensor(x) if isinstance(x, np.ndarray) else x
