"""ASGD: stochastic gradient descent that keeps the average of its points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers, rounded
from nbgrad.optim.options import Group, number, numbers_in, options_of
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

    _counts = ("step", "eta", "mu")
    _kept = ("ax",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        super()._check(group)
        for name in ("lambd", "alpha", "t0"):
            number(f"{name} value", group[name])

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        return {"eta": rounded(group["lr"]), "mu": 1.0, **super()._first(param, group)}

    def _after(self, group: Group, state: Numbers, kind: Any) -> tuple[tuple[Any, ...], Numbers]:
        lr, lambd, alpha, t0 = numbers_in(group, "lr", "lambd", "alpha", "t0")
        step, eta = state["step"] + 1, state["eta"]
        fallen = lr / (1 + lambd * lr * step) ** alpha
        then = {"step": step, "eta": rounded(fallen), "mu": rounded(1 / max(1.0, step - t0))}
        return (1 - lambd * eta, -eta, state["mu"]), then

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], mean: Tensor) -> None:
        param.mul_(next(n)).add_(grad, alpha=next(n))
        mean.lerp_(param, next(n))
