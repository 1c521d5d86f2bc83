"""Adagrad: steps divided by the root of the sum of all squared gradients so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter, filled_like
from nbgrad.optim.options import Group, numbers_in, options_of
from nbgrad.tensor import Tensor


class Adagrad(ByParameter):
    """p -= lr / (1 + t lr_decay) * grad / (sqrt(s) + eps) with s += grad^2, t counting the steps before.

    Source: Duchi, Hazan and Singer 2011, "Adaptive subgradient methods"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adagrad([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    _kept = ("sum",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        return {"step": 0, "sum": filled_like(param, group["initial_accumulator_value"])}

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, lr_decay, eps = numbers_in(group, "lr", "lr_decay", "eps")
        return eps, -lr / (1 + (step - 1) * lr_decay)

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], squares: Tensor) -> None:
        spread = squares.addcmul_(grad, grad).sqrt().add_(next(n))
        param.addcdiv_(grad, spread, value=next(n))
