"""RMSprop: steps divided by a running root mean square of the gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class RMSprop(Optimizer):
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

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        require(number("epsilon value", group["eps"]) >= 0.0, "epsilon value", group["eps"])
        require(number("momentum value", group["momentum"]) >= 0.0, "momentum value", group["momentum"])
        require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])
        require(number("alpha value", group["alpha"]) >= 0.0, "alpha value", group["alpha"])

    def _kept(self, group: Group) -> tuple[str, ...]:
        momentum = ("momentum_buffer",) if group["momentum"] != 0 else ()
        return ("square_avg", *momentum, *(("grad_avg",) if group["centered"] else ()))

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        names = self._kept(group)
        if not state:
            state.update(step=0, **{name: zeros_like(param) for name in names})
        return tuple([state[name] for name in names])

    def _form(self, group: Group) -> tuple[bool, ...]:
        return (
            bool(group["momentum"] != 0),
            bool(group["centered"]),
            bool(group["weight_decay"] != 0),
            bool(group["maximize"]),
        )

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        alpha, step = plain(group["alpha"]), -plain(group["lr"])
        own = [alpha, 1 - alpha]
        if group["weight_decay"] != 0:
            own.insert(0, plain(group["weight_decay"]))
        if group["centered"]:
            own.append(1 - alpha)
        own.append(plain(group["eps"]))
        if group["momentum"] != 0:
            own.append(plain(group["momentum"]))
        own.append(step)
        numbers = tuple(own) * len(params)
        self._count(params)  # last, so that no exception comes behind it
        return numbers

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        square = state["square_avg"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=next(numbers))
        square.mul_(next(numbers)).addcmul_(grad, grad, value=next(numbers))
        spread = square
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(grad, next(numbers))
            spread = square - mean * mean
        spread = spread.sqrt().add_(next(numbers))
        if group["momentum"] == 0:
            param.addcdiv_(grad, spread, value=next(numbers))
            return
        velocity = state["momentum_buffer"]
        velocity.mul_(next(numbers)).addcdiv_(grad, spread)
        param.add_(velocity, alpha=next(numbers))
