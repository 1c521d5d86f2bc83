"""Numbers in even steps: arange, linspace, logspace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgrad.calls.arguments import int_of, require_fits
from nbgrad.calls.base import CALLS
from nbgrad.device import place_wanted
from nbgrad.errors import DTypeError, DTypeNotImplementedError, RunError
from nbgrad.functions.creation import leaf, options
from nbgrad.functions.nested_data import check_fits, number_of
from nbgrad.graph.dtypes import DType, bool_, complex128, float64, get_default_dtype, int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record


@writes_out("arange", "dtype", "device")
def arange(
    *ends: Any,
    start: Any = None,
    end: Any = None,
    step: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """start, start + step, ... below ``end``: ``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``,
    from 0 in steps of 1 unless given. int64 unless an argument is a float.

    TypeError for what are no numbers; RuntimeError for bounds that are not finite, and a step of 0 or of wrong sign.

    >>> nbgrad.arange(1, 7, 2)
    tensor([1, 3, 5])
    """
    wanted = options("arange", dtype, device, requires_grad, pin_memory, layout)
    start, end, step = _range_of("arange", ends, start, end, step)
    first, last, by = [number_of("arange", n, x) for n, x in (("start", start), ("end", end), ("step", step))]
    kind = wanted or (get_default_dtype() if any(isinstance(x, float) for x in (first, last, by)) else int64)
    _require_steps("arange", kind, not kind.is_complex)
    if by == 0 or by != by:
        raise RunError(f"arange(): step must be nonzero, got {by}")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RunError(f"arange(): unsupported range: {first} -> {last}")
    if kind is int64:
        first, last = int(first), int(last)
        by = int(by) if math.isfinite(by) else last - first + 1  # one element
    if by == 0 or (last - first) * by < 0:
        raise RunError(
            f"arange(): upper bound and lower bound inconsistent with step sign: {first} -> {last} in steps of {step}"
        )
    length = -((first - last) // by) if kind is int64 else math.ceil((last - first) / by)
    for x in (first, last, by):
        check_fits(np.asarray(math.trunc(x) if math.isfinite(x) else x), kind)
    return leaf(
        record(CALLS["ramp"], (first, by), (int(length), kind)), requires_grad, place_wanted(device), pin_memory
    )


def _require_steps(name: str, dtype: DType | None, takes: bool = True) -> None:
    """NotImplementedError for a dtype whose numbers do not lie in steps."""
    if dtype is bool_ or not takes:
        raise DTypeNotImplementedError(f"{name}(): not implemented for {dtype and dtype.name}")


def _range_of(name: str, ends: tuple[Any, ...], start: Any, end: Any, step: Any) -> tuple[Any, Any, Any]:
    """(start, end, step) of PyTorch's three forms. TypeError for others, such as a start or a step without the rest."""
    named = {"start": start, "end": end, "step": step}
    given = {what: x for what, x in named.items() if x is not None}
    if len(ends) == 1 and not given:
        return 0, ends[0], 1
    if len(ends) > 3 or not given.keys().isdisjoint(tuple(named)[: len(ends)]):
        raise DTypeError(f"{name}() received an invalid combination of arguments: {len(ends)} and {', '.join(given)}")
    given |= dict(zip(named, ends, strict=False))
    if given.keys() == {"end"}:
        return 0, given["end"], 1
    for what in ("start", "end"):
        if what not in given:
            raise DTypeError(f"{name}() missing 1 required positional argument: '{what}', beside {', '.join(given)}")
    return given["start"], given["end"], given.get("step", 1)


@writes_out("linspace", "dtype", "device")
def linspace(
    start: complex,
    end: complex,
    steps: int,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, which may be complex, both included, evenly spaced. Both are cut to
    integers for an integer dtype. RuntimeError for negative ``steps``.

    >>> nbgrad.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    kind = options("linspace", dtype, device, requires_grad, pin_memory, layout)
    _require_steps("linspace", kind)
    start, end = _plain(start), _plain(end)
    if isinstance(start, complex) or isinstance(end, complex):
        return leaf(_complex_line(start, end, steps, kind, device), requires_grad, pin_memory=pin_memory)
    kind = kind or get_default_dtype()
    first, last = _ends_in("linspace", start, end, kind)
    count = int_of("linspace", "steps", steps)
    if count < 0:
        raise RunError(f"linspace(): number of steps must be non-negative, got {count}")
    step = (last - first) / (count - 1) if count > 1 else 0.0
    numbers = (first, step, last if count > 1 else first)
    return leaf(record(CALLS["linspace_of"], numbers, (count, kind)), requires_grad, place_wanted(device), pin_memory)


def _ends_in(name: str, start: Any, end: Any, dtype: DType) -> tuple[float, float]:
    """Both ends as numbers of ``dtype``, if that is one of integers. RuntimeError for one that does not fit it."""
    ends = [number_of(name, what, x) for what, x in (("start", start), ("end", end))]
    if not dtype.is_inexact:
        for x in ends:
            require_fits(x, dtype)
        ends = [np.asarray(math.trunc(x)).astype(dtype.numpy).item() for x in ends]
    return float(ends[0]), float(ends[1])


def _plain(x: Any) -> Any:
    """The number in a 0-d tensor."""
    return x.item() if isinstance(x, Tensor) and not x.dim() else x


def _complex_line(start: complex, end: complex, steps: int, dtype: DType | None, device: Any) -> Tensor:
    """Complex numbers from ``start`` to ``end``: their parts are in even steps, too."""
    kind = dtype or get_default_dtype().to_complex()
    if not kind.is_complex:
        raise DTypeError(f"linspace(): inferred dtype complex can't be safely cast to passed dtype {kind.name}")
    first, last = complex(start), complex(end)
    ends = ((first.real, last.real), (first.imag, last.imag))
    import nbgrad.calls.complex  # noqa: F401  declares what follows; few programs need that

    parts = [linspace(*each, steps, dtype=kind.to_real(), device=device) for each in ends]
    made: Tensor = record(CALLS["complex_of"], tuple(parts))
    return made


@writes_out("logspace", "dtype", "device")
def logspace(
    start: complex,
    end: complex,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``steps`` numbers from base^start to base^end, both included, with evenly spaced logarithms. RuntimeError for
    negative ``steps``.

    >>> nbgrad.logspace(0, 3, 4)
    tensor([   1.,   10.,  100., 1000.])
    """
    kind = options("logspace", dtype, device, requires_grad, pin_memory, layout)
    _require_steps("logspace", kind)
    start, end = _plain(start), _plain(end)
    is_complex = any(isinstance(x, complex) for x in (start, end))
    if kind is not None and not is_complex:
        start, end = _ends_in("logspace", start, end, kind)
    exponents = linspace(start, end, steps, dtype=complex128 if is_complex else float64, device=device)
    powers: Any = record(CALLS["pow"], (float(number_of("logspace", "base", base)), exponents))
    kind = kind or (get_default_dtype().to_complex() if is_complex else get_default_dtype())
    return leaf(powers.to(kind), requires_grad, pin_memory=pin_memory)
