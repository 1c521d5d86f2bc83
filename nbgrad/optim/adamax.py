"""Adamax: Adam with the largest gradient in place of the root mean square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, numbers_in, options_of
from nbgrad.tensor import Tensor


class Adamax(ByParameter):
    """p -= lr / (1 - b1^t) * m / u, m the running average of grad, u = max(b2 * u, abs(grad) + eps).

    Source: Kingma and Ba 2015, "Adam", section 7; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adamax([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    _kept = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, (beta1, beta2), eps = numbers_in(group, "lr", "betas", "eps")
        return 1 - beta1, beta2, eps, -lr / (1 - beta1**step)

    def _along(
        self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], mean: Tensor, largest: Tensor
    ) -> None:
        mean.lerp_(grad, next(n))
        largest.mul_(next(n))
        largest.copy_(largest.maximum(grad.abs().add_(next(n))))
        param.addcdiv_(mean, largest, value=next(n))
