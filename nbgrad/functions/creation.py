"""Making tensors: from data, constants, ramps. Names and arguments are PyTorch's; random numbers are in random.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbgrad.autograd.memory_order import in_order, order_of
from nbgrad.calls.arguments import dtype_of, flag_of, format_of, int_of, ints_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.device import as_device, place_wanted
from nbgrad.errors import DTypeError, RunError
from nbgrad.functions.interop import from_numpy, shared_with
from nbgrad.functions.nested_data import array_of, dtype_of_number, number_of
from nbgrad.graph.dtypes import DType, as_dtype, get_default_dtype
from nbgrad.graph.layout import contiguous_format, strided
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.surface import spread
from nbgrad.trace import at, from_values, record, tensor_of


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor with a copy of ``data``: numbers, nested sequences, arrays or tensors.

    Without ``dtype`` Python floats become the default dtype (float32), ints int64, bools bool; arrays keep theirs.
    TypeError for what is no number, ValueError for rows of different lengths, RuntimeError for a number that does not
    fit the dtype.

    >>> nbgrad.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    kind = options("tensor", dtype, device, requires_grad, pin_memory, layout)
    if not isinstance(data, Tensor) and hasattr(data, "__cuda_array_interface__"):
        shared = shared_with("tensor", data)
        return leaf(shared.to(device=device, dtype=kind, copy=True), requires_grad, pin_memory=pin_memory)
    array, found = array_of("tensor", data, kind)
    made: Any = from_values(array, found, place=_place_for(device, data))
    return leaf(made, requires_grad, pin_memory=pin_memory)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, without a copy where it is a tensor or an array of that dtype that may be written.

    Raises as ``tensor`` does.

    >>> nbgrad.as_tensor([1.0, 2.0])
    tensor([1., 2.])
    """
    kind = options("as_tensor", dtype, device)
    if isinstance(data, Tensor):
        return data.to(data.device if device is None else device, data.dtype if kind is None else kind)
    if hasattr(data, "__cuda_array_interface__"):
        return shared_with("as_tensor", data).to(device=device, dtype=kind)
    if isinstance(data, np.ndarray) and not place_wanted(device) and data.flags.writeable and data.dtype.isnative:
        wanted = as_dtype(data.dtype)
        if kind is None or kind is wanted:
            return from_numpy(data)
    return tensor(data, dtype=kind, device=device)


def options(
    function: str,
    dtype: Any,
    device: Any = None,
    requires_grad: Any = False,
    pin_memory: Any = False,
    layout: Any = None,
) -> DType | None:
    """The dtype that was asked for; the other options that all functions of this file take are checked."""
    if layout is not None and layout is not strided:
        raise refused(function, "layout", layout, "nbgrad.strided")
    if device is not None:
        as_device(device)
    flag_of(function, "requires_grad", requires_grad)
    flag_of(function, "pin_memory", pin_memory)
    return None if dtype is None else dtype_of(function, "dtype", dtype)


def leaf(x: Any, requires_grad: bool, place: int | None = None, pin_memory: bool = False) -> Tensor:
    """``x``, a new tensor, at the place, in the memory and with the flag that were asked for."""
    there: Any = x if place is None else at(x, place)
    if pin_memory:
        there = there.pin_memory()
    made: Tensor = there.requires_grad_(True) if requires_grad else there
    return made


def alike(
    function: str,
    x: Any,
    memory_format: Any,
    device: Any,
    requires_grad: bool,
    pin_memory: bool,
    make: Callable[[tuple[int, ...]], Any],
) -> Tensor:
    """What ``make`` gives for the sizes of ``x``, in memory as that lies there unless told otherwise."""
    format_of(function, "memory_format", memory_format)
    place, shape = _place_for(device, x), tuple(x.shape)
    order = None if memory_format is contiguous_format else order_of(x, with_gaps=True)
    if order is None:
        return leaf(make(shape), requires_grad, place, pin_memory)
    made: Any = leaf(make(tuple([shape[d] for d in order])), False, place, pin_memory)
    return leaf(in_order(order, made), requires_grad)


def _place_for(device: Any, like: Any) -> int:
    """Where a tensor like ``like`` is made, if no other device is asked for: where that lives."""
    if device is None and isinstance(like, Tensor):
        return like._spec.place
    return place_wanted(device)


def sizes_of(function: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    """The shape from ``zeros(2, 3)``, ``zeros((2, 3))`` or ``zeros(size=(2, 3))``."""
    size = named.pop("size", None)
    if named:
        raise DTypeError(f"{function}() got an unexpected keyword argument {next(iter(named))!r}")
    if size is None and not given:
        raise DTypeError(f"{function}() missing 1 required positional argument: 'size'")
    if size is not None and given:
        raise DTypeError(f"{function}() got the size twice: {given} and size={size}")
    if size is not None and not isinstance(size, (tuple, list)):
        raise refused(function, "size", size, "tuple of ints")
    return shape_of(function, spread(given, size))


def shape_of(function: str, sizes: Any) -> tuple[int, ...]:
    """``sizes`` as a shape. TypeError for what are no ints, RuntimeError for negative ones."""
    shape = ints_of(function, "size", sizes)
    for n in shape:
        if n < 0:
            raise RunError(f"{function}(): Trying to create tensor with negative dimension {n}: {list(shape)}")
    return shape


@writes_out("zeros", "dtype", "device")
def zeros(
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **named: Any,
) -> Tensor:
    """A tensor of zeros, in the default dtype unless given. TypeError for sizes that are no ints.

    >>> nbgrad.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return _filled("zeros", 0, sizes_of("zeros", size, named), dtype, device, requires_grad, pin_memory, layout)


@writes_out("ones", "dtype", "device")
def ones(
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **named: Any,
) -> Tensor:
    """A tensor of ones, in the default dtype unless given. TypeError for sizes that are no ints.

    >>> nbgrad.ones(3, dtype=nbgrad.int64)
    tensor([1, 1, 1])
    """
    return _filled("ones", 1, sizes_of("ones", size, named), dtype, device, requires_grad, pin_memory, layout)


@writes_out("empty", "dtype", "device")
def empty(
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
    **named: Any,
) -> Tensor:
    """A tensor whose values mean nothing; they are zeros, so that runs repeat.

    >>> nbgrad.empty(2, 3).shape
    nbgrad.Size([2, 3])
    """
    format_of("empty", "memory_format", memory_format)
    return _filled("empty", 0, sizes_of("empty", size, named), dtype, device, requires_grad, pin_memory, layout)


def _filled(
    name: str,
    value: int,
    shape: tuple[int, ...],
    dtype: Any,
    device: Any,
    requires_grad: bool,
    pin_memory: bool,
    layout: Any,
) -> Tensor:
    kind = options(name, dtype, device, requires_grad, pin_memory, layout) or get_default_dtype()
    return leaf(record(CALLS["filled"], (), (shape, kind, value)), requires_grad, place_wanted(device), pin_memory)


@writes_out("full", "dtype", "device")
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of ``fill_value``s, a number or a 0-d tensor; without ``dtype``, that of the value.

    RuntimeError for a value that does not fit the dtype.

    >>> nbgrad.full((2,), 7)
    tensor([7, 7])
    """
    kind = options("full", dtype, device, requires_grad, pin_memory, layout)
    if not isinstance(size, (tuple, list)):
        raise refused("full", "size", size, "tuple of ints")
    made = _full("full", shape_of("full", size), fill_value, kind)
    return leaf(made, requires_grad, place_wanted(device), pin_memory)


def _full(name: str, shape: tuple[int, ...], value: Any, dtype: DType | None) -> Any:
    if isinstance(value, (Tensor, np.ndarray)) and (value.ndim or getattr(value, "requires_grad", False)):
        what = "with dims" if value.ndim else "that requires grad"
        raise DTypeError(f"{name}(): argument 'fill_value' must be Number, not a {type(value).__name__} {what}")
    kind = dtype or dtype_of_number(name, "fill_value", value)
    if not isinstance(value, Tensor):
        value = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
        dtype_of_number(name, "fill_value", value)
    made: Any = record(CALLS["full_of"], (value,), (shape, kind))
    return made.clone() if isinstance(value, Tensor) else made  # of a tensor that is a view of it


def zeros_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Zeros in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.zeros_like(nbgrad.tensor([1, 2]))
    tensor([0, 0])
    """
    x = tensor_of("zeros_like", "input", input)
    kind = options("zeros_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype
    more = memory_format, device, requires_grad, pin_memory
    return alike("zeros_like", x, *more, lambda shape: record(CALLS["filled"], (), (shape, kind, 0)))


def ones_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Ones in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.ones_like(nbgrad.zeros(2), dtype=nbgrad.bool)
    tensor([True, True])
    """
    x = tensor_of("ones_like", "input", input)
    kind = options("ones_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype
    more = memory_format, device, requires_grad, pin_memory
    return alike("ones_like", x, *more, lambda shape: record(CALLS["filled"], (), (shape, kind, 1)))


def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor in the shape and dtype of ``input`` whose values mean nothing; they are zeros, so that runs repeat.

    >>> nbgrad.empty_like(nbgrad.ones(2, 3)).shape
    nbgrad.Size([2, 3])
    """
    x = tensor_of("empty_like", "input", input)
    kind = options("empty_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype
    more = memory_format, device, requires_grad, pin_memory
    return alike("empty_like", x, *more, lambda shape: record(CALLS["filled"], (), (shape, kind, 0)))


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """``fill_value`` in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.full_like(nbgrad.zeros(2), 7)
    tensor([7., 7.])
    """
    x = tensor_of("full_like", "input", input)
    kind = options("full_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype
    more = memory_format, device, requires_grad, pin_memory
    return alike("full_like", x, *more, lambda shape: _full("full_like", shape, fill_value, kind))


@writes_out("eye", "dtype", "device")
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Ones on the diagonal of an n x m matrix (m defaults to n), zeros elsewhere.

    >>> nbgrad.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    kind = options("eye", dtype, device, requires_grad, pin_memory, layout) or get_default_dtype()
    rows = int_of("eye", "n", n)
    columns = rows if m is None else int_of("eye", "m", m)
    if rows < 0 or columns < 0:
        raise RunError(f"eye(): sizes must be greater or equal to 0, got {rows} x {columns}")
    return leaf(record(CALLS["eye_of"], (), ((rows, columns), kind)), requires_grad, place_wanted(device), pin_memory)


def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A 0-d tensor of a number, in the default dtype unless given.

    >>> nbgrad.scalar_tensor(2)
    tensor(2.)
    """
    kind = options("scalar_tensor", dtype, device, requires_grad, pin_memory, layout) or get_default_dtype()
    number = s if isinstance(s, complex) else number_of("scalar_tensor", "s", s)
    if isinstance(number, complex) and not kind.is_complex:
        raise RunError(f"scalar_tensor(): value {number} cannot be converted to type {kind.name} without overflow")
    return tensor(number, dtype=kind, device=device, requires_grad=requires_grad, pin_memory=pin_memory)
