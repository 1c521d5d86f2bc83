"""Adamax: Adam with the largest gradient in place of the root mean square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.adam import check_averaging
from nbgrad.optim.optimizer import Group, Optimizer, plain
from nbgrad.tensor import Tensor


class Adamax(Optimizer):
    """p -= lr / (1 - b1^t) * m / u, m the running average of grad, u = max(b2 * u, abs(grad) + eps).

    Source: Kingma and Ba 2015, "Adam", section 7; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adamax([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
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
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        check_averaging(type(self).__name__, group)

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_inf=zeros_like(param))
        return state["exp_avg"], state["exp_inf"]

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        beta1, beta2 = [plain(beta) for beta in group["betas"]]
        lr, eps = plain(group["lr"]), plain(group["eps"])
        decay = () if group["weight_decay"] == 0 else (plain(group["weight_decay"]),)
        numbers: list[Any] = []
        for param in params:
            steps = self.state[param]["step"] + 1
            numbers += (*decay, 1 - beta1, beta2, eps, -lr / (1 - beta1**steps))
        made = tuple(numbers)
        self._count(params)  # last, so that no exception comes behind it
        return made

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        mean, largest = state["exp_avg"], state["exp_inf"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=next(numbers))
        mean.lerp_(grad, next(numbers))
        largest.mul_(next(numbers))
        largest.copy_(largest.maximum(grad.abs().add_(next(numbers))))
        param.addcdiv_(mean, largest, value=next(numbers))
