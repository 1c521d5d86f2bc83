"""``Variable``, as older programs call a tensor, and writes that nobody but the user knows of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nbgrad.errors import DTypeError, RunError
from nbgrad.trace import Handle, detach, local, set_requires_grad, sharing, turn_page


class _Tensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Handle)


class _Engine:
    """What runs derivatives, as those who want something done at their end address it."""

    @staticmethod
    def queue_callback(callback: Callable[[], object]) -> None:
        """Call ``callback`` when the derivative that this runs in has ended, a hook or a custom backward in it, say."""
        callbacks = local.trace.callbacks
        if callbacks is None:
            raise RunError("Final callbacks can only be installed during backward pass.")
        callbacks.append(callback)


class Variable(metaclass=_Tensors):
    """What tensors were once wrapped in. Every tensor is one; ``Variable(x)`` is a tensor with the memory of ``x``.

    >>> nbgrad.autograd.Variable(nbgrad.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    _execution_engine = _Engine()

    def __new__(cls, data: Any, requires_grad: bool = False) -> Any:
        if not isinstance(data, Handle):
            raise DTypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = detach(data)
        if requires_grad:
            set_requires_grad(made, True)
        return made


def increment_version(tensor: Handle | Iterable[Handle]) -> None:
    """Say that the memory of a tensor, or of several, was written by other means, which counts as a write in place:
    views that may not be used after one are an error from now on. Gradients use the values that were recorded."""
    if not isinstance(tensor, Iterable):
        raise DTypeError(f"increment_version(): expected tensors, got {type(tensor).__name__}")
    for x in (tensor,) if isinstance(tensor, Handle) else tensor:
        if not isinstance(x, Handle):
            raise DTypeError(f"increment_version(): expected tensors, got {type(x).__name__}")
        sharing(x).counter[0] += 1
    turn_page(local.trace)
