"""nbgrad: PyTorch-style autograd, compiled by LLVM while you write plain, define-by-run code.

>>> x = nbgrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

from __future__ import annotations

from inspect import ismodule as _is_room
from math import e, inf, nan, pi
from os import environ as _environ
from typing import TYPE_CHECKING, Any
from warnings import warn as _warn

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.system import interpreter as _interpreter  # what comes next needs it
from nbgrad.system.collector import collector_paused as _collector_paused
from nbgrad.system.imports import import_module as _import_module

_import = _collector_paused()  # where the import fails, it ends with the names of this module
_import.__enter__()

# isort: split
from nbgrad import autograd, backends, config, cuda, errors, linalg, random
from nbgrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from nbgrad.backends.cuda import get_float32_matmul_precision, set_float32_matmul_precision
from nbgrad.config import are_deterministic_algorithms_enabled, use_deterministic_algorithms
from nbgrad.device import Device as device
from nbgrad.device import get_default_device, set_default_device
from nbgrad.explain import explain
from nbgrad.functions import *
from nbgrad.functions.later import IN_PLACE as _IN_PLACE
from nbgrad.functions.later import MODULES as _LATER_FUNCTIONS
from nbgrad.graph.dtypes import DType as dtype
from nbgrad.graph.dtypes import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from nbgrad.graph.dtypes import promote as promote_types
from nbgrad.graph.layout import Layout as layout
from nbgrad.graph.layout import MemoryFormat as memory_format
from nbgrad.graph.layout import contiguous_format, preserve_format, strided
from nbgrad.linalg import OLDER as _OLDER
from nbgrad.linalg.factors import pinverse
from nbgrad.linalg.systems import cholesky_inverse, cholesky_solve, inverse, logdet, matrix_power
from nbgrad.linalg.systems import det_of as det
from nbgrad.linalg.systems import slogdet_of as slogdet
from nbgrad.random import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from nbgrad.runtime.pool import get_num_threads, set_num_threads
from nbgrad.serialization import load, save
from nbgrad.system.collector import grow_old as _grow_old
from nbgrad.tensor import Size, Tensor
from nbgrad.tensor.surface import declared_functions as _declared
from nbgrad.tensor.surface import function_of as _function_of
from nbgrad.trace import set_default_dtype

if TYPE_CHECKING:  # imported when first used
    from nbgrad import nn, optim
    from nbgrad.replay import compile

cdouble = complex128
cfloat = complex64
double = float64
half = float16
long = int64
short = int16

newaxis = None  # x[:, newaxis]

__version__ = "0.1.0"

# Dtypes that share their name with a builtin, as in PyTorch.
globals().update({"bool": bool_, "float": float32, "int": int32})

# Functions declared in calls/; those above are forms of theirs. A function hides the room of its name (trace).
_later = {name: call for name, call in _declared().items() if name not in globals() or _is_room(globals()[name])}
globals().update({name: _function_of(_later.pop(name)) for name in [*_later] if name in globals()})


_WITH_NUMBA = ("elementwise", "operator")  # what Numba is imported for: not with ``import *``


_LATER_ROOMS = {
    "GradScaler": "nbgrad.amp",
    "amp": "nbgrad.amp",
    "array_api": "nbgrad.array_api",
    "autocast": "nbgrad.amp",
    "compile": "nbgrad.replay",
    "compiler": "nbgrad.compiler",
    "distributions": "nbgrad.distributions",
    "draw": "nbgrad.drawing",
    "fft": "nbgrad.fft",
    "func": "nbgrad.func",
    "get_autocast_dtype": "nbgrad.amp",
    "is_anomaly_check_nan_enabled": "nbgrad.autograd.anomaly_mode",
    "is_anomaly_enabled": "nbgrad.autograd.anomaly_mode",
    "is_autocast_enabled": "nbgrad.amp",
    "nn": "nbgrad.nn",
    "optim": "nbgrad.optim",
    "polygamma": "nbgrad.special",
    "profiler": "nbgrad.profiler",
    "signal": "nbgrad.signal",
    "special": "nbgrad.special",
    "testing": "nbgrad.testing",
    "utils": "nbgrad.utils",
    "vmap": "nbgrad.func",
    **_LATER_FUNCTIONS,
    **dict.fromkeys(_OLDER, "nbgrad.linalg.older"),
}  # most programs have no use for them


def __getattr__(name: str) -> Any:
    """A function declared in calls/, made when somebody first asks for it: most programs need few."""
    if name in _LATER_ROOMS:
        room = _import_module(_LATER_ROOMS[name])
        return globals().setdefault(name, room if room.__name__ == f"nbgrad.{name}" else getattr(room, name))
    if name in _IN_PLACE:
        return globals().setdefault(name, getattr(Tensor, name))
    if name in _WITH_NUMBA:
        return globals().setdefault(name, getattr(_import_module("nbgrad.numba"), name))
    if name not in _later:
        raise _AbsentError("module 'nbgrad'", name, __all__)
    return globals().setdefault(name, _function_of(_later[name]))  # or what somebody put there while it was made


_ROOMS = (
    "autograd",
    "backends",
    "config",
    "cuda",
    "errors",
    "linalg",
    "random",
)  # what users reach inside the package
__all__ = sorted(
    {
        *_later,
        *_LATER_ROOMS,
        *_IN_PLACE,
        *[k for k, value in globals().items() if not k.startswith("_") and (k in _ROOMS or not _is_room(value))],
    }
    - {"Any", "TYPE_CHECKING", "annotations"}
)


for _said in config.unknown_switches(_environ):
    _warn(_said, RuntimeWarning, stacklevel=2)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__, *_WITH_NUMBA, "__version__"]


_grow_old()
_import.__exit__(None, None, None)
