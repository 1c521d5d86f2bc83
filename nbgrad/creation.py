"""Making tensors: from data, constants, ramps, random numbers. Names and arguments are PyTorch's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgrad.calls.base import CALLS
from nbgrad.data import check_fits, dtype_of_number, nested_array
from nbgrad.device import as_device
from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.dtypes import DType, as_dtype, get_default_dtype, int64
from nbgrad.stream import Generator, default_generator
from nbgrad.surface import spread
from nbgrad.tensor import Tensor
from nbgrad.trace.handle import Handle
from nbgrad.trace.read import from_values, imported
from nbgrad.trace.record import record


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A tensor with a copy of ``data``: numbers, nested sequences, arrays or tensors.

    Without ``dtype`` Python floats become the default dtype (float32), ints int64, bools bool; arrays keep theirs.
    TypeError for what is no number, ValueError for rows of different lengths, RuntimeError for a number that does not
    fit the dtype.

    >>> nbgrad.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    _on_cpu(device)
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(data, Tensor):
        array: Any = data.detach().numpy()
    elif hasattr(data, "__array__"):
        array = np.asarray(data)
    else:
        array, wanted = nested_array(data, wanted)
    made: Any = from_values(array, wanted)
    return _leaf(made, requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, without a copy where it is a tensor or array of that dtype already."""
    _on_cpu(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(as_dtype(dtype))
    if isinstance(data, np.ndarray) and (dtype is None or as_dtype(dtype).numpy == data.dtype) and data.flags.writeable:
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray[Any, np.dtype[Any]]) -> Tensor:
    """A tensor that shares ``array``'s memory: writes on either side are seen on the other.

    As the array may change at any time, operations copy what they read from it when they are recorded; for data that
    stays as it is, ``nbgrad.tensor(array)`` copies once.
    """
    if not isinstance(array, np.ndarray):
        raise DTypeError(f"expected np.ndarray (got {type(array).__name__})")
    made: Any = imported(array)
    return made  # type: ignore[no-any-return]


def from_dlpack(source: Any) -> Tensor:
    """A tensor that shares the memory of anything with ``__dlpack__`` on the CPU."""
    array = np.from_dlpack(source)
    if not array.flags.writeable:
        raise RunError(
            "from_dlpack: the source gave read-only memory, which cannot be shared; copy it with nbgrad.tensor"
        )
    return from_numpy(array)


def _on_cpu(device: Any) -> None:
    if device is not None:
        as_device(device)


def _leaf(x: Any, requires_grad: bool) -> Tensor:
    made: Tensor = x.requires_grad_(True) if requires_grad else x
    return made


def _sizes(given: tuple[Any, ...], named: Any) -> tuple[int, ...]:
    sizes = spread(given, named)
    if isinstance(sizes, int):
        sizes = (sizes,)
    checked = tuple([int(n.__index__()) if hasattr(n, "__index__") else n for n in sizes])
    for n in checked:
        if not isinstance(n, int):
            raise DTypeError(f"size: expected ints, got {type(n).__name__}")
        if n < 0:
            raise RunError(f"Trying to create tensor with negative dimension {n}: {list(checked)}")
    return checked


def _float_dtype(dtype: Any) -> DType:
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if not wanted.is_floating_point:
        raise DTypeError(f"random numbers of dtype {wanted!r} are not defined: use a floating dtype")
    return wanted


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:
    """A tensor of zeros."""
    return _filled(0, size, named, dtype, device, requires_grad)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:
    """A tensor of ones."""
    return _filled(1, size, named, dtype, device, requires_grad)


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any) -> Tensor:
    """A tensor whose values mean nothing; they are zeros, so that runs repeat."""
    return _filled(0, size, named, dtype, device, requires_grad)


def _filled(value: int, size: Any, named: dict[str, Any], dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    _on_cpu(device)
    shape = _sizes(size, named.pop("size", None))
    if named:
        raise DTypeError(f"unexpected arguments: {', '.join(named)}")
    kind = get_default_dtype() if dtype is None else as_dtype(dtype)
    return _leaf(record(CALLS["filled"], (), (shape, kind, value)), requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ``fill_value``s; without ``dtype``, that of the value."""
    _on_cpu(device)
    if dtype is not None:
        kind = as_dtype(dtype)
    else:
        kind = dtype_of_number(fill_value)
    if isinstance(fill_value, (int, float)):
        check_fits(np.asarray(fill_value), kind)
    return _leaf(record(CALLS["full_of"], (fill_value,), (_sizes((), size), kind)), requires_grad)


def _like(x: Tensor, value: int, dtype: Any, requires_grad: bool) -> Tensor:
    kind = x.dtype if dtype is None else as_dtype(dtype)
    return _leaf(record(CALLS["filled"], (), (x._spec.shape, kind, value)), requires_grad)


def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros in the shape and dtype of ``input``."""
    _on_cpu(device)
    return _like(input, 0, dtype, requires_grad)


def ones_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones in the shape and dtype of ``input``."""
    _on_cpu(device)
    return _like(input, 1, dtype, requires_grad)


def empty_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor in the shape and dtype of ``input`` whose values mean nothing."""
    return zeros_like(input, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """``fill_value`` in the shape and dtype of ``input``."""
    return full(input._spec.shape, fill_value, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal of an n x m matrix (m defaults to n), zeros elsewhere."""
    _on_cpu(device)
    kind = get_default_dtype() if dtype is None else as_dtype(dtype)
    return _leaf(record(CALLS["eye_of"], (), (_sizes((), (n, n if m is None else m)), kind)), requires_grad)


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """start, start + step, ... below ``end``; with one argument from 0. int64 unless an argument is a float."""
    _on_cpu(device)
    if end is None:
        start, end = 0, start
    start, end, step = [x.item() if isinstance(x, Handle) else x for x in (start, end, step)]  # type: ignore[attr-defined]
    kind = _arange_dtype((start, end, step)) if dtype is None else as_dtype(dtype)
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RunError(f"unsupported range: {start} -> {end}")
    if kind is int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RunError("step must be nonzero")
    if (end - start) * step < 0:
        raise RunError("upper bound and lower bound inconsistent with step sign")
    length = math.ceil((end - start) / step)
    return _leaf(record(CALLS["ramp"], (start, step), (length, kind)), requires_grad)


def _arange_dtype(numbers: tuple[Any, ...]) -> DType:
    return get_default_dtype() if any(isinstance(x, float) for x in numbers) else int64


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included, evenly spaced."""
    _on_cpu(device)
    if steps < 0:
        raise RunError("number of steps must be non-negative")
    kind = get_default_dtype() if dtype is None else as_dtype(dtype)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    numbers = (float(start), float(step), float(end) if steps > 1 else float(start))
    return _leaf(record(CALLS["linspace_of"], numbers, (steps, kind)), requires_grad)


def _random(
    name: str, operands: tuple[Any, ...], shape: tuple[int, ...], dtype: DType, generator: Generator | None
) -> Any:
    seed, stream = (generator or default_generator).take()
    return record(CALLS[name], (seed, stream, *operands), (shape, dtype))


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Random numbers, uniform in [0, 1)."""
    _on_cpu(device)
    shape = _sizes(size, named.pop("size", None))
    return _leaf(_random("rand_of", (), shape, _float_dtype(dtype), generator), requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1."""
    _on_cpu(device)
    shape = _sizes(size, named.pop("size", None))
    return _leaf(_random("randn_of", (), shape, _float_dtype(dtype), generator), requires_grad)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = int64,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Random integers in [low, high); ``randint(high, size)`` begins at 0."""
    _on_cpu(device)
    if size is None or (high is not None and not isinstance(high, int)):
        low, high, size = 0, low, high if size is None else size
    if not isinstance(high, int) or low >= high:
        raise RunError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    operands = (low, high - low)
    return _leaf(_random("randint_of", operands, _sizes((), size), as_dtype(dtype), generator), requires_grad)


def rand_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Uniform random numbers in the shape and dtype of ``input``."""
    return rand(input._spec.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Normal random numbers in the shape and dtype of ``input``."""
    return randn(input._spec.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Any = None) -> Tensor:
    """Random integers in the shape and dtype of ``input``."""
    if high is None:
        low, high = 0, low
    return randint(low, high, input._spec.shape, dtype=dtype or input.dtype)


def randperm(n: int, *, generator: Generator | None = None, dtype: Any = int64) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    keys = _random("rand_of", (), (n,), as_dtype("float64"), generator)
    return tensor(np.argsort(keys.numpy(), kind="stable"), dtype=dtype)


def scalar_tensor(value: Any, *, dtype: Any = None) -> Tensor:
    """A 0-d tensor."""
    return tensor(value, dtype=dtype or get_default_dtype())
