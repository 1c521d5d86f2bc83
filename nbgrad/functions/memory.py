"""Tensors of data that is there, or of none: asarray, frombuffer, empty_strided; and the older range and fill."""

from __future__ import annotations

from math import floor, isfinite
from typing import Any

import numpy as np

from nbgrad.calls.arguments import dtype_of, flag_of, float_of, int_of, ints_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeNotImplementedError, RunError, ShapeError, warn_here
from nbgrad.functions.creation import empty, tensor
from nbgrad.functions.interop import from_dlpack, from_numpy
from nbgrad.functions.ramps import arange
from nbgrad.graph.dtypes import bool_, get_default_dtype, int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import record, tensor_of


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Tensor:
    """``obj`` as a tensor: a tensor itself, in the memory of NumPy's arrays and of what has DLPack, otherwise a copy.
    With ``copy`` always a copy; with ``copy=False`` never: ValueError where there has to be one.

    >>> nbgrad.asarray([1, 2])
    tensor([1, 2])
    """
    wants = None if copy is None else flag_of("asarray", "copy", copy)
    if isinstance(obj, Tensor):
        shared: Any = obj
    elif isinstance(obj, np.ndarray):
        shared = from_numpy(obj)
    elif hasattr(obj, "__dlpack__"):
        shared = from_dlpack(obj)
    else:
        shared = None
    if shared is None:
        if wants is False:
            raise ArgumentError("can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    found = shared.to(device or shared.device, shared.dtype if dtype is None else dtype_of("asarray", "dtype", dtype))
    if wants is False and found is not shared:
        raise ArgumentError(
            f"can't alias tensor with dtype {shared.dtype.name} on {shared.device}: it has to be copied"
        )
    found = found.clone() if wants and found is shared else found
    if not flag_of("asarray", "requires_grad", requires_grad) or found.requires_grad:
        return found  # type: ignore[no-any-return]
    return (found.detach() if found is shared else found).requires_grad_()  # type: ignore[no-any-return]


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A vector of ``count`` elements (-1: all) in the memory of an object with the buffer protocol, from the byte
    ``offset`` on; a copy of memory that is not to be written. ValueError for what does not fit.

    >>> nbgrad.frombuffer(bytearray(8), dtype=nbgrad.int32)
    tensor([0, 0], dtype=nbgrad.int32)
    """
    kind = dtype_of("frombuffer", "dtype", dtype)
    n, start = int_of("frombuffer", "count", count), int_of("frombuffer", "offset", offset)
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise refused("frombuffer", "buffer", buffer, "an object with the buffer protocol") from None
    if not 0 <= start < size:
        raise ArgumentError(f"offset ({start} bytes) must be non-negative and no greater than buffer length ({size})")
    if (n < 0 and (size - start) % kind.itemsize) or (n > 0 and start + n * kind.itemsize > size) or not n:
        raise ArgumentError(f"frombuffer(): {size - start} bytes do not hold {n} elements of {kind.name}")
    array = np.frombuffer(buffer, kind.numpy, n if n > 0 else -1, start)
    found: Any = from_numpy(array if array.flags.writeable else array.copy())
    return found.requires_grad_() if flag_of("frombuffer", "requires_grad", requires_grad) else found  # type: ignore[no-any-return]


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of these sizes and strides, both in elements, in memory of its own. RuntimeError for other numbers of
    strides than sizes, and for negative ones.

    >>> nbgrad.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    shape, steps = ints_of("empty_strided", "size", size), ints_of("empty_strided", "stride", stride)
    if len(shape) != len(steps) or any(n < 0 for n in (*shape, *steps)):
        raise ShapeError(f"empty_strided: sizes {list(shape)} and strides {list(steps)} must be as many, none below 0")
    reach = sum([(n - 1) * step for n, step in zip(shape, steps, strict=True)]) + 1 if all(shape) else 0
    found: Any = empty(reach, dtype=dtype, device=device).as_strided(shape, steps)
    return found.requires_grad_() if flag_of("empty_strided", "requires_grad", requires_grad) else found  # type: ignore[no-any-return]


@writes_out("empty_permuted", "dtype", "device")
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of these sizes whose dims lie in memory in the order ``physical_layout``, the outermost first.

    >>> nbgrad.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    shape, order = (
        ints_of("empty_permuted", "size", size),
        ints_of("empty_permuted", "physical_layout", physical_layout),
    )
    if sorted(order) != [*range_of(len(shape))]:
        raise RunError(f"empty_permuted: {list(order)} is no order of the dims of sizes {list(shape)}")
    steps, step = [0] * len(shape), 1
    for d in reversed(order):
        steps[d] = step
        step *= max(shape[d], 1)
    return empty_strided(shape, steps, dtype=dtype, device=device, requires_grad=requires_grad)


range_of = range


def new_empty_strided(
    self: Tensor, size: Any, stride: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """:func:`nbgrad.empty_strided`, of this tensor's dtype and on its device unless told otherwise.

    >>> nbgrad.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    given: Any = {"dtype": self.dtype if dtype is None else dtype, "device": device or self.device}
    return empty_strided(size, stride, requires_grad=requires_grad, **given)


def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like ``input`` all of whose elements are ``value``, a number or a 0-d tensor.

    >>> nbgrad.fill(nbgrad.zeros(2), 3)
    tensor([3., 3.])
    """
    x: Any = tensor_of("fill", "input", input)
    if isinstance(value, Tensor) and value.dim():
        raise RunError(f"fill only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions")
    return x.clone().fill_(value)  # type: ignore[no-any-return]


@writes_out("range", "dtype", "device")
def range(start: Any, end: Any, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Numbers from ``start`` to ``end``, which belongs to them, ``step`` apart; deprecated for ``arange``.

    >>> nbgrad.range(1, 3)
    tensor([1., 2., 3.])
    """
    warn_here("nbgrad.range is deprecated: use nbgrad.arange, which gives values in [start, end)", UserWarning)
    low, high, width = [float_of("range", what, x) for what, x in (("start", start), ("end", end), ("step", step))]
    if not width or not all(map(isfinite, (low, high, width))):
        raise RunError(f"range: expected finite numbers and a step that is not 0, got {low}, {high} and {width}")
    if (high - low) / width < 0:
        raise RunError("upper bound and lower bound inconsistent with step sign")
    kind = get_default_dtype() if dtype is None else dtype_of("range", "dtype", dtype)
    if kind is bool_:
        raise DTypeNotImplementedError("range(): not implemented for bool")
    steps = arange(floor((high - low) / width + 1), dtype=int64, device=device)
    return record(CALLS["to_dtype"], (steps * width + low,), (kind,))  # type: ignore[no-any-return]
