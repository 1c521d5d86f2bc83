"""Adadelta: steps scaled by the root mean square of the steps before, over that of the gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, number, numbers_in, options_of, require
from nbgrad.tensor import Tensor


class Adadelta(ByParameter):
    """p -= lr * d with d = sqrt(u + eps) / sqrt(s + eps) * grad; s and u are running averages of grad^2 and of d^2.

    Source: Zeiler 2012, "ADADELTA: an adaptive learning rate method"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adadelta([weight], rho=0.75, eps=0.01)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.8010], requires_grad=True)
    """

    _kept = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        super()._check(group)
        require(0.0 <= number("rho value", group["rho"]) <= 1.0, "rho value", group["rho"])

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, rho, eps = numbers_in(group, "lr", "rho", "eps")
        return rho, 1 - rho, eps, eps, rho, 1 - rho, -lr

    def _along(
        self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], square: Tensor, steps: Tensor
    ) -> None:
        square.mul_(next(n)).addcmul_(grad, grad, value=next(n))
        spread = square.add(next(n)).sqrt_()
        step = steps.add(next(n)).sqrt_().div_(spread).mul_(grad)
        steps.mul_(next(n)).addcmul_(step, step, value=next(n))
        param.add_(step, alpha=next(n))
