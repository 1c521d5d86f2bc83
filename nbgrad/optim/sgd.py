"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, numbers_in, options_of, plain
from nbgrad.tensor import Tensor


class SGD(ByParameter):
    """p -= lr * v, with velocity v = momentum * v + (1 - dampening) * grad, or the gradient itself without momentum.

    The first velocity is the gradient. ``nesterov`` goes along grad + momentum * v. Source: Sutskever et al. 2013, in
    PyTorch's form.
    """

    _switches = ("momentum", "weight_decay", "nesterov", "maximize")
    _by_parts = False  # the update is linear: of complex numbers it is that of their parts

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        super()._check(group)
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ArgumentError("Nesterov momentum requires a momentum and zero dampening")

    def _states_of(self, params: Sequence[Tensor], group: Group) -> Sequence[tuple[Tensor, ...] | None]:
        if group["momentum"] == 0:
            return [()] * len(params)
        velocities = [self.state[p].get("momentum_buffer") for p in params]
        return [None if v is None else (v,) for v in velocities]

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        decay, lr = self._decay(group), plain(group["lr"])
        if group["momentum"] == 0:
            return (*decay, -lr) * len(params)
        momentum, dampening = numbers_in(group, "momentum", "dampening")
        nesterov = (momentum,) if group["nesterov"] else ()
        first = (*decay, *nesterov, -lr)
        later, kept = (*decay, momentum, 1 - dampening, *nesterov, -lr), self.state
        begun = [kept[p].get("momentum_buffer") is not None for p in params]
        return tuple([x for has_begun in begun for x in (later if has_begun else first)])

    def _along(
        self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], velocity: Tensor | None = None
    ) -> None:
        if group["momentum"] != 0:
            if velocity is None:
                velocity = self.state[param]["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(next(n)).add_(grad, alpha=next(n))
            grad = grad.add(velocity, alpha=next(n)) if group["nesterov"] else velocity
        param.add_(grad, alpha=next(n))
