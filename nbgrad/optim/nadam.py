"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers, rounded
from nbgrad.optim.options import Group, numbers_in, options_of
from nbgrad.tensor import Tensor


class NAdam(KeepsNumbers):
    """Adam whose step goes along the next momentum: m of weight mu(t + 1) and grad of weight 1 - mu(t).

    mu(t) = b1 * (1 - 0.96^(t * momentum_decay) / 2). ``decoupled_weight_decay`` decays as AdamW does. Source: Dozat
    2016, "Incorporating Nesterov momentum into Adam"; in PyTorch's order of operations.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.NAdam([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.4718], requires_grad=True)
    """

    _counts = ("step", "mu_product")
    _kept = ("exp_avg", "exp_avg_sq")
    _switches = ("weight_decay", "decoupled_weight_decay", "maximize")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        return {"mu_product": 1.0, **super()._first(param, group)}

    def _after(self, group: Group, state: Numbers, kind: Any) -> tuple[tuple[Any, ...], Numbers]:
        lr, (beta1, beta2), eps, slowing = numbers_in(group, "lr", "betas", "eps", "momentum_decay")
        step = state["step"] + 1
        now, then = [beta1 * (1 - 0.5 * 0.96 ** (t * slowing)) for t in (step, step + 1)]
        product = rounded(state["mu_product"] * rounded(now))
        along = -lr * (1 - now) / (1 - product), -lr * then / (1 - product * then)
        own = (1 - beta1, beta2, 1 - beta2, 1 - beta2**step, eps, *along)
        return own, {"step": step, "mu_product": product}

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], mean: Tensor, square: Tensor) -> None:
        mean.lerp_(grad, next(n))
        square.mul_(next(n)).addcmul_(grad, grad, value=next(n))
        spread = square.div(next(n)).sqrt_().add_(next(n))
        param.addcdiv_(grad, spread, value=next(n))
        param.addcdiv_(mean, spread, value=next(n))
