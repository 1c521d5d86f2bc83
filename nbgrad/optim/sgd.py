"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.optim.optimizer import Group, Optimizer, gradient, number, require


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

    def _update(self, group: Group) -> None:
        lr, momentum, dampening = group["lr"], group["momentum"], group["dampening"]
        for param in group["params"]:
            if param.grad is None:
                continue
            step = gradient(param, group["maximize"], group["weight_decay"])
            if momentum != 0:
                state = self.state[param]
                velocity = state.get("momentum_buffer")
                if velocity is None:
                    velocity = state["momentum_buffer"] = step.detach().clone()
                else:
                    velocity.mul_(momentum).add_(step, alpha=1 - dampening)
                step = step.add(velocity, alpha=momentum) if group["nesterov"] else velocity
            param.add_(step, alpha=-lr)
