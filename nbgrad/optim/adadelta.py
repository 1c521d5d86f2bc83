"""Adadelta: steps scaled by the root mean square of the steps before, over that of the gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class Adadelta(Optimizer):
    """p -= lr * d with d = sqrt(u + eps) / sqrt(s + eps) * grad; s and u are running averages of grad^2 and of d^2.

    Source: Zeiler 2012, "ADADELTA: an adaptive learning rate method"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adadelta([weight], rho=0.75, eps=0.01)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.8010], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        require(0.0 <= number("rho value", group["rho"]) <= 1.0, "rho value", group["rho"])
        require(number("epsilon value", group["eps"]) >= 0.0, "epsilon value", group["eps"])
        require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, square_avg=zeros_like(param), acc_delta=zeros_like(param))
        return state["square_avg"], state["acc_delta"]

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        rho, eps = plain(group["rho"]), plain(group["eps"])
        decay = () if group["weight_decay"] == 0 else (plain(group["weight_decay"]),)
        numbers = (*decay, rho, 1 - rho, eps, eps, rho, 1 - rho, -plain(group["lr"])) * len(params)
        self._count(params)  # last, so that no exception comes behind it
        return numbers

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        square, steps = state["square_avg"], state["acc_delta"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=next(numbers))
        square.mul_(next(numbers)).addcmul_(grad, grad, value=next(numbers))
        spread = square.add(next(numbers)).sqrt_()
        step = steps.add(next(numbers)).sqrt_().div_(spread).mul_(grad)
        steps.mul_(next(numbers)).addcmul_(step, step, value=next(numbers))
        param.add_(step, alpha=next(numbers))
