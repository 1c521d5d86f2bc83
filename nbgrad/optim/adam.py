"""Adam: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from nbgrad.creation import zeros_like
from nbgrad.optim.optimizer import Group, Optimizer, gradient, number, require
from nbgrad.tensor import Tensor


class Adam(Optimizer):
    """p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps), m and v running averages of grad and grad^2.

    ``amsgrad`` takes the largest v so far. ``weight_decay`` is added to the gradient (L2). Source: Kingma and Ba 2015,
    in PyTorch's order of operations; AMSGrad by Reddi et al. 2018.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        require(number("epsilon value", group["eps"]) >= 0.0, "epsilon value", group["eps"])
        for i, beta in enumerate(group["betas"]):
            require(0.0 <= number("beta", beta) < 1.0, f"beta parameter at index {i}", beta)
        require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])

    def _update(self, group: Group) -> None:
        for param in group["params"]:
            if param.grad is not None:
                grad = self._decayed(param, gradient(param, group["maximize"], 0), group)
                _adam_step(param, grad, self._state_of(param, group["amsgrad"]), group)

    def _decayed(self, param: Tensor, grad: Tensor, group: Group) -> Tensor:
        """The gradient to follow, with the pull of ``param`` towards 0 in it."""
        decay = group["weight_decay"]
        return grad.add(param, alpha=decay) if decay != 0 else grad

    def _state_of(self, param: Tensor, amsgrad: bool) -> dict[str, Any]:
        state = self.state[param]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
            if amsgrad:
                state["max_exp_avg_sq"] = zeros_like(param)
        return state


def _adam_step(param: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
    beta1, beta2 = group["betas"]
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    state["step"] += 1
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    if group["amsgrad"]:
        largest = state["max_exp_avg_sq"]
        largest.copy_(largest.maximum(square))
        square = largest
    # Corrections are Python floats: they change at every step and must not be part of the recorded structure.
    correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
    spread = (square.sqrt() / sqrt(correction2)).add_(group["eps"])
    param.addcdiv_(mean, spread, value=-group["lr"] / correction1)
