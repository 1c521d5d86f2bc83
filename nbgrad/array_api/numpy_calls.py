"""NumPy's functions on tensors: ``np.sin(x)`` records ``x.sin()``, with PyTorch's dtypes and a derivative.

What stands in the tables is recorded. Anything else is NumPy's business: it computes with the tensors' values, and is
refused where a derivative would be lost.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nbgrad import functions
from nbgrad.array_api import elementwise, special
from nbgrad.array_api.numpy_functions import FUNCTIONS, matmul, tensor_from
from nbgrad.calls.arguments import masked
from nbgrad.calls.base import CALLS, Call
from nbgrad.errors import DTypeError, GradError
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import as_operand, from_values, get_mode, record

# What classes have that leave it to this one.
_KNOWN: Final = (None, np.ndarray.__array_ufunc__)

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


def _of_two(call: Call) -> Callable[[Any, Any], Any]:
    return lambda a, b: record(call, (a, b))


_UFUNCS: Final[dict[np.ufunc, Callable[..., Any]]] = {
    getattr(np, name): (function_of if len(CALLS[call].operands) == 1 else _of_two)(CALLS[call])
    for name, call in _CALL_OF.items()
}
_UFUNCS.update({np.matmul: matmul, np.power: functions.pow, np.sign: elementwise.sign})  # the sign of NaN is NaN
# Of one of NumPy's numbers and a tensor behind it: recorded as Python's operators are, quickly.
_NUMBERS: Final = (np.float64, np.float32, np.int64, np.int32)
_REFLECTED: Final = {
    ufunc: getattr(Tensor, f"__r{name}__")
    for ufunc, name in ((np.add, "add"), (np.subtract, "sub"), (np.multiply, "mul"), (np.divide, "truediv"))
}


def of_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a ufunc gives of ``inputs``, one of which is a tensor."""
    ours = None if options or method != "__call__" else _UFUNCS.get(ufunc) or _special(ufunc)
    if ours is not None:
        if len(inputs) == 1:
            return ours(inputs[0])
        if type(inputs[0]) in _NUMBERS and type(inputs[1]) is Tensor and ufunc in _REFLECTED:
            return _REFLECTED[ufunc](inputs[1], inputs[0].item())
    for x in (*inputs, *options.get("out", ())):
        if getattr(type(x), "__array_ufunc__", None) not in _KNOWN and not isinstance(x, Tensor):
            return NotImplemented  # a class of another library's has the say
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    shown = f"np.{name}" if getattr(np, ufunc.__name__, None) is ufunc else name
    if ours is not None:
        return ours(*[_operand(shown, x) for x in inputs])
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
    return tuple([_made(x) for x in found]) if isinstance(found, tuple) else _made(found)


def of_function(function: Callable[..., Any], types: Sequence[type], args: Any, named: Any) -> Any:
    """What a function of NumPy's gives of arguments among which there is a tensor."""
    for kind in types:
        if not issubclass(kind, (Tensor, np.ndarray)):
            return NotImplemented
        if kind is not np.ndarray and hasattr(kind, "filled"):
            raise masked(function.__name__)
    ours = FUNCTIONS.get(function)
    if ours is not None and _takes(ours, args, named):
        return ours(*[_as_tensor(x) for x in args], **{key: _as_tensor(x) for key, x in named.items()})
    shown = f"{function.__module__.replace('numpy', 'np')}.{function.__name__}"
    return function(*[_array(shown, x) for x in args], **{key: _array(shown, x) for key, x in named.items()})


def _takes(ours: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a function of ours has these arguments, which NumPy's takes."""
    code = ours.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if (len(args) > code.co_argcount and not code.co_flags & inspect.CO_VARARGS) or not named.keys() <= {*names}:
        return False
    needed = names[len(args) : code.co_argcount - len(ours.__defaults__ or ())]
    return not needed or named.keys() >= {*needed}


def _operand(function: str, x: Any) -> Any:
    """An operand of a ufunc. TypeError for what is none."""
    operand = tensor_from(x) if isinstance(x, (list, tuple)) else as_operand(x)
    if operand is NotImplemented:
        raise DTypeError(
            f"{function}: expected tensors, numbers, or arrays of bools, integers or real numbers, got "
            f"{x.dtype if isinstance(x, (np.ndarray, np.generic)) else type(x).__name__}"
        )
    return operand


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


def _made(x: Any) -> Any:
    return from_values(np.asarray(x))


def _as_tensor(x: Any) -> Any:
    return functions.tensor(x) if isinstance(x, np.ndarray) else x
