"""Keep gradients from growing: by their common norm, or value by value."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from math import isfinite

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import float_of, items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import GradError
from nbgrad.functions.creation import tensor
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import at, spec_of, tensor_of

stack = function_of(CALLS["stack"])


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients in place so that their norm, taken together, is at most ``max_norm``; gives the norm before.

    With ``error_if_nonfinite`` a NaN or infinite norm is a RuntimeError, which needs a look at the value; otherwise
    nothing is looked at. ``foreach`` is accepted and changes nothing.
    """
    grads, max_norm = _grads("clip_grad_norm_", parameters), float_of("clip_grad_norm_", "max_norm", max_norm)
    if not grads:
        return tensor(0.0)
    with no_grad():
        total = _total(grads, norm_type, error_if_nonfinite)
        _scale(grads, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """``clip_grad_norm_`` by its older name, with a warning."""
    text = "`nn.utils.clip_grad_norm` is now deprecated in favor of `nn.utils.clip_grad_norm_`."
    warnings.warn(text, FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all elements of ``tensors`` taken together. RuntimeError as of ``clip_grad_norm_``.

    >>> nbgrad.nn.utils.get_total_norm([nbgrad.tensor([3.0]), nbgrad.tensor([4.0])])
    tensor(5.)
    """
    given = _tensors("get_total_norm", "tensors", tensors)
    if not given:
        return tensor(0.0)
    return _total(given, norm_type, error_if_nonfinite)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients in place by ``max_norm`` / ``total_norm``, where that is less than 1.

    >>> w = nbgrad.ones(1, requires_grad=True)
    >>> w.grad = nbgrad.tensor([4.0])
    >>> nbgrad.nn.utils.clip_grads_with_norm_(w, 1.0, nbgrad.tensor(8.0))
    >>> w.grad
    tensor([0.5000])
    """
    name = "clip_grads_with_norm_"
    with no_grad():
        _scale(
            _grads(name, parameters), float_of(name, "max_norm", max_norm), tensor_of(name, "total_norm", total_norm)
        )


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of every gradient into [-clip_value, clip_value], in place."""
    bound = float_of("clip_grad_value_", "clip_value", clip_value)
    with no_grad():
        for grad in _grads("clip_grad_value_", parameters):
            grad.clamp_(min=-bound, max=bound)


def _total(tensors: list[Tensor], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    """The norm of all of them together, where the first one is."""
    first = spec_of(tensors[0]).place
    total: Tensor = stack([at(x.norm(norm_type), first) for x in tensors]).norm(norm_type)
    if error_if_nonfinite and not isfinite(total.item()):
        raise GradError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def _scale(grads: list[Tensor], max_norm: float, total: Tensor) -> None:
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)  # always multiplied: no look at the norm
    for grad in grads:
        grad.mul_(at(factor, spec_of(grad).place))


def _tensors(name: str, argument: str, given: Tensor | Iterable[Tensor]) -> list[Tensor]:
    wanted = "Tensor or iterable of Tensors"
    tensors = [given] if isinstance(given, Tensor) else items_of(name, argument, given, wanted)
    return [tensor_of(name, argument, t) for t in tensors]


def _grads(name: str, parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [t.grad for t in _tensors(name, "parameters", parameters) if t.grad is not None]
