"""Random tensors. Their numbers are Philox blocks indexed by (seed, stream number, element): the same seed gives the
same numbers for any thread count, fused or not, on any device. Every tensor takes a stream number of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.arguments import int_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.device import device_at, place_wanted
from nbgrad.errors import DTypeError, DTypeNotImplementedError, NumberError, RunError
from nbgrad.functions.creation import alike, leaf, options, shape_of, sizes_of
from nbgrad.generator import Generator, default_generator
from nbgrad.graph.dtypes import DType, bool_, float64, get_default_dtype, int32, int64
from nbgrad.graph.half import limits
from nbgrad.graph.spec import HOST
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.trace import numbers_of, record, tensor_of

# Which of the three kinds of numbers a function draws, where its name does not say.
_KIND = {"rand_like": "rand", "randn_like": "randn", "randint_like": "randint", "randperm": "rand"}


def drawn(
    name: str,
    operands: tuple[Any, ...],
    shape: tuple[int, ...],
    dtype: DType,
    generator: Generator | None = None,
    place: int = HOST,
) -> Any:
    """Numbers as the function ``name`` draws them, in ``shape``, where the program makes tensors. They are for
    ``place``, which is where ``generator`` has to be."""
    if generator is not None:
        if not isinstance(generator, Generator):
            raise refused(name, "generator", generator, "nbgrad.Generator")
        wanted, found = device_at(place).type, generator.device.type
        if found != wanted:
            raise RunError(f"{name}(): Expected a '{wanted}' device type for generator but found '{found}'")
    stream_of = generator or default_generator
    seed, stream = numbers_of(stream_of.take, stream_of.put_back)
    return record(CALLS[f"{_KIND.get(name, name)}_of"], (seed, stream, *operands), (shape, dtype))


def _floating(name: str, dtype: DType | None) -> DType:
    wanted = get_default_dtype() if dtype is None else dtype
    if not wanted.is_inexact:
        raise DTypeNotImplementedError(f"{name}(): not implemented for {wanted.name}; give a floating dtype=")
    return wanted


@writes_out("rand", "dtype", "device")
def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **named: Any,
) -> Tensor:
    """Random numbers, uniform in [0, 1), both parts of complex ones, in the default dtype unless given. RuntimeError
    for integer dtypes.

    >>> x = nbgrad.rand(1000)
    >>> bool(((0 <= x) & (x < 1)).all())
    True
    """
    kind = _floating("rand", options("rand", dtype, device, requires_grad, pin_memory, layout))
    place = place_wanted(device)
    numbers = drawn("rand", (), sizes_of("rand", size, named), kind, generator, place)
    return leaf(numbers, requires_grad, place, pin_memory)


@writes_out("randn", "dtype", "device")
def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **named: Any,
) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1, of which either part of complex ones has
    the half. RuntimeError for integer dtypes.

    >>> nbgrad.randn(2, 3).shape
    nbgrad.Size([2, 3])
    """
    kind = _floating("randn", options("randn", dtype, device, requires_grad, pin_memory, layout))
    place = place_wanted(device)
    numbers = drawn("randn", (), sizes_of("randn", size, named), kind, generator, place)
    return leaf(numbers, requires_grad, place, pin_memory)


@writes_out("randint", "dtype", "device")
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = int64,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Random integers in [low, high), int64 unless given; ``randint(high, size)`` begins at 0.

    RuntimeError where no integer lies there.

    >>> nbgrad.randint(5, 6, (3,))
    tensor([5, 5, 5])
    """
    kind = options("randint", dtype, device, requires_grad, pin_memory, layout) or int64
    if size is None and not isinstance(high, (tuple, list)):
        raise DTypeError("randint() missing 1 required positional argument: 'size', a tuple of ints")
    if high is None or isinstance(high, (tuple, list)):
        low, high, size = 0, low, high if size is None else size
    operands = _bounds("randint", low, high)
    place = place_wanted(device)
    numbers = drawn("randint", operands, shape_of("randint", size), kind, generator, place)
    return leaf(numbers, requires_grad, place, pin_memory)


def _bounds(name: str, low: Any, high: Any) -> tuple[int, int]:
    """(low, how many integers there are up to high)."""
    first, end = int_of(name, "low", low), int_of(name, "high", high)
    if first >= end:
        raise RunError(f"{name}(): expects 'low' to be less than 'high', but got low={first} >= high={end}")
    return first, end - first


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Uniform random numbers in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.rand_like(nbgrad.ones(2, 3)).shape
    nbgrad.Size([2, 3])
    """
    x = tensor_of("rand_like", "input", input)
    kind = _floating("rand_like", options("rand_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype)
    more = memory_format, device, requires_grad, pin_memory
    return alike("rand_like", x, *more, lambda shape: drawn("rand_like", (), shape, kind, generator))


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Normal random numbers in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.randn_like(nbgrad.ones(2, 3)).shape
    nbgrad.Size([2, 3])
    """
    x = tensor_of("randn_like", "input", input)
    kind = _floating("randn_like", options("randn_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype)
    more = memory_format, device, requires_grad, pin_memory
    return alike("randn_like", x, *more, lambda shape: drawn("randn_like", (), shape, kind, generator))


def randint_like(
    input: Tensor,
    low: int | None = None,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Random integers in [low, high) in the shape of ``input``, and in its dtype unless given.

    >>> nbgrad.randint_like(nbgrad.zeros(2), 5, 6)
    tensor([5., 5.])
    """
    x = tensor_of("randint_like", "input", input)
    kind = options("randint_like", dtype, device, requires_grad, pin_memory, layout) or x.dtype
    ends = (0, low) if high is None else (0 if low is None else low, high)
    operands = _bounds("randint_like", *ends)
    more = memory_format, device, requires_grad, pin_memory
    return alike("randint_like", x, *more, lambda shape: drawn("randint_like", operands, shape, kind, generator))


@writes_out("randperm", "dtype", "device")
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Any = int64,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The numbers 0 to n - 1 in random order. RuntimeError for negative n, and for one that ``dtype`` has not room for.

    >>> sorted(nbgrad.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    kind = options("randperm", dtype, device, requires_grad, pin_memory, layout) or int64
    shape = shape_of("randperm", int_of("randperm", "n", n))
    if kind is bool_ or kind.is_complex:
        raise DTypeNotImplementedError(f"randperm: not implemented for {kind.name}")
    most = 2 / limits(kind).eps if kind.is_floating_point else np.iinfo(kind.numpy).max
    if shape[0] > most + 1:
        raise NumberError(f"randperm: n = {n} cannot be converted to type {kind.name} without overflow")
    place = place_wanted(device)
    # Keys of 32 bits are sorted in half of the time that 64 take. Equal ones keep their order, which makes one order of
    # two numbers more likely by 2^-33.
    keys = (drawn("randperm", (), shape, float64, generator, place) * 2.0**32 - 2.0**31).to(int32)
    order = record(CALLS["argsort"], (keys,), (0, False, True))
    return leaf(order.to(kind), requires_grad, place, pin_memory)
