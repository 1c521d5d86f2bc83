"""What elements and tensors are: signed infinities, real numbers, one number that is not zero, dtypes and sizes."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.errors import RunError
from nbgrad.functions.creation import ones_like
from nbgrad.graph.dtypes import bool_, uint8
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.strided import UntypedStorage
from nbgrad.trace import record, tensor_of


@writes_out("isposinf")
def isposinf(input: Tensor) -> Tensor:
    """Which elements are positive infinity.

    >>> nbgrad.isposinf(nbgrad.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False,  True, False])
    """
    return _is_infinity("isposinf", input, "gt")


@writes_out("isneginf")
def isneginf(input: Tensor) -> Tensor:
    """Which elements are negative infinity.

    >>> nbgrad.isneginf(nbgrad.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False, False,  True])
    """
    return _is_infinity("isneginf", input, "lt")


def _is_infinity(name: str, input: Tensor, side: str) -> Tensor:
    x = tensor_of(name, "input", input)
    is_infinite = record(CALLS["isinf"], (x,))
    found: Tensor = record(CALLS["logical_and"], (is_infinite, record(CALLS[side], (x, 0))))
    return found


def isreal(input: Tensor) -> Tensor:
    """Which elements have no imaginary part: all, but for complex ones.

    >>> nbgrad.isreal(nbgrad.tensor([1.0, float("nan")]))
    tensor([True, True])
    """
    x: Any = tensor_of("isreal", "input", input)
    return x.imag == 0 if x.is_complex() else ones_like(x, dtype=bool_)


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode: nothing that needs its value has a derivative.

    >>> nbgrad.is_inference(nbgrad.ones(2))
    False
    """
    x: Any = tensor_of("is_inference", "input", input)
    return x._at.inference  # type: ignore[no-any-return]


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element of a tensor is not zero. RuntimeError for more or fewer elements.

    >>> nbgrad.is_nonzero(nbgrad.tensor([0.5]))
    True
    """
    return bool(tensor_of("is_nonzero", "input", input))


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers.

    >>> nbgrad.is_signed(nbgrad.ones(2))
    True
    """
    return tensor_of("is_signed", "input", input).dtype not in (bool_, uint8)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    >>> nbgrad.is_same_size(nbgrad.ones(2, 1), nbgrad.ones(2))
    False
    """
    x, y = tensor_of("is_same_size", "input", input), tensor_of("is_same_size", "other", other)
    return bool(x.shape == y.shape)


def positive(input: Tensor) -> Tensor:
    """The tensor itself. RuntimeError for bools.

    >>> x = nbgrad.ones(2)
    >>> nbgrad.positive(x) is x
    True
    """
    x: Tensor = tensor_of("positive", "input", input)
    if x.dtype is bool_:
        raise RunError("The `+` operator, on a bool tensor is not supported.")
    return x


def is_storage(obj: object, /) -> bool:
    """Whether ``obj`` is what ``Tensor.storage`` gives.

    >>> nbgrad.is_storage(nbgrad.ones(2).storage()), nbgrad.is_storage([1.0])
    (True, False)
    """
    return isinstance(obj, UntypedStorage)


def typename(obj: Any, /) -> str:
    """``Tensor.type()`` of a tensor; of other objects the name of their class with its module.

    >>> nbgrad.typename(nbgrad.ones(2)), nbgrad.typename([])
    ('nbgrad.FloatTensor', 'list')
    """
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[no-any-return]
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    return kind.__qualname__ if module in (None, "builtins", "__builtin__") else f"{module}.{kind.__qualname__}"
