"""ASGD: stochastic gradient descent that keeps the average of its points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers
from nbgrad.optim.optimizer import Group, number, plain, require
from nbgrad.tensor import Tensor


class ASGD(KeepsNumbers):
    """p = (1 - lambd * eta) * p - eta * grad; ``state[p]["ax"]`` is the average of p over the steps from ``t0`` on.

    eta falls from lr as 1 / (1 + lambd * lr * t)^alpha. Source: Polyak and Juditsky 1992, "Acceleration of stochastic
    approximation by averaging"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.ASGD([weight], lr=0.25, lambd=0)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])
        for name in ("lambd", "alpha", "t0"):
            number(f"{name} value", group[name])

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, eta=plain(group["lr"]), mu=1.0, ax=zeros_like(param))
        return (state["ax"],)

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        lr, lambd, alpha, t0 = [plain(group[name]) for name in ("lr", "lambd", "alpha", "t0")]
        decay = () if group["weight_decay"] == 0 else (plain(group["weight_decay"]),)
        numbers: list[Any] = []
        after: list[Numbers] = []
        for param in params:
            state = self.state[param]
            step, eta = state["step"] + 1, state["eta"]
            numbers += (*decay, 1 - lambd * eta, -eta, state["mu"])
            after.append({"step": step, "eta": lr / (1 + lambd * lr * step) ** alpha, "mu": 1 / max(1.0, step - t0)})
        made = tuple(numbers)
        self._advance(params, after)  # last, so that no exception comes behind it
        return made

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=next(numbers))
        param.mul_(next(numbers)).add_(grad, alpha=next(numbers))
        state["ax"].lerp_(param, next(numbers))
