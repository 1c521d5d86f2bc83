"""What a function made by ``nbgrad.numba`` takes, and what is said of anything else."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import types

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import ALL, DType, by_name, float64
from nbgrad.graph.spec import Spec
from nbgrad.kernels.numba_target import NumbaError
from nbgrad.tensor import Tensor

OUT = "out"
KNOWN = tuple([dtype.name for dtype in ALL if not dtype.is_half])  # what Numba computes with and tensors have


def spec_of(name: str, place: int, example: Any) -> Spec:
    """What an argument like ``example`` is."""
    if isinstance(example, float):
        return Spec.of((), float64)
    if isinstance(example, Tensor):
        example = example.detach().cpu().numpy()
    which = f"{name}: example {place}"
    if not isinstance(example, np.ndarray | np.generic):
        raise DTypeError(f"{which} must be an array, a Tensor or a float, not {type(example).__name__}")
    if not example.flags.c_contiguous:
        raise ArgumentError(
            f"{which} is not row-major, as the function's argument is to be: np.ascontiguousarray makes it so"
        )
    if example.dtype.name not in KNOWN:
        raise DTypeError(f"{which} has dtype {example.dtype}; it can be {', '.join(KNOWN)}")
    return Spec.of(example.shape, by_name(example.dtype.name))


def item_type(dtype: DType) -> Any:
    """Numba's type of what an array of a dtype holds."""
    return types.boolean if dtype.name == "bool" else getattr(types, dtype.name)


def parameter_names(fn: Callable[..., Any], count: int) -> list[str]:
    """The names of ``count`` arguments: those of ``fn``, as far as it has some that a function here may have."""
    try:
        own = [p.name for p in inspect.signature(fn).parameters.values() if p.kind is not p.VAR_POSITIONAL][:count]
    except (TypeError, ValueError):  # a builtin
        own = []
    names = [*own, *[f"x{k}" for k in range(len(own) + 1, count + 1)]]
    usual = all(not x.startswith("_") and x != OUT and not keyword.iskeyword(x) for x in names)
    return names if usual and len({*names}) == count else [f"x{k}" for k in range(1, count + 1)]


class Signature:
    """The arguments and results of the function ``name``: those that are arrays have a dtype and a number of dims, and
    are row-major; the others are numbers. ``out`` are arrays for the results that are some, a tuple of several."""

    def __init__(self, name: str, parameters: Sequence[str], specs: Sequence[Spec], results: Sequence[Spec]) -> None:
        self.name, self.parameters, self.specs, self.results = name, parameters, specs, results
        self.arrays = [k for k, spec in enumerate(results) if spec.rank]

    def refusal(self, kinds: Sequence[Any], values: Sequence[Any] = ()) -> str:
        """What is wrong with arguments of these types of Numba's, "" where all is well. ``values`` are they, where that
        is known; a type None is none of Numba's."""
        values = values or [None] * len(kinds)
        places = enumerate(zip(self.parameters, self.specs, kinds, values, strict=False), 1)
        for place, (parameter, spec, kind, value) in places:
            which = f"{self.name}: argument {place} ({parameter})"
            if wrong := _wrong(which, parameter, spec, kind, value):
                return wrong
        return self._wrong_out(kinds[-1], values[-1]) if len(kinds) > len(self.specs) else ""

    def _wrong_out(self, kind: Any, value: Any) -> str:
        if isinstance(kind, types.Omitted | types.NoneType) or (value is None and kind is None):
            return ""
        specs, which = [self.results[k] for k in self.arrays], f"{self.name}: {OUT}"
        if not specs:
            return f"{which} is for results that are arrays, and here all are numbers"
        several = isinstance(kind, types.BaseTuple)
        kinds, values = [*kind] if several else [kind], value if isinstance(value, tuple) else [value]
        if several == (len(specs) == 1) or len(kinds) != len(specs):
            given = f"a tuple of {len(kinds)}" if several else _told(kind, value)
            wanted = f"a tuple of {len(specs)} arrays, one" if len(specs) > 1 else "one array,"
            return f"{which} must be {wanted} for each result that is an array, not {given}"
        for k, (spec, one) in enumerate(zip(specs, kinds, strict=True)):
            here = f"{OUT}[{k}]" if several else OUT
            if wrong := _wrong(f"{self.name}: {here}", here, spec, one, values[k] if len(values) > k else None):
                return wrong
            if not one.mutable:
                return f"{self.name}: {here} must be an array that can be written to, not a read-only one"
        return ""


def numba_type(value: Any) -> Any:
    """Numba's type of a value, None where it has none."""
    try:
        return numba.typeof(value)
    except (NumbaError, ValueError):
        return None


def _wrong(which: str, expression: str, spec: Spec, kind: Any, value: Any) -> str:
    """Why a value of a type is no argument of a spec; "" where it is one."""
    dtype, item = spec.dtype.name, item_type(spec.dtype)
    if not spec.rank:
        fits = types.Boolean if dtype == "bool" else types.Integer if not spec.dtype.is_floating_point else types.Number
        if isinstance(kind, fits) and not isinstance(kind, types.Complex):
            return ""
        wanted = "True or False" if dtype == "bool" else f"a {dtype} number"
        remedy = f": {expression}.item() is one" if isinstance(kind, types.Array) else ""
        return f"{which} must be {wanted}, not {_told(kind, value)}{remedy}"
    dims = f"{spec.rank} dim{'s' * (spec.rank > 1)}"
    wanted = f"{which} must be a row-major array of {dtype} with {dims}"
    if not isinstance(kind, types.Array):
        return f"{wanted}, not {_told(kind, value)}: {_array_of(expression, spec, value)} makes one"
    if kind.ndim != spec.rank:
        return f"{wanted}, not {kind.ndim}: reshape it, or make a function with an example like it"
    if kind.dtype != item:
        return f"{wanted}, not of {kind.dtype}: {expression}.astype(np.{dtype}) makes one"
    if kind.layout != "C":
        return f"{wanted}, not a strided one: np.ascontiguousarray({expression}) makes one"
    return "" if kind.aligned else f"{wanted}, not an unaligned one: {expression}.copy() makes one"


def _array_of(expression: str, spec: Spec, value: Any) -> str:
    is_tensor = isinstance(value, Tensor)
    return f"{expression}.detach().numpy()" if is_tensor else f"np.array({expression}, np.{spec.dtype.name})"


def _told(kind: Any, value: Any) -> str:
    if kind is None or value is not None:
        given = type(value).__name__
        return f"{given} of dtype {value.dtype}" if isinstance(value, np.ndarray) else given
    return f"an array of {kind.dtype} with {kind.ndim} dims" if isinstance(kind, types.Array) else str(kind)
