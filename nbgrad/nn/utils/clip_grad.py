"""Keep gradients from growing: by their common norm, or value by value."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import float_of, items_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import GradError
from nbgrad.functions.creation import tensor
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

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
        first = grads[0].device
        total: Tensor = stack([grad.norm(norm_type).to(first) for grad in grads]).norm(norm_type)
        if error_if_nonfinite and not isfinite(total.item()):
            raise GradError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
                "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False`"
            )
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)  # always multiplied: no look at the norm
        for grad in grads:
            grad.mul_(factor.to(grad.device))
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of every gradient into [-clip_value, clip_value], in place."""
    bound = float_of("clip_grad_value_", "clip_value", clip_value)
    with no_grad():
        for grad in _grads("clip_grad_value_", parameters):
            grad.clamp_(min=-bound, max=bound)


def _grads(name: str, parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    wanted = "Tensor or iterable of Tensors"
    tensors = [parameters] if isinstance(parameters, Tensor) else items_of(name, "parameters", parameters, wanted)
    for t in tensors:
        tensor_of(name, "parameters", t)
    return [t.grad for t in tensors if t.grad is not None]
