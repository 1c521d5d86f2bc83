"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class SGD(Optimizer):
    """p -= lr * v, with velocity v = momentum * v + (1 - dampening) * grad, or the gradient itself without momentum.

    The first velocity is the gradient. ``nesterov`` goes along grad + momentum * v. Source: Sutskever et al. 2013, in
    PyTorch's form.
    """

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
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        require(number("momentum value", group["momentum"]) >= 0.0, "momentum value", group["momentum"])
        require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ArgumentError("Nesterov momentum requires a momentum and zero dampening")

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...] | None:
        if group["momentum"] == 0:
            return ()
        velocity = self.state[param].get("momentum_buffer")
        return None if velocity is None else (velocity,)

    def _states_of(self, params: Sequence[Tensor], group: Group) -> Sequence[tuple[Tensor, ...] | None]:
        return [()] * len(params) if group["momentum"] == 0 else super()._states_of(params, group)

    def _form(self, group: Group) -> tuple[bool, ...]:
        return (
            bool(group["momentum"] != 0),
            bool(group["weight_decay"] != 0),
            bool(group["nesterov"]),
            bool(group["maximize"]),
        )

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        momentum, decay, rate = plain(group["momentum"]), plain(group["weight_decay"]), -plain(group["lr"])
        if group["momentum"] == 0:
            return ((rate,) if group["weight_decay"] == 0 else (decay, rate)) * len(params)
        numbers: list[Any] = []
        for param in params:
            if group["weight_decay"] != 0:
                numbers.append(decay)
            if self.state[param].get("momentum_buffer") is not None:
                numbers += (momentum, 1 - plain(group["dampening"]))
            if group["nesterov"]:
                numbers.append(momentum)
            numbers.append(rate)
        return tuple(numbers)

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        step = -grad if group["maximize"] else grad
        if group["weight_decay"] != 0:
            step = step.add(param, alpha=next(numbers))
        if group["momentum"] != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = step.detach().clone()
            else:
                velocity.mul_(next(numbers)).add_(step, alpha=next(numbers))
            step = step.add(velocity, alpha=next(numbers)) if group["nesterov"] else velocity
        param.add_(step, alpha=next(numbers))
