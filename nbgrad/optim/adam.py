"""Adam: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, numbers_in, options_of, root
from nbgrad.tensor import Tensor


class Adam(ByParameter):
    """p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps), m and v running averages of grad and grad^2.

    ``amsgrad`` takes the largest v so far. ``weight_decay`` is added to the gradient (L2), or taken off the weights
    with ``decoupled_weight_decay``, as AdamW does. Source: Kingma and Ba 2015, in PyTorch's order of operations;
    AMSGrad by Reddi et al. 2018.
    """

    _switches = ("amsgrad", "maximize", "weight_decay", "decoupled_weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _names(self, group: Group) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, (beta1, beta2), eps = numbers_in(group, "lr", "betas", "eps")
        return 1 - beta1, beta2, 1 - beta2, root(1 - beta2**step), eps, -lr / (1 - beta1**step)

    def _along(
        self,
        param: Tensor,
        grad: Tensor,
        group: Group,
        n: Iterator[Any],
        mean: Tensor,
        square: Tensor,
        largest: Tensor | None = None,
    ) -> None:
        mean.lerp_(grad, next(n))
        square.mul_(next(n)).addcmul_(grad, grad, value=next(n))
        if largest is not None:
            square = largest.copy_(largest.maximum(square))
        param.addcdiv_(mean, (square.sqrt() / next(n)).add_(next(n)), value=next(n))
