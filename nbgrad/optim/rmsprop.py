"""RMSprop: steps divided by a running root mean square of the gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, check_not_negative, numbers_in, options_of
from nbgrad.tensor import Tensor


class RMSprop(ByParameter):
    """p -= lr * grad / (sqrt(s) + eps) with s = alpha * s + (1 - alpha) * grad^2; with momentum, along a velocity of
    such steps. ``centered`` takes the square of a running mean of the gradient off s.

    Source: Tieleman and Hinton 2012, lecture 6.5; centred, Graves 2013; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.RMSprop([weight], lr=0.05)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    _switches = ("momentum", "centered", "weight_decay", "maximize")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        super()._check(group)
        check_not_negative(group, "alpha")

    def _names(self, group: Group) -> tuple[str, ...]:
        momentum = ("momentum_buffer",) if group["momentum"] != 0 else ()
        return ("square_avg", *momentum, *(("grad_avg",) if group["centered"] else ()))

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, alpha, eps, momentum = numbers_in(group, "lr", "alpha", "eps", "momentum")
        centered = (1 - alpha,) if group["centered"] else ()
        return alpha, 1 - alpha, *centered, eps, *((momentum,) if group["momentum"] != 0 else ()), -lr

    def _along(
        self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], square: Tensor, *others: Tensor
    ) -> None:
        square.mul_(next(n)).addcmul_(grad, grad, value=next(n))
        spread = square
        if group["centered"]:
            mean = others[-1]
            mean.lerp_(grad, next(n))
            spread = square - mean * mean
        spread = spread.sqrt().add_(next(n))
        if group["momentum"] == 0:
            param.addcdiv_(grad, spread, value=next(n))
        else:
            velocity = others[0].mul_(next(n)).addcdiv_(grad, spread)
            param.add_(velocity, alpha=next(n))
