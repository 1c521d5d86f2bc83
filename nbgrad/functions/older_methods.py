"""Methods of tensors that older programs call: element by element in Python, and questions with one answer here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbgrad.calls.arguments import function_of
from nbgrad.errors import GradError, RunError, ShapeError
from nbgrad.tensor import Tensor
from nbgrad.trace import from_values, tensor_of, values


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Write what ``callable`` gives of each element: a call of Python for each. RuntimeError where it requires grad.

    >>> nbgrad.tensor([1, 2]).apply_(lambda x: x * 10)
    tensor([10, 20])
    """
    return _mapped("apply_", self, callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Write what ``callable`` gives of each element and that of ``tensor``, which broadcasts: a call for each.

    >>> nbgrad.tensor([1, 2]).map_(nbgrad.tensor([3, 4]), lambda a, b: a * b)
    tensor([3, 8])
    """
    return _mapped("map_", self, callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """``map_`` with two other tensors.

    >>> nbgrad.tensor([1, 2]).map2_(nbgrad.tensor([3]), nbgrad.tensor([5]), lambda a, b, c: a + b + c)
    tensor([ 9, 10])
    """
    return _mapped("map2_", self, callable, x, y)


def _mapped(name: str, x: Any, callable: Any, *others: Any) -> Tensor:
    function = function_of(name, "callable", callable)
    given = [x, *[tensor_of(name, "tensor", other) for other in others]]
    if any(t.requires_grad for t in given):
        raise GradError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if any(t.dtype is not x.dtype for t in given):
        raise RunError(f"{name}: expected tensors of {x.dtype.name}")
    arrays = [values(t) for t in given]
    try:
        arrays = [np.broadcast_to(a, arrays[0].shape) for a in arrays]
    except ValueError:
        shapes = ", ".join([str(list(t.shape)) for t in given])
        raise ShapeError(f"{name}: shapes {shapes} do not broadcast to the first") from None
    rows = [[function(*one)] for one in zip(*[a.reshape(-1).tolist() for a in arrays], strict=True)]
    found = np.array(rows, x.dtype.numpy).reshape(arrays[0].shape)
    return x.copy_(from_values(found, x.dtype))  # type: ignore[no-any-return]


def ndimension(self: Tensor) -> int:
    """As :meth:`dim`.

    >>> nbgrad.ones(2, 3).ndimension()
    2
    """
    return self.dim()


def dim_order(self: Tensor, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dims in the order in which they lie in memory, the outermost first.

    >>> nbgrad.ones(2, 3).t().dim_order()
    (1, 0)
    """
    steps = self.stride()
    return tuple(sorted(range(len(steps)), key=lambda d: -steps[d]))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both show the same elements of the same memory.

    >>> x = nbgrad.ones(2)
    >>> x.is_set_to(x), x.is_set_to(x.clone())
    (True, False)
    """
    other: Any = tensor_of("is_set_to", "tensor", tensor)
    mine: Any = self
    where = [(t.data_ptr(), t.shape, t.stride(), t.dtype) for t in (mine, other)]
    return mine is other or (where[0] == where[1] and mine.numel() > 0)


def is_shared(self: Tensor) -> bool:
    """Whether other processes see the memory: never.

    >>> nbgrad.ones(2).is_shared()
    False
    """
    return False


def share_memory_(self: Tensor) -> Tensor:
    """Other processes cannot see the memory: RuntimeError.

    >>> nbgrad.ones(2).share_memory_()
    Traceback (most recent call last):
    nbgrad.errors.RunError: share_memory_(): memory is not shared by processes; give them x.numpy()
    """
    raise RunError("share_memory_(): memory is not shared by processes; give them x.numpy()")


def storage_type(self: Tensor) -> type:
    """The class of :meth:`storage`.

    >>> nbgrad.ones(2).storage_type().__name__ == type(nbgrad.ones(2).storage()).__name__
    True
    """
    return type(self.storage())
